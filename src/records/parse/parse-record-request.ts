import { findUnknownParameter } from '../../catalog/find-unknown-parameter.ts'
import type { DocumentDetail } from '../../column-types/editor/editor-node.ts'
import type { EncodedQuery } from '../../condition/condition-tree.ts'
import { parseEncodedQuery } from '../../condition/parse-encoded-query.ts'
import { DEFAULT_LIMIT, MAX_PAGE, RECORD_PARAMETERS, STATS_ONLY_PARAMETERS } from '../../contract/record-parameters.ts'
import { isLongNumber } from '../../kernel/exact-json.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import { parseStats } from './parse-stats.ts'
import {
  type Display,
  type IdempotencyKey,
  isRead,
  NO_QUERY,
  type Operation,
  type Paging,
  type RecordRequest,
} from './record-request.ts'

const PARAMETERS: ReadonlySet<string> = new Set(Object.keys(RECORD_PARAMETERS))
const STATS_PARAMETERS: ReadonlySet<string> = new Set(Object.keys(STATS_ONLY_PARAMETERS))

/** A request of the Table API as received by HTTP. */
export interface ReceivedRequest {
  readonly operation: Operation
  /** The table's name in the path, decoded. */
  readonly table: string
  /** null on create, list and stats. */
  readonly sysId: string | null
  /** The query string's parameters, decoded once; for `POST …/query` the members of the body as texts. */
  readonly parameters: ReadonlyMap<string, string>
  /** The parsed JSON body of create, PUT and PATCH; undefined: no body. */
  readonly body: unknown
  /** The header `If-Match`, as sent. */
  readonly ifMatch: string | null
  /** The header `Idempotency-Key` of a create, as sent. */
  readonly idempotencyKey: string | null
}

export interface ParsedRequest {
  readonly request: RecordRequest
  /** Names of unknown parameters. */
  readonly ignoredParameters: readonly string[]
}

/** What parameters say depends on the operation and on them alone. */
export type ReceivedParameters = Pick<ReceivedRequest, 'operation' | 'parameters'>

export interface ParsedParameters {
  readonly wanted: Wanted
  readonly ignoredParameters: readonly string[]
}

export type ParseParameters = (received: ReceivedParameters) => Result<ParsedParameters, Problem>

/** Reads path, parameters and body; knows neither tables nor rights. */
export function parseRecordRequest(
  received: ReceivedRequest,
  parse: ParseParameters = parseParameters,
): Result<ParsedRequest, Problem> {
  const { operation, table, sysId } = received
  const parsed = parse(received)
  if (!parsed.ok) return parsed
  const body = parseBody(received)
  if (!body.ok) return body
  const { wanted, ignoredParameters } = parsed.value
  const request: RecordRequest = {
    ...wanted,
    operation,
    face: null,
    names: null,
    table,
    sysId,
    migrating: false,
    givesStamps: false,
    narrowedFrom: null,
    body: body.value,
    ifMatch: parseIfMatch(received.ifMatch),
    idempotency: idempotencyOf(received),
  }
  return succeed({ request, ignoredParameters })
}

export function parseParameters(received: ReceivedParameters): Result<ParsedParameters, Problem> {
  const unknown = received.operation === 'delete' ? unknownOfDelete(received) : null
  if (unknown !== null) return fail(unknown)
  const wanted = parseWanted(received)
  if (!wanted.ok) return wanted
  const ignoredParameters = [...received.parameters.keys()].filter(
    (name) => !isKnown(name, received) || isForOtherOperations(name, received),
  )
  return succeed({ wanted: wanted.value, ignoredParameters })
}

function idempotencyOf({ idempotencyKey: key, parameters, body }: ReceivedRequest): IdempotencyKey | null {
  return key === null || key === '' ? null : { key, parts: [[...parameters].sort(), body] }
}

type Wanted = Pick<
  RecordRequest,
  | 'query'
  | 'fields'
  | 'display'
  | 'inputDisplay'
  | 'links'
  | 'paging'
  | 'count'
  | 'exactCount'
  | 'documents'
  | 'rights'
  | 'maxText'
  | 'view'
  | 'confirmed'
  | 'stats'
>

