import type { Face } from '../../catalog/vocabulary.ts'
import type { ConditionTree, EncodedQuery } from '../../condition/condition-tree.ts'
import { equalsText } from '../../condition/literal-checks.ts'
import { LastResults } from '../../kernel/last-results.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import { OF_PARAMETER } from '../../now/read-parameter-condition.ts'
import { parseRecordRequest, type ReceivedRequest } from '../../records/parse/parse-record-request.ts'
import type { RecordRequest } from '../../records/parse/record-request.ts'
import { parseKnownParameters } from '../records/parse-known-parameters.ts'

/** Parameters with the same meaning as in the native API. */
const SHARED: ReadonlySet<string> = new Set([
  'sysparm_query',
  'sysparm_fields',
  'sysparm_view',
  'sysparm_limit',
  'sysparm_offset',
  'sysparm_display_value',
  'sysparm_exclude_reference_link',
  'sysparm_input_display_value',
  'sysparm_no_count',
  'sysparm_confirm',
])

/** Parsed elsewhere, or without effect. */
const ACCEPTED: ReadonlySet<string> = new Set([
  'sysparm_suppress_pagination_header',
  'sysparm_query_category',
  'sysparm_query_no_domain',
  'sysparm_cache',
  'sysparm_auto_generate_number',
  'sysparm_suppress_auto_sys_field',
])

/** Default number of rows per page. */
const DEFAULT_LIMIT = '10000'

export interface TableRequest {
  readonly request: RecordRequest
  readonly ignoredParameters: readonly string[]
  /** The response to a list contains only the total. */
  readonly isEmptyPage: boolean
  /** The response to a list has the addresses of other pages. */
  readonly hasLinks: boolean
}

/** A request of ServiceNow's Table API. The parser of the native API parses its parameters. */
export function parseTableRequest(sent: ReceivedRequest, face: Face): Result<TableRequest, Problem> {
  const known = parseParametersOnce(sent)
  if (!known.ok) return known
  const { shared, query, ignoredParameters, isEmptyPage, givesStamps, hasLinks } = known.value
  const body = sent.body === undefined ? {} : sent.body
  const parsed = parseRecordRequest({ ...sent, body, parameters: shared }, parseKnownParameters)
  if (!parsed.ok) return parsed
  return succeed({
    request: { ...parsed.value.request, face, query, givesStamps },
    ignoredParameters,
    isEmptyPage,
    hasLinks,
  })
}

interface TableParameters {
  /** Those of the native API. */
  readonly shared: ReadonlyMap<string, string>
  readonly query: EncodedQuery
  readonly ignoredParameters: readonly string[]
  readonly isEmptyPage: boolean
  readonly givesStamps: boolean
  readonly hasLinks: boolean
}

const parametersKnown = new LastResults<ReceivedRequest['parameters'], Result<TableParameters, Problem>>()

/** Equal query strings give the same map of parameters (http/request/known-queries.ts). */
const parseParametersOnce = (sent: ReceivedRequest): Result<TableParameters, Problem> =>
  parametersKnown.get(sent.parameters, [sent.operation], () => parseTableParameters(sent))

function parseTableParameters(sent: ReceivedRequest): Result<TableParameters, Problem> {
  const { operation } = sent
  const parameters = withoutQueryOfOneRecord(sent)
  const offset = parameters.get('sysparm_offset')?.trim() ?? ''
  if (/^-\d{1,10}$/.test(offset))
    return fail({
      kind: 'bad-parameter',
      parameter: 'sysparm_offset',
      found: offset,
      expected: 'a whole number from 0',
    })
  const isEmptyPage = operation === 'list' && /^0+$/.test(parameters.get('sysparm_limit')?.trim() ?? '')
  const shared = sharedParameters(parameters, isEmptyPage)
  const parsed = parseKnownParameters({ operation, parameters: shared })
  if (!parsed.ok) return parsed
  const others = [...parameters.keys()].filter((name) => !SHARED.has(name) && !ACCEPTED.has(name))
  // Connectors name the record whose files they read beside an order.
  const byColumn = operation === 'list' && parsed.value.wanted.query.where === null
  const conditions = byColumn ? others.filter((name) => !name.startsWith('sysparm_')) : []
  const ignoredParameters = [...sent.parameters.keys()].filter(
    (name) => !parameters.has(name) || (others.includes(name) && !conditions.includes(name)),
  )
  const query = withColumns(parsed.value.wanted.query, conditions, parameters)
  const suppressed = parameters.get('sysparm_suppress_auto_sys_field')?.trim().toLowerCase() ?? ''
  if (!/^(true|false|0|1)?$/.test(suppressed))
    return fail({
      kind: 'bad-parameter',
      parameter: 'sysparm_suppress_auto_sys_field',
      found: suppressed,
      expected: '0, 1, true or false',
    })
  const givesStamps = suppressed === 'true' || suppressed === '1'
  const hasLinks = !isEmptyPage && !/^(true|1)$/i.test(parameters.get('sysparm_suppress_pagination_header') ?? '')
  return succeed({ shared, query, ignoredParameters, isEmptyPage, givesStamps, hasLinks })
}

/** Clients send the query of a list also when they read one record by its sys_id; instances read the record. */
function withoutQueryOfOneRecord({ operation, parameters }: ReceivedRequest): ReceivedRequest['parameters'] {
  if (operation !== 'read' || !parameters.has('sysparm_query')) return parameters
  const others = new Map(parameters)
  others.delete('sysparm_query')
  return others
}

function sharedParameters(parameters: ReadonlyMap<string, string>, isEmptyPage: boolean): ReadonlyMap<string, string> {
  const shared = new Map([...parameters].filter(([name]) => SHARED.has(name)))
  if (isEmptyPage) shared.set('sysparm_limit', '1')
  else if (!shared.get('sysparm_limit')?.trim()) shared.set('sysparm_limit', DEFAULT_LIMIT)
  const query = shared.get('sysparm_query')
  // Query builders write carets in front of the first condition, and `^EQ` for none.
  if (query !== undefined) shared.set('sysparm_query', query.replace(/^\^+/, '').replace(/^EQ$/, ''))
  return shared
}

/** `?number=INC0001&state=1` */
function withColumns(
  query: EncodedQuery,
  names: readonly string[],
  parameters: ReadonlyMap<string, string>,
): EncodedQuery {
  const comparisons = names.map((name): ConditionTree => {
    const text = parameters.get(name) ?? ''
    const comparison = { ...equalsText(name.split('.'), text), position: OF_PARAMETER }
    // As in a query, where `name=` means empty.
    return text === '' ? { ...comparison, operator: 'ISEMPTY', value: { kind: 'none' } } : comparison
  })
  const [only, second] = comparisons
  if (only === undefined) return query
  return { where: second === undefined ? only : { kind: 'all', of: comparisons }, orders: query.orders }
}
