import { unreachable } from '../kernel/unreachable.ts'
import type {
  ConditionComparison,
  ConditionTree,
  ConditionValue,
  EncodedQuery,
  Operand,
  OrderTerm,
  RowsCondition,
} from './condition-tree.ts'
import { isHelper } from './dates/read-helper.ts'
import { LITERAL_MARK, operatorAt } from './operator-spellings.ts'

/**
 * Writes a query as text; nothing else writes this language: code with values builds a tree. Parsing the text gives the same query, except
 * for positions, for every query in normal form (`condition-tree.ts`) within the parser's limits; so printing a parsed query is a fixpoint.
 * Brackets are written only if the meaning needs them, orders at the end, operators in their canonical spelling.
 */
export function printEncodedQuery(query: EncodedQuery): string {
  const where = query.where === null ? [] : [printWhole(query.where)]
  return [...where, ...query.orders.map(printOrder)].join('^')
}

function printOrder(order: OrderTerm): string {
  return `${order.direction === 'ascending' ? 'ORDERBY' : 'ORDERBYDESC'}${printPath(order.path)}`
}

const printWhole = (where: ConditionTree): string =>
  where.kind === 'rows' ? printRows(where, false) : printExpression(where, false)

/** A whole bracket or a whole query: only there may `^NQ` occur. */
function printExpression(tree: ConditionTree, insideBrackets: boolean): string {
  if (tree.kind !== 'any' || tree.of.every((member) => member.kind === 'comparison' || member.kind === 'rows'))
    return printGroup(tree, insideBrackets)
  return tree.of.map((member) => printGroup(member, insideBrackets)).join('^NQ')
}

function printGroup(tree: ConditionTree, insideBrackets: boolean): string {
  if (tree.kind !== 'all') return printAlternatives(tree, insideBrackets)
  return tree.of.map((member) => printAlternatives(member, insideBrackets)).join('^')
}

function printAlternatives(tree: ConditionTree, insideBrackets: boolean): string {
  switch (tree.kind) {
    case 'any':
      return tree.of.map((member) => printPrimary(member, insideBrackets)).join('^OR')
    case 'all':
    case 'comparison':
    case 'rows':
      return printPrimary(tree, insideBrackets)
    default:
      return unreachable(tree)
  }
}

function printPrimary(tree: ConditionTree, insideBrackets: boolean): string {
  if (tree.kind === 'comparison') return printComparison(tree, insideBrackets)
  if (tree.kind !== 'rows') return `(${printExpression(tree, true)})`
  // The conditions of a JOIN extend to the end of the group, so it gets brackets of its own.
  return tree.link.kind === 'join' ? `(${printRows(tree, true)})` : printRows(tree, insideBrackets)
}

function printRows({ link, where }: RowsCondition, insideBrackets: boolean): string {
  const other = `${link.other.table}.${link.other.column}`
  if (link.kind === 'join') {
    const conditions = where === null ? '' : printGroup(where, insideBrackets)
    return `JOIN${link.own.table}.${link.own.column}=${other}!${conditions}`
  }
  const conditions = where === null ? '' : `^${printExpression(where, insideBrackets)}`
  return `RLQUERY${other},${link.comparison}${link.number}${conditions}^ENDRLQUERY`
}

function printComparison({ path, operator, value }: ConditionComparison, insideBrackets: boolean): string {
  const text = textOfValue(value)
  const printed = printValue(text, insideBrackets)
  if (path.length === 0) return `123TEXTQUERY321=${printed}`
  if (needsMark(value)) return `${printPath(path)}${operator}${LITERAL_MARK}${printed}`
  const read = operatorAt(operator + text, 0)
  // `<` before a value that begins with `=` would be parsed as `<=`, IN before STANCEOF as INSTANCEOF.
  const guard = read?.spelling === operator ? '' : '^\\'
  return `${printPath(path)}${operator}${guard}${printed}`
}

/** A value as one text, without escapes and without the mark of literals; also for error messages. */
export function textOfValue(value: ConditionValue): string {
  switch (value.kind) {
    case 'none':
      return ''
    case 'field':
      return value.path.join('.')
    case 'list':
      return textOfList(value.members)
    case 'members':
      return value.whole.text
    case 'range':
      return `${value.from.text}@${value.to.text}`
    case 'name':
      return value.name
    default:
      return value.text
  }
}

/** A list that begins with a helper, or with a comma in a member, is split by `@` only. */
function textOfList(members: readonly Operand[]): string {
  const texts = members.map(({ text }) => text)
  const [first] = members
  const splitsAtCommas = first?.kind !== 'helper' && !texts.some((text) => text.includes(','))
  return texts.join(splitsAtCommas ? ',' : '@')
}

/** Whether the text would be parsed as a helper, but is not one. */
function needsMark(value: ConditionValue): boolean {
  switch (value.kind) {
    case 'list':
    case 'members':
      return value.members.some(looksLikeHelper)
    case 'range':
      return looksLikeHelper(value.from) || looksLikeHelper(value.to)
    case 'literal':
      return looksLikeHelper(value)
    case 'malformed':
      return value.isLiteral
    default:
      return false
  }
}

const looksLikeHelper = ({ kind, text }: Operand): boolean => kind === 'literal' && isHelper(text)

/** Column names are plain; a key of metadata may be any text, and is then quoted. */
function printPath(path: readonly string[]): string {
  return path.map((name) => (PLAIN_NAME.test(name) ? name : `"${name.replaceAll('"', '""')}"`)).join('.')
}

const PLAIN_NAME = /^[a-z_][a-z0-9_]*$/

function printValue(value: string, insideBrackets: boolean): string {
  const text = value.includes('^') ? value.replaceAll('^', '^^') : value
  return insideBrackets && !hasBalancedBrackets(value) ? text.replaceAll(/[()]/g, '^\\$&') : text
}

function hasBalancedBrackets(value: string): boolean {
  let open = 0
  for (const character of value) {
    if (character === '(') open += 1
    else if (character === ')') open -= 1
    if (open < 0) return false
  }
  return open === 0
}