function parseWanted(received: ReceivedParameters): Result<Wanted, Problem> {
  const query = parseQuery(received)
  if (!query.ok) return query
  const display = parseDisplay(received.parameters.get('sysparm_display_value'))
  if (!display.ok) return display
  const excludeLinks = parseFlag('sysparm_exclude_reference_link', received)
  if (!excludeLinks.ok) return excludeLinks
  const noCount = parseFlag('sysparm_no_count', received)
  if (!noCount.ok) return noCount
  const exactCount = parseExactCount(received)
  if (!exactCount.ok) return exactCount
  const inputDisplay = parseFlag('sysparm_input_display_value', received)
  if (!inputDisplay.ok) return inputDisplay
  const paging = parsePaging(received)
  if (!paging.ok) return paging
  const shaping = parseShaping(received)
  if (!shaping.ok) return shaping
  const { operation, parameters } = received
  const stats = operation === 'stats' ? parseStats(parameters) : succeed(null)
  if (!stats.ok) return stats
  const fields = listOf(parameters.get('sysparm_fields'))
  return succeed({
    query: query.value,
    fields: fields.length === 0 ? null : fields,
    display: display.value,
    inputDisplay: inputDisplay.value,
    links: !excludeLinks.value,
    paging: paging.value,
    count: !noCount.value,
    exactCount: exactCount.value,
    ...shaping.value,
    view: parameters.get('sysparm_view') || null,
    confirmed: new Set(listOf(parameters.get('sysparm_confirm'))),
    stats: stats.value,
  })
}

const DETAILS: Readonly<Record<string, DocumentDetail>> = { json: 'json', elements: 'elements' }

/** Parameters for user interfaces: docs/api-for-pages.md. */
function parseShaping(received: ReceivedParameters): Result<Pick<Wanted, 'documents' | 'rights' | 'maxText'>, Problem> {
  const { operation, parameters } = received
  const mode = parameters.get('sysparm_wysiwyg')?.trim() ?? ''
  const documents = mode === '' ? null : DETAILS[mode.toLowerCase()]
  if (documents === undefined) return badParameter('sysparm_wysiwyg', mode, 'json, elements, or left out')
  const rights = parseFlag('sysparm_rights', received)
  if (!rights.ok) return rights
  const isCut = operation === 'list' && isGiven('sysparm_max_text', received)
  const maxText = parseWholeNumber('sysparm_max_text', received, { min: 1, fallback: 1 })
  if (!maxText.ok) return maxText
  return succeed({
    documents,
    rights: operation === 'read' && rights.value,
    maxText: isCut ? maxText.value : null,
  })
}

/** Only lists have this parameter; aggregate requests always count all groups. */
function parseExactCount({ operation, parameters }: ReceivedParameters): Result<boolean, Problem> {
  const text = parameters.get('sysparm_count')?.trim() ?? ''
  if (operation !== 'list' || text === '') return succeed(false)
  return text.toLowerCase() === 'exact' ? succeed(true) : badParameter('sysparm_count', text, 'exact, or left out')
}

function isKnown(name: string, { operation }: ReceivedParameters): boolean {
  return PARAMETERS.has(name) || (operation === 'stats' && STATS_PARAMETERS.has(name))
}

/** A parameter of other operations has no effect, for example `sysparm_query` on a write: so it is reported to the caller. */
function isForOtherOperations(name: string, { operation, parameters }: ReceivedParameters): boolean {
  const operations = RECORD_PARAMETERS[name]?.operations
  return operations !== undefined && parameters.get(name) !== '' && !operations.includes(operation)
}

/** A delete rejects unknown `sysparm_` parameters: if a dry run is misspelt, it must not delete. */
function unknownOfDelete(received: ReceivedParameters): Problem | null {
  const unknown = [...received.parameters.keys()].filter((name) => /^sysparm_/i.test(name) && !isKnown(name, received))
  return findUnknownParameter(unknown, [...PARAMETERS])
}

function parseQuery(received: ReceivedParameters): Result<EncodedQuery, Problem> {
  const text = received.parameters.get('sysparm_query')
  // sysparm_query belongs to reads only (docs/spec/records.md, section 3); on a write it is an unknown parameter.
  return text === undefined || text === '' || !isRead(received.operation) ? succeed(NO_QUERY) : parseEncodedQuery(text)
}

function parseDisplay(text: string | undefined): Result<Display, Problem> {
  if (text?.toLowerCase() === 'all') return succeed('all')
  const flag = readFlag(text)
  return flag === null
    ? badParameter('sysparm_display_value', text ?? '', '0, 1, true, false or all')
    : succeed(flag ? 'display' : 'value')
}

