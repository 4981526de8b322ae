import { declare, type Endpoint, type EndpointResponse } from '../../http/endpoint/declare.ts'
import type { EndpointRequest } from '../../http/endpoint/endpoint-request.ts'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, succeed } from '../../kernel/result.ts'
import { NO_AGGREGATE } from '../../now/wordings.ts'
import { AGGREGATES } from '../../records/parse/record-request.ts'
import type { Row } from '../../records/record-result.ts'
import { RecordService } from '../../records/record-service.ts'
import { TABLE_PATH } from '../record-path.ts'
import { serviceCaller } from '../service-caller.ts'
import { nowError, nowErrors } from './now-errors.ts'
import { type NowStatsRequest, parseStatsRequest } from './parse-stats-request.ts'
import { NOW_ACCESS, type NowDeps, versions } from './table-endpoints.ts'
import { ignoredHeaders, resultResponse } from './table-response.ts'

/** ServiceNow's Aggregate API over the aggregates of the record service. */
export const nowStatsEndpoint: Endpoint<NowDeps> = declare({
  id: 'now-stats',
  ...versions('/stats/{table}'),
  methods: ['GET'],
  tag: 'ServiceNow',
  summary: 'Count and sum records, in groups',
  description: 'Only records that the caller may read count.',
  access: NOW_ACCESS,
  input: {},
  texts: 'described',
  receives: 'nothing',
  isNegotiated: true,
  inPath: TABLE_PATH,
  output: null,
  errorFormat: nowErrors,
  isUndescribed: true,
  errors: [400, 403],
  isGated: false,
  handle: (deps: NowDeps, _input, request) => respond(deps, request),
})

async function respond(
  { records, face }: NowDeps,
  request: EndpointRequest,
): Promise<Result<EndpointResponse, Problem>> {
  const parsed = parseStatsRequest(request.path['table'] ?? '', request.texts, face)
  if (!parsed.ok) return parsed
  if (parsed.value === null) return succeed({ whole: nowError(NO_AGGREGATE, request.id) })
  const stats = parsed.value
  const result = await new RecordService(records, serviceCaller(request)).send(stats.request)
  if (!result.ok) return result
  if (result.value.kind !== 'page') throw new Error('aggregates are a page of groups')
  const groups = result.value.records.rows().map((row) => renderGroup(row, stats))
  const isGrouped = (stats.request.stats?.groupBy.length ?? 0) > 0
  const { hasMore, limit, removedBefore } = result.value
  const orders = stats.ignoredOrders.map(({ path, position }) => ({ name: path.join('.'), position }))
  const { fields = [], conditions = [] } = result.value.ignored ?? {}
  const ignored = { fields, conditions: [...conditions, ...orders] }
  const headers = {
    ...(removedBefore == null ? {} : { 'x-history-removed-before': removedBefore }),
    ...(hasMore ? { 'x-limit-clamped': String(limit) } : {}),
    ...ignoredHeaders({ ignored, ignoresView: false }, stats),
  }
  return succeed({ whole: resultResponse(isGrouped ? groups : (groups[0] ?? { stats: {} }), { headers }) })
}

/** A group in the output of the statement: `{"group":{…},"count":n,"sum":{…}}`. */
function renderGroup(row: Row, { isCounted, request }: NowStatsRequest): object {
  const kinds = AGGREGATES.filter((kind) => row[kind] !== undefined)
  const aggregates = kinds.map((kind) => [kind, renderValues(row[kind] as Row, kind === 'avg')] as const)
  const fields = Object.entries(row['group'] as Row).map(([field, displayed]) => ({
    field,
    ...displayedAs(displayed, request.display),
  }))
  return {
    stats: { ...(isCounted ? { count: String(row['count']) } : {}), ...Object.fromEntries(aggregates) },
    ...(fields.length === 0 ? {} : { groupby_fields: fields }),
  }
}

/** The value of a field of a record, as members of a group. */
function displayedAs(displayed: unknown, display: NowStatsRequest['request']['display']): object {
  if (typeof displayed === 'object' && displayed !== null) {
    const { link: _, ...members } = displayed as Readonly<Record<string, unknown>>
    return members
  }
  return display === 'display' ? { display_value: displayed } : { value: displayed }
}

const renderValues = (values: Row, isMean: boolean): object =>
  Object.fromEntries(Object.entries(values).map(([field, displayed]) => [field, textOf(displayed, isMean)]))

function textOf(displayed: unknown, isMean: boolean): string {
  const value =
    typeof displayed === 'object' && displayed !== null && 'value' in displayed
      ? (displayed as { readonly value: unknown }).value
      : displayed
  const text = String(value ?? '')
  return isMean && /^-?\d{1,15}(\.\d+)?$/.test(text) ? Number(text).toFixed(meanDigits) : text
}

/** Decimals of a mean. */
const meanDigits = 4
