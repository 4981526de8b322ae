import { isCaseless } from './caseless.ts'
import type {
  ConditionComparison,
  ConditionTree,
  ConditionValue,
  CountComparison,
  EncodedQuery,
  Operand,
  RowsCondition,
  RowsLink,
} from './condition-tree.ts'
import type { DatePart, PartComparison } from './dates/read-date-part.ts'
import type { Helper } from './dates/read-helper.ts'
import type { Operator } from './operators.ts'

/**
 * A comparison without its value: everything that a statement may depend on. Both plans and their keys are made from shapes, so two
 * requests with the same key have the same statement.
 */
export interface ComparisonShape {
  readonly path: readonly string[]
  readonly operator: Operator
  readonly value: ValueShape
  /** For error messages only; not part of the key. */
  readonly position: number
}

/** The part of a value that the statement may depend on. */
export type ValueShape =
  | { readonly kind: 'none' | 'date-span' | 'relative-date' | 'class' | 'words' | 'malformed' }
  | { readonly kind: 'field'; readonly path: readonly string[] }
  /** `isCaseless`: the value has no upper or lower case, so it is compared without case folding. */
  | { readonly kind: 'one' | 'list'; readonly operand: OperandShape; readonly isCaseless: boolean }
  | { readonly kind: 'range'; readonly from: OperandShape; readonly to: OperandShape }
  | { readonly kind: 'date-part'; readonly part: DatePart; readonly operator: PartComparison }
  | { readonly kind: 'dynamic'; readonly name: string }

/** A helper may give one value or several. `null`: the word NULL after `=` or `!=`. */
export type OperandShape = 'literal' | 'null' | Helper['kind'] | 'unknown-helper'

export function shapeOf({ path, operator, value, position }: ConditionComparison): ComparisonShape {
  return { path, operator, value: shapeOfValue(value, operator), position }
}

function shapeOfValue(value: ConditionValue, operator: Operator): ValueShape {
  switch (value.kind) {
    case 'literal':
    case 'helper':
      return {
        kind: 'one',
        operand: isNullWord(value, operator) ? 'null' : shapeOfOperand(value),
        isCaseless: EQUALITIES.has(operator) && isCaseless(value.text),
      }
    case 'members':
      return { kind: 'one', operand: shapeOfOperand(value.whole), isCaseless: false }
    // The members of a list are one parameter, for any number and type of members.
    case 'list':
      return {
        kind: 'list',
        operand: shapeOfMembers(value.members),
        isCaseless: value.members.every(({ text }) => isCaseless(text)),
      }
    case 'range':
      return { kind: 'range', from: shapeOfOperand(value.from), to: shapeOfOperand(value.to) }
    case 'date-part':
      return { kind: 'date-part', part: value.comparison.part, operator: value.comparison.operator }
    case 'name':
      return operator === 'INSTANCEOF' ? { kind: 'class' } : { kind: 'dynamic', name: value.name }
    case 'field':
      return { kind: 'field', path: value.path }
    default:
      return { kind: value.kind }
  }
}

const EQUALITIES: ReadonlySet<Operator> = new Set(['=', '!='])

/** For a reference, a date or a number it means that the field is empty (docs/operators.md); for a text it is this text. */
const isNullWord = (operand: Operand | ConditionValue, operator: Operator): boolean =>
  operand.kind === 'literal' && operand.text === 'NULL' && EQUALITIES.has(operator)

const shapeOfMembers = ([only, ...others]: readonly Operand[]): OperandShape =>
  only === undefined || others.length > 0 ? 'literal' : shapeOfOperand(only)

function shapeOfOperand(operand: Operand): OperandShape {
  if (operand.kind === 'literal') return 'literal'
  return operand.call.ok ? operand.call.value.kind : 'unknown-helper'
}

/** A query without its values: queries of one shape use one statement with other parameters. */
export interface QueryShape {
  /** Two queries have the same key if and only if the shapes of all comparisons, and the orders, are equal. A key of a cache. */
  readonly key: string
  /** The comparisons in reading order: the sources of the statement's parameters. */
  readonly comparisons: readonly ConditionComparison[]
  /** The numbers with which counts of rows of other tables are compared, in reading order. */
  readonly counts: readonly number[]
}

/** Which counts of rows meet a condition on another table. `some`, `none`: no counting is needed. */
export type RowsQuantifier = 'some' | 'none' | CountComparison

export function quantifierOf(link: RowsLink): RowsQuantifier {
  if (link.kind === 'join') return 'some'
  return QUANTIFIERS[`${link.comparison}${link.number}`] ?? link.comparison
}

const QUANTIFIERS: Readonly<Record<string, RowsQuantifier>> = {
  '>0': 'some',
  '>=1': 'some',
  '!=0': 'some',
  '=0': 'none',
  '<1': 'none',
  '<=0': 'none',
}

/** Runs on every request, before anything else is known about the query: one pass, one text. */
export function shapeOfQuery(query: EncodedQuery): QueryShape {
  const values: Values = { comparisons: [], counts: [] }
  let key = query.where === null ? '' : keyOfTree(query.where, values)
  for (const { path, direction } of query.orders) key += `${direction === 'ascending' ? '+' : '-'}${path.join('.')}`
  return { key, ...values }
}

interface Values {
  readonly comparisons: ConditionComparison[]
  readonly counts: number[]
}

function keyOfTree(tree: ConditionTree, values: Values): string {
  if (tree.kind === 'rows') return keyOfRows(tree, values)
  if (tree.kind === 'comparison') {
    values.comparisons.push(tree)
    return keyOf(shapeOf(tree))
  }
  let key = tree.kind === 'all' ? '(&' : '(|'
  for (const member of tree.of) key += keyOfTree(member, values)
  return `${key})`
}

function keyOfRows({ link, where }: RowsCondition, values: Values): string {
  const quantifier = quantifierOf(link)
  values.counts.push(link.kind === 'count' ? link.number : 1)
  const own = link.kind === 'join' ? `${link.own.table}.${link.own.column}=` : ''
  const conditions = where === null ? '' : keyOfTree(where, values)
  return `(${link.kind} ${own}${link.other.table}.${link.other.column} ${quantifier} ${conditions})`
}

const keyOf = ({ path, operator, value }: ComparisonShape): string =>
  `${path.join('.')} ${operator}:${value.kind}${markOf(value)};`

/** Free text has its length before it, so that two keys are equal only if all their parts are. */
function markOf(value: ValueShape): string {
  switch (value.kind) {
    case 'field':
      return ` ${value.path.join('.')}`
    case 'one':
    case 'list':
      return ` ${value.operand}${value.isCaseless ? ' 1' : ''}`
    case 'range':
      return ` ${value.from} ${value.to}`
    case 'date-part':
      return ` ${value.part} ${value.operator}`
    case 'dynamic':
      return ` ${value.name.length} ${value.name}`
    default:
      return ''
  }
}
