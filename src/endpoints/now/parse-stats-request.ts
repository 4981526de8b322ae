import type { Face } from '../../catalog/vocabulary.ts'
import type { EncodedQuery } from '../../condition/condition-tree.ts'
import { typedOperand } from '../../condition/typed-value.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import {
  AGGREGATES,
  type Aggregate,
  type HavingComparison,
  type RecordRequest,
  type StatsRequest,
  type StatTerm,
} from '../../records/parse/record-request.ts'
import { parseTableRequest } from './parse-table-request.ts'

/** Parameters with the same meaning as in the Table API. */
const SHARED: ReadonlySet<string> = new Set([
  'sysparm_query',
  'sysparm_display_value',
  'sysparm_exclude_reference_link',
])

const OWN: ReadonlySet<string> = new Set([
  'sysparm_count',
  'sysparm_group_by',
  'sysparm_having',
  'sysparm_order_by',
  ...AGGREGATES.map((kind) => `sysparm_${kind}_fields`),
])

/** The limit of the native API. */
const MAX_GROUP_FIELDS = 10
const MAX_TERMS = 50

export interface NowStatsRequest {
  readonly request: RecordRequest
  /** `sysparm_count=true` */
  readonly isCounted: boolean
  readonly ignoredParameters: readonly string[]
  /** Orders of the query by fields that are not groups. */
  readonly ignoredOrders: EncodedQuery['orders']
}

/**
 * A request of ServiceNow's Aggregate API:
 *
 *   sysparm_count=true   sysparm_sum_fields=a,b   sysparm_avg_fields   sysparm_min_fields   sysparm_max_fields
 *   sysparm_group_by=state,assigned_to.company
 *   sysparm_having=count^state^>^3,avg^reassignment_count^<=^2
 *   sysparm_order_by=COUNT^DESC,AVG^reassignment_count,state^DESC
 *
 * @returns null: no aggregate is requested
 */
export function parseStatsRequest(
  table: string,
  parameters: ReadonlyMap<string, string>,
  face: Face,
): Result<NowStatsRequest | null, Problem> {
  const isRead = (name: string): boolean => SHARED.has(name) || !name.startsWith('sysparm_')
  const shared = new Map([...parameters].filter(([name]) => isRead(name)))
  const received = { operation: 'list', table, sysId: null, ifMatch: null, idempotencyKey: null } as const
  const parsed = parseTableRequest({ ...received, parameters: shared, body: undefined }, face)
  if (!parsed.ok) return parsed
  const stats = readStats(parameters)
  if (!stats.ok) return stats
  const isCounted = readFlag(parameters)
  if (!isCounted.ok) return isCounted
  if (!isCounted.value && stats.value.displayed.length === 0) return succeed(null)
  const { request } = parsed.value
  const { groupBy } = stats.value
  const isOfGroup = ({ path }: EncodedQuery['orders'][number]) =>
    groupBy.some(({ path: group }) => group === path.join('.'))
  const ofQuery = request.query.orders
    .filter(isOfGroup)
    .map(({ path, direction }) => ({ term: { kind: 'group', path: path.join('.') } as const, direction }))
  return succeed({
    request: {
      ...request,
      operation: 'stats',
      query: { ...request.query, orders: [] },
      fields: null,
      paging: { limit: 0, page: 1, offset: null, cursor: null },
      stats: { ...stats.value, orders: [...stats.value.orders, ...ofQuery] },
    },
    isCounted: isCounted.value,
    ignoredParameters: [
      ...[...parameters.keys()].filter((name) => !isRead(name) && !OWN.has(name)),
      ...parsed.value.ignoredParameters,
    ],
    ignoredOrders: request.query.orders.filter((order) => !isOfGroup(order)),
  })
}

