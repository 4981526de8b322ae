import type { Face } from '../../catalog/vocabulary.ts'
import type { ConditionTree, EncodedQuery } from '../../condition/condition-tree.ts'
import { equalsText } from '../../condition/literal-checks.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import { parseRecordRequest, type ReceivedRequest } from '../../records/parse/parse-record-request.ts'
import type { RecordRequest } from '../../records/parse/record-request.ts'

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
])

/** Default number of rows per page. */
const DEFAULT_LIMIT = '10000'

/** Offset of conditions that are separate parameters. */
export const OF_PARAMETER = -1

export interface TableRequest {
  readonly request: RecordRequest
  readonly ignoredParameters: readonly string[]
  /** The response to a list contains only the total. */
  readonly isEmptyPage: boolean
}

/** A request of ServiceNow's Table API. The parser of the native API parses its parameters. */
export function parseTableRequest(sent: ReceivedRequest, face: Face): Result<TableRequest, Problem> {
  const received = withoutQueryOfOneRecord(sent)
  const { parameters } = received
  const offset = parameters.get('sysparm_offset')?.trim() ?? ''
  if (/^-\d{1,10}$/.test(offset))
    return fail({
      kind: 'bad-parameter',
      parameter: 'sysparm_offset',
      found: offset,
      expected: 'a whole number from 0',
    })
  const isEmptyPage = received.operation === 'list' && /^0+$/.test(parameters.get('sysparm_limit')?.trim() ?? '')
  const body = received.body === undefined ? {} : received.body
  const parsed = parseRecordRequest({ ...received, body, parameters: sharedParameters(parameters, isEmptyPage) })
  if (!parsed.ok) return parsed
  const others = [...parameters.keys()].filter((name) => !SHARED.has(name) && !ACCEPTED.has(name))
  const byColumn = received.operation === 'list' && !parameters.get('sysparm_query')
  const conditions = byColumn ? others.filter((name) => !name.startsWith('sysparm_')) : []
  return succeed({
    request: { ...parsed.value.request, face, query: withColumns(parsed.value.request.query, conditions, parameters) },
    ignoredParameters: [...sent.parameters.keys()].filter(
      (name) => !parameters.has(name) || (others.includes(name) && !conditions.includes(name)),
    ),
    isEmptyPage,
  })
}

/** Clients send the query of a list also when they read one record by its sys_id; instances read the record. */
function withoutQueryOfOneRecord(received: ReceivedRequest): ReceivedRequest {
  if (received.operation !== 'read') return received
  const parameters = new Map(received.parameters)
  parameters.delete('sysparm_query')
  return { ...received, parameters }
}

function sharedParameters(parameters: ReadonlyMap<string, string>, isEmptyPage: boolean): ReadonlyMap<string, string> {
  const shared = new Map([...parameters].filter(([name]) => SHARED.has(name)))
  if (isEmptyPage) shared.set('sysparm_limit', '1')
  else if (!shared.get('sysparm_limit')?.trim()) shared.set('sysparm_limit', DEFAULT_LIMIT)
  const query = shared.get('sysparm_query')
  // Query builders write carets in front of the first condition.
  if (query !== undefined) shared.set('sysparm_query', query.replace(/^\^+/, ''))
  return shared
}

/** `?number=INC0001&state=1` */
function withColumns(
  { where, orders }: EncodedQuery,
  names: readonly string[],
  parameters: ReadonlyMap<string, string>,
): EncodedQuery {
  const tests = names.map((name): ConditionTree => {
    return { ...equalsText(name.split('.'), parameters.get(name) ?? ''), position: OF_PARAMETER }
  })
  const [only, second] = tests
  if (only === undefined) return { where, orders }
  return { where: second === undefined ? only : { kind: 'all', of: tests }, orders }
}
