import { quantifierOf } from './comparison-shape.ts'
import type {
  ConditionComparison,
  ConditionTree,
  ConditionValue,
  EncodedQuery,
  RowsCondition,
} from './condition-tree.ts'

/** A query for people, with `?` for each value that its caller chose: `active=?^subjectLIKE?^ORDERBYDESCnumber`. */
export function printShape({ where, orders }: EncodedQuery): string {
  const conditions = where === null ? [] : [printTree(where, false)]
  const sorted = orders.map(({ path, direction }) => {
    return `${direction === 'ascending' ? 'ORDERBY' : 'ORDERBYDESC'}${path.join('.')}`
  })
  return [...conditions, ...sorted].join('^')
}

function printTree(tree: ConditionTree, isInside: boolean): string {
  if (tree.kind === 'comparison') return printComparison(tree)
  if (tree.kind === 'rows') return printRows(tree)
  const text = tree.of.map((member) => printTree(member, true)).join(tree.kind === 'all' ? '^' : '^OR')
  return isInside ? `(${text})` : text
}

const printComparison = ({ path, operator, value }: ConditionComparison): string =>
  path.length === 0 ? `123TEXTQUERY321=${markOf(value)}` : `${path.join('.')}${operator}${markOf(value)}`

function markOf(value: ConditionValue): string {
  if (value.kind === 'none') return ''
  return value.kind === 'field' ? value.path.join('.') : '?'
}

function printRows({ link, where }: RowsCondition): string {
  const other = `${link.other.table}.${link.other.column}`
  const conditions = where === null ? '' : printTree(where, true)
  if (link.kind === 'join') return `(JOIN${link.own.table}.${link.own.column}=${other}!${conditions})`
  const number = { some: '>=1', none: '=0' }[quantifierOf(link) as string] ?? `${link.comparison}?`
  return `RLQUERY${other},${number}${conditions === '' ? '' : `^${conditions}`}^ENDRLQUERY`
}