function readFlag(parameters: ReadonlyMap<string, string>): Result<boolean, Problem> {
  const text = (parameters.get('sysparm_count') ?? '').trim().toLowerCase()
  if (text === 'true' || text === '1') return succeed(true)
  if (text === '' || text === 'false' || text === '0') return succeed(false)
  return wrong('sysparm_count', text, '0, 1, true or false')
}

function readStats(parameters: ReadonlyMap<string, string>): Result<StatsRequest, Problem> {
  const list = (name: string): readonly string[] =>
    [...new Set((parameters.get(name) ?? '').split(',').map((part) => part.trim()))].filter((part) => part !== '')
  const groups = list('sysparm_group_by')
  if (groups.length > MAX_GROUP_FIELDS)
    return wrong('sysparm_group_by', `${groups.length} fields`, `at most ${MAX_GROUP_FIELDS} fields`)
  const displayed = AGGREGATES.flatMap((kind) => list(`sysparm_${kind}_fields`).map((path) => ({ kind, path })))
  const having = list('sysparm_having')
  const orders = list('sysparm_order_by')
  if (Math.max(displayed.length, having.length, orders.length) > MAX_TERMS)
    return wrong('sysparm_sum_fields', 'more', `at most ${MAX_TERMS} fields of sum, avg, min, max`)
  const comparisons = readEach(having, readHaving)
  if (!comparisons.ok) return comparisons
  const read = readEach(orders, readOrder)
  if (!read.ok) return read
  return succeed({
    groupBy: groups.map((path) => ({ key: path, path, unit: null })),
    displayed,
    having: comparisons.value,
    orders: read.value,
  })
}

function readEach<T>(
  texts: readonly string[],
  read: (text: string) => Result<T, Problem>,
): Result<readonly T[], Problem> {
  const all: T[] = []
  for (const text of texts) {
    const one = read(text)
    if (!one.ok) return one
    all.push(one.value)
  }
  return succeed(all)
}

const OPERATORS: ReadonlySet<string> = new Set(['=', '!=', '<', '<=', '>', '>='])

/** `count^state^>^3`: the field of a count is ignored. */
function readHaving(text: string): Result<HavingComparison, Problem> {
  const [name = '', path = '', operator = '', ...value] = text.split('^').map((part) => part.trim())
  const term = termOf(name, path)
  if (term === null || !OPERATORS.has(operator) || value.length === 0)
    return wrong('sysparm_having', text, 'aggregate^field^operator^value, such as count^state^>^3')
  return succeed({ term, operator: operator as HavingComparison['operator'], value: typedOperand(value.join('^')) })
}

/** `COUNT^DESC`, `AVG^priority^DESC`, `state` */
function readOrder(text: string): Result<StatsRequest['orders'][number], Problem> {
  const parts = text.split('^').map((part) => part.trim())
  const last = parts.at(-1)?.toUpperCase() ?? ''
  const isDirected = parts.length > 1 && (last === 'DESC' || last === 'ASC')
  const [name = '', path, ...more] = isDirected ? parts.slice(0, -1) : parts
  const term = path === undefined ? (termOf(name, '') ?? ({ kind: 'group', path: name } as const)) : termOf(name, path)
  if (term === null || name === '' || more.length > 0)
    return wrong(
      'sysparm_order_by',
      text,
      'a field or aggregate^field, then ^DESC or nothing, such as AVG^priority^DESC',
    )
  return succeed({ term, direction: isDirected && last === 'DESC' ? 'descending' : 'ascending' })
}

/** null: the aggregate does not exist, or its field is missing. */
function termOf(name: string, path: string): StatTerm | null {
  const kind = name.toLowerCase()
  if (kind === 'count') return { kind: 'count' }
  const aggregate = AGGREGATES.find((each): each is Aggregate => each === kind)
  return aggregate === undefined || path === '' ? null : { kind: aggregate, path }
}

const wrong = (parameter: string, found: string, expected: string): Result<never, Problem> =>
  fail({ kind: 'bad-parameter', parameter, found, expected })
