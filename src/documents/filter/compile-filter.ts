import type { ConditionComparison, ConditionTree, Operand } from '../../condition/condition-tree.ts'
import { type Operator, TEXT_OPERATORS } from '../../condition/operators.ts'
import { textOfValue } from '../../condition/print-encoded-query.ts'
import type { ProblemOf } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import { type Sql, sql } from '../../kernel/sql.ts'
import { unreachable } from '../../kernel/unreachable.ts'
import { type FilterMember, foldText, timeOf } from './filter-values.ts'

type BadQuery = ProblemOf<'bad-query'>
type Condition = Sql<boolean>

/**
 * Operators of a metadata filter (docs/spec/documents.md, section 5), with their negations. The other operators need
 * the columns of a table.
 */
const FILTER_OPERATORS = [
  '=',
  '!=',
  'IN',
  'NOT IN',
  'LIKE',
  'NOT LIKE',
  'STARTSWITH',
  'NOTSTARTSWITH',
  'ENDSWITH',
  '<',
  '>',
  '<=',
  '>=',
  'BETWEEN',
  'ISEMPTY',
  'ISNOTEMPTY',
  'HAS',
  'HASNOT',
] as const satisfies readonly Operator[]
type FilterOperator = (typeof FILTER_OPERATORS)[number]

function isFilterOperator(operator: Operator): operator is FilterOperator {
  return (FILTER_OPERATORS as readonly Operator[]).includes(operator)
}

/**
 * Compiles a filter to a condition on a document's `filter_values`.
 *
 * A value is compared by the type of the stored value: a number numerically, a boolean as true or false, a time as a
 * time, any other text case-insensitively. A list matches if one of its members matches. A negation holds for every
 * document for which the plain operator does not hold, so also for documents without the key.
 *
 * @param values the column, with the alias of its table
 * @param compute computes the texts of an operand
 */
export function compileFilter(
  tree: ConditionTree,
  values: Sql<unknown>,
  compute: ComputeValue,
): Result<Condition, BadQuery> {
  if (tree.kind === 'comparison') return compileComparison(tree, values, compute)
  // The filter grammar rejects it.
  if (tree.kind === 'rows') throw new Error('a filter of documents asks for rows of a table')
  const members: Condition[] = []
  for (const member of tree.of) {
    const compiled = compileFilter(member, values, compute)
    if (!compiled.ok) return compiled
    members.push(compiled.value)
  }
  return succeed(joined(members, tree.kind === 'all' ? sql` and ` : sql` or `))
}

function joined(conditions: readonly Condition[], by: Sql<unknown>): Condition {
  return conditions.length === 0 ? sql<boolean>`false` : sql<boolean>`(${sql.join(conditions, by)})`
}

/** Computes the texts of an operand: a helper gives one or several. */
type ComputeValue = (operand: Operand) => Result<readonly string[], string>

function compileComparison(
  comparison: ConditionComparison,
  values: Sql<unknown>,
  compute: ComputeValue,
): Result<Condition, BadQuery> {
  const { operator, position } = comparison
  if (!isFilterOperator(operator)) {
    const detail = `${operator} cannot be used on metadata. It may be ${FILTER_OPERATORS.join(', ')}`
    return fail({ kind: 'bad-query', detail, position, field: comparison.path.join('.') })
  }
  const members = membersOf(comparison, compute)
  if (!members.ok) return fail({ kind: 'bad-query', detail: members.error, position, field: comparison.path.join('.') })
  return compileOperator(operator, { ...comparison, members: members.value }, values)
}

/** A comparison with computed values: `members` for equality operators. */
interface ComputedComparison extends ConditionComparison {
  readonly members: readonly string[]
}

const ORDERS: ReadonlySet<Operator> = new Set(['<', '>', '<=', '>='])

function membersOf({ operator, value }: ConditionComparison, compute: ComputeValue): Result<readonly string[], string> {
  switch (value.kind) {
    case 'literal':
    case 'helper': {
      // Text operators compare with the text itself, not with the result of a helper.
      if (TEXT_OPERATORS.has(operator)) return succeed([value.text])
      const computed = compute(value)
      if (!computed.ok || !ORDERS.has(operator) || computed.value.length === 1) return computed
      return fail(`${value.text} stands for several values, which have no order`)
    }
    case 'members':
      return compute(value.whole)
    case 'list':
      return computeAll(value.members, compute)
    case 'range': {
      const computed = computeAll([value.from, value.to], compute)
      if (!computed.ok || computed.value.length === 2) return computed
      return fail(`${textOfValue(value)} does not stand for two ends`)
    }
    case 'malformed':
      return fail(value.detail)
    default:
      return succeed([])
  }
}

function computeAll(operands: readonly Operand[], compute: ComputeValue): Result<readonly string[], string> {
  const members: string[] = []
  for (const operand of operands) {
    const computed = compute(operand)
    if (!computed.ok) return computed
    members.push(...computed.value)
  }
  return succeed(members)
}

