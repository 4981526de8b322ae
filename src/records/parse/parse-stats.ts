import { typedOperand } from '../../condition/typed-value.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import { parseGroupField } from './parse-group-field.ts'
import { AGGREGATES, type HavingComparison, type StatsRequest, type StatTerm } from './record-request.ts'

/** Limits, because each group field and each aggregate is computed for every row. */
export const MAX_GROUP_FIELDS = 10
export const MAX_AGGREGATES = 50
export const MAX_HAVING = 20

/**
 * The parameters of an aggregate request (docs/spec/records.md, section 9; the names are those of ServiceNow's clients, the grammar of
 * `having` and `order_by` is ours):
 *
 *   sysparm_group_by=state,assigned_user.company   sysparm_group_by=opened_at:week
 *   sysparm_sum_fields=price   sysparm_avg_fields   sysparm_min_fields   sysparm_max_fields
 *   sysparm_having=count>10^sum(price)<=100
 *   sysparm_order_by=-count,state
 */
export function parseStats(parameters: ReadonlyMap<string, string>): Result<StatsRequest, Problem> {
  const list = (name: string): readonly string[] =>
    [...new Set((parameters.get(name) ?? '').split(',').map((part) => part.trim()))].filter((part) => part !== '')

  const groupNames = list('sysparm_group_by')
  if (groupNames.length > MAX_GROUP_FIELDS) {
    return wrong('sysparm_group_by', `${groupNames.length} fields`, `at most ${MAX_GROUP_FIELDS} fields`)
  }
  const groupBy = parseEach(groupNames, parseGroupField)
  if (!groupBy.ok) return groupBy
  const displayed = AGGREGATES.flatMap((of) =>
    list(`sysparm_${of}_fields`).map((path) => ({ kind: of, path }) as const),
  )
  if (displayed.length > MAX_AGGREGATES) {
    return wrong(
      'sysparm_sum_fields',
      `${displayed.length} fields`,
      `at most ${MAX_AGGREGATES} fields of sum, avg, min, max`,
    )
  }
  const having = parseHaving(parameters.get('sysparm_having') ?? '')
  if (!having.ok) return having
  const orders = list('sysparm_order_by').map((text) => ({
    term: parseTerm(text.replace(/^-/, '')),
    direction: text.startsWith('-') ? ('descending' as const) : ('ascending' as const),
  }))
  if (orders.length > MAX_AGGREGATES)
    return wrong('sysparm_order_by', `${orders.length} terms`, `at most ${MAX_AGGREGATES}`)
  return succeed({ groupBy: groupBy.value, displayed, having: having.value, orders })
}

function parseEach<T>(
  texts: readonly string[],
  parse: (text: string) => Result<T, Problem>,
): Result<readonly T[], Problem> {
  const parsed: T[] = []
  for (const text of texts) {
    const one = parse(text)
    if (!one.ok) return one
    parsed.push(one.value)
  }
  return succeed(parsed)
}

const HAVING = /^\s*(count|(?:sum|avg|min|max)\([^()^]+\))\s*(<=|>=|!=|=|<|>)([^^]*)$/

function parseHaving(text: string): Result<readonly HavingComparison[], Problem> {
  const comparisons: HavingComparison[] = []
  for (const part of text.trim() === '' ? [] : text.split('^')) {
    const found = HAVING.exec(part)
    if (found === null || comparisons.length >= MAX_HAVING) {
      return wrong(
        'sysparm_having',
        part,
        'count, sum(field), avg(field), min(field) or max(field), a comparison and a value, such as count>10',
      )
    }
    const [, term = '', operator = '', value = ''] = found
    comparisons.push({
      term: parseTerm(term),
      operator: operator as HavingComparison['operator'],
      value: typedOperand(value.trim()),
    })
  }
  return succeed(comparisons)
}

/** `count`, `sum(price)`, or the name of a group field. */
function parseTerm(text: string): StatTerm {
  if (text === 'count') return { kind: 'count' }
  const [, kind, path] = /^(sum|avg|min|max)\(([^()]+)\)$/.exec(text) ?? []
  const of = AGGREGATES.find((each) => each === kind)
  return of === undefined || path === undefined ? { kind: 'group', path: text } : { kind: of, path: path.trim() }
}

function wrong(parameter: string, found: string, expected: string): Result<never, Problem> {
  return fail({ kind: 'bad-parameter', parameter, found, expected })
}