function parseFlag(name: string, received: ReceivedParameters): Result<boolean, Problem> {
  const text = received.parameters.get(name)
  const flag = readFlag(text)
  return flag === null ? badParameter(name, text ?? '', '0, 1, true or false') : succeed(flag)
}

/** An empty value means "not given" (docs/spec/records.md, section 3). */
function readFlag(text: string | undefined): boolean | null {
  switch (text?.toLowerCase()) {
    case undefined:
    case '':
    case '0':
    case 'false':
      return false
    case '1':
    case 'true':
      return true
    default:
      return null
  }
}

function parsePaging(received: ReceivedParameters): Result<Paging, Problem> {
  // Aggregate requests have no default limit: a client could take the first twenty groups for all of them.
  const limit = parseWholeNumber('sysparm_limit', received, {
    min: 0,
    fallback: received.operation === 'stats' ? 0 : DEFAULT_LIMIT,
  })
  if (!limit.ok) return limit
  const page = parseWholeNumber('sysparm_page', received, { min: 1, fallback: 1 })
  if (!page.ok) return page
  const cursor = received.operation === 'stats' ? undefined : received.parameters.get('sysparm_cursor')
  // A caller who counts pages would get the page of the cursor again and again.
  if (page.value > 1 && (cursor ?? '').trim() !== '')
    return badParameter('sysparm_page', 'both', 'given without sysparm_cursor')
  const offset = parseOffset(received)
  if (!offset.ok) return offset
  return succeed({ limit: limit.value, page: page.value, offset: offset.value, cursor: cursor ?? null })
}

/** Offset, page and cursor all say where the page begins, so `sysparm_offset` excludes the other two. */
function parseOffset(received: ReceivedParameters): Result<number | null, Problem> {
  if (!isGiven('sysparm_offset', received)) return succeed(null)
  const other = ['sysparm_page', 'sysparm_cursor'].find((name) => isGiven(name, received))
  if (other === undefined) return parseWholeNumber('sysparm_offset', received, { min: 0, fallback: 0 })
  return badParameter('sysparm_offset', 'both', `given without ${other}`)
}

const isGiven = (name: string, { parameters }: ReceivedParameters): boolean =>
  (parameters.get(name)?.trim() ?? '') !== ''

function parseWholeNumber(
  name: string,
  received: ReceivedParameters,
  range: { readonly min: number; readonly fallback: number },
): Result<number, Problem> {
  const text = received.parameters.get(name)?.trim()
  if (text === undefined || text === '') return succeed(range.fallback)
  const expected = `a whole number from ${range.min} to ${MAX_PAGE}`
  if (!/^\d{1,10}$/.test(text)) return badParameter(name, text, expected)
  const number = Number(text)
  return number < range.min || number > MAX_PAGE ? badParameter(name, text, expected) : succeed(number)
}

const listOf = (text = ''): readonly string[] =>
  [...new Set(text.split(',').map((name) => name.trim()))].filter((name) => name !== '')

function parseBody(received: ReceivedRequest): Result<ReadonlyMap<string, unknown>, Problem> {
  const takesBody = received.operation === 'create' || received.operation === 'put' || received.operation === 'patch'
  if (!takesBody) return succeed(new Map())
  const { body } = received
  if (typeof body !== 'object' || body === null || Array.isArray(body) || isLongNumber(body)) {
    return fail({
      kind: 'bad-body',
      expected:
        received.operation === 'create' && Array.isArray(body)
          ? 'one JSON object of column names and values: one record per call'
          : 'a JSON object of column names and values',
      found: describeJson(body),
    })
  }
  return succeed(new Map(Object.entries(body)))
}

function describeJson(body: unknown): string {
  if (body === undefined) return 'no body'
  if (body === null) return 'null'
  if (isLongNumber(body)) return 'a number'
  return Array.isArray(body) ? `an array of ${body.length}` : `a ${typeof body}`
}

function parseIfMatch(header: string | null): readonly string[] | null {
  if (header === null || header.trim() === '*' || header.trim() === '') return null
  // A weak tag is compared like the strong one: proxies that compress responses make tags weak. The version is the part before the
  // hyphen; the representation that was read follows.
  return header.split(',').map((tag) => tag.trim().replace(/^W\//, '').replace(/^"|"$/g, '').replace(/-.*$/, ''))
}

function badParameter(parameter: string, found: string, expected: string): Result<never, Problem> {
  return fail({ kind: 'bad-parameter', parameter, found, expected })
}