function compileOperator(
  operator: FilterOperator,
  comparison: ComputedComparison,
  values: Sql<unknown>,
): Result<Condition, BadQuery> {
  const key = comparison.path.join('.')
  const { members } = comparison
  const [value = ''] = members
  switch (operator) {
    case '=':
    case 'HAS':
      return succeed(isSome(key, members, values))
    case '!=':
    case 'HASNOT':
      return succeed(not(isSome(key, members, values)))
    case 'IN':
      return succeed(isSome(key, members, values))
    case 'NOT IN':
      return succeed(not(isSome(key, members, values)))
    case 'LIKE':
      return succeed(someText(key, values, (text) => sql`strpos(${text}, ${foldText(value)}) > 0`))
    case 'NOT LIKE':
      return succeed(not(someText(key, values, (text) => sql`strpos(${text}, ${foldText(value)}) > 0`)))
    case 'STARTSWITH':
      return succeed(someText(key, values, (text) => sql`starts_with(${text}, ${foldText(value)})`))
    case 'NOTSTARTSWITH':
      return succeed(not(someText(key, values, (text) => sql`starts_with(${text}, ${foldText(value)})`)))
    case 'ENDSWITH':
      return succeed(someText(key, values, (text) => endsWith(text, foldText(value))))
    case '<':
    case '>':
    case '<=':
    case '>=':
      return succeed(someMember(key, values, (member) => compares(member, operator, value)))
    case 'BETWEEN':
      return succeed(between(key, members, values))
    case 'ISEMPTY':
      return succeed(sql<boolean>`(not jsonb_exists(${values}, ${key}))`)
    case 'ISNOTEMPTY':
      return succeed(sql<boolean>`jsonb_exists(${values}, ${key})`)
    default:
      return unreachable(operator)
  }
}

function not(condition: Condition): Condition {
  return sql<boolean>`(not ${condition})`
}

// ── equality: containment, served by the index on filter_values ──

function equals(key: string, value: string, values: Sql<unknown>): Condition {
  return joined(
    equalMembers(value).map((member) => sql<boolean>`${values} @> ${JSON.stringify({ [key]: [member] })}::jsonb`),
    sql` or `,
  )
}

function isSome(key: string, members: readonly string[], values: Sql<unknown>): Condition {
  return joined(
    members.map((member) => equals(key, member, values)),
    sql` or `,
  )
}

/** All stored values that are equal to this text. */
function equalMembers(value: string): readonly (FilterMember | { readonly t: number })[] {
  const number = numberOf(value)
  const parsed = parseBoolean(value)
  const time = timeOf(value)
  return [
    foldText(value),
    ...(number === undefined ? [] : [number]),
    ...(parsed === undefined ? [] : [parsed]),
    ...(time === undefined ? [] : [{ t: time }]),
  ]
}

/** Number syntax of JSON; other texts never equal a stored number. */
export function numberOf(value: string): number | undefined {
  const number = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(value) ? Number(value) : Number.NaN
  return Number.isFinite(number) ? number : undefined
}

const truths: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])

export function parseBoolean(value: string): boolean | undefined {
  return truths.get(value.toLowerCase())
}

// ── other operators: a comparison with each member ──

function someMember(key: string, values: Sql<unknown>, holds: (member: Sql<unknown>) => Condition): Condition {
  return sql<boolean>`exists (select from jsonb_array_elements(${values} -> ${key}) as m (member) where ${holds(sql`m.member`)})`
}

function someText(key: string, values: Sql<unknown>, holds: (text: Sql<unknown>) => Sql<unknown>): Condition {
  return someMember(key, values, (member) => sql<boolean>`${holds(textOf(member))}`)
}

/** null for numbers and booleans: no text operator holds for them. */
function textOf(member: Sql<unknown>): Sql<unknown> {
  return sql`(case jsonb_typeof(${member}) when 'string' then ${member} #>> '{}' when 'object' then ${member} ->> 's' end)`
}

function endsWith(text: Sql<unknown>, end: string): Sql<unknown> {
  return sql`right(${text}, length(${end})) = ${end}`
}

type Comparison = '<' | '>' | '<=' | '>='
const comparisons: Readonly<Record<Comparison, Sql<unknown>>> = {
  '<': sql`<`,
  '>': sql`>`,
  '<=': sql`<=`,
  '>=': sql`>=`,
}

/**
 * A `case`: PostgreSQL may evaluate the operands of an `and` in any order, and a cast of a text to a number would abort
 * the query.
 */
function compares(member: Sql<unknown>, comparison: Comparison, value: string): Condition {
  const operator = comparisons[comparison]
  const number = numberOf(value)
  const time = timeOf(value)
  const text = sql`${textOf(member)} collate "C" ${operator} ${foldText(value)}`
  return sql<boolean>`case jsonb_typeof(${member})
    when 'number' then ${number === undefined ? sql`false` : sql`(${member})::numeric ${operator} ${String(number)}::numeric`}
    when 'object' then ${time === undefined ? text : sql`(${member} ->> 't')::numeric ${operator} ${String(time)}::numeric`}
    when 'string' then ${text}
    else false end`
}

function between(key: string, [from = '', to = '']: readonly string[], values: Sql<unknown>): Condition {
  return someMember(
    key,
    values,
    (member) => sql<boolean>`(${compares(member, '>=', from)} and ${compares(member, '<=', to)})`,
  )
}
