import { findUnknownParameter } from '../../catalog/find-unknown-parameter.ts'
import type { EncodedQuery } from '../../condition/condition-tree.ts'
import { parseEncodedQuery } from '../../condition/parse-encoded-query.ts'
import { RECORD_PARAMETERS, STATS_ONLY_PARAMETERS } from '../../contract/record-parameters.ts'
import { isLongNumber } from '../../kernel/exact-json.ts'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, refuse, succeed } from '../../kernel/result.ts'
import { type Asked, isRead } from '../asked.ts'
import { parseStats } from './parse-stats.ts'
import type { Display, Paging, RecordRequest, RequestOptions } from './record-request.ts'

const PARAMETERS: ReadonlySet<string> = new Set(Object.keys(RECORD_PARAMETERS))
const STATS_PARAMETERS: ReadonlySet<string> = new Set(Object.keys(STATS_ONLY_PARAMETERS))

/** More fields than any table has columns; each is at least one expression of the statement. */
const MAX_FIELDS = 500
/** Pages beyond this are past every table that fits a disk, and the offset must stay within PostgreSQL's bigint. */
const MAX_PAGE = 1_000_000_000
const DEFAULT_LIMIT = 20
const NO_QUERY: EncodedQuery = { where: null, orders: [] }

/** Reads path, parameters and body; knows neither tables nor rights. */
export function parseRecordRequest(asked: Asked): Result<RecordRequest, Problem> {
  const unknown = asked.operation === 'delete' ? unknownOfDelete(asked) : null
  if (unknown !== null) return refuse(unknown)
  const wanted = asked.options === undefined ? parseParameters(asked) : wantedBy(asked.options)
  if (!wanted.ok) return wanted
  const body = parseBody(asked)
  if (!body.ok) return body
  const stats = asked.operation === 'stats' ? parseStats(asked.parameters) : succeed(null)
  if (!stats.ok) return stats

  return succeed({
    ...wanted.value,
    operation: asked.operation,
    table: asked.table,
    sysId: asked.sysId,
    view: asked.parameters.get('sysparm_view') || null,
    migrating: asked.migrating === true,
    body: body.value,
    ifMatch: parseIfMatch(asked.ifMatch),
    confirmed: new Set(listOf(asked.parameters.get('sysparm_confirm'))),
    ignoredParameters: [...asked.parameters.keys()].filter((name) => !isKnown(name, asked)),
    stats: stats.value,
  })
}

type Wanted = Pick<RecordRequest, 'query' | 'fields' | 'display' | 'inputDisplay' | 'links' | 'paging' | 'count'>

function parseParameters(asked: Asked): Result<Wanted, Problem> {
  const query = parseQuery(asked)
  if (!query.ok) return query
  const display = parseDisplay(asked.parameters.get('sysparm_display_value'))
  if (!display.ok) return display
  const excludeLinks = parseFlag('sysparm_exclude_reference_link', asked)
  if (!excludeLinks.ok) return excludeLinks
  const noCount = parseFlag('sysparm_no_count', asked)
  if (!noCount.ok) return noCount
  const inputDisplay = parseFlag('sysparm_input_display_value', asked)
  if (!inputDisplay.ok) return inputDisplay
  const paging = parsePaging(asked)
  if (!paging.ok) return paging
  const fields = checkFields(listOf(asked.parameters.get('sysparm_fields')))
  if (!fields.ok) return fields
  return succeed({
    query: query.value,
    fields: fields.value,
    display: display.value,
    inputDisplay: inputDisplay.value,
    links: !excludeLinks.value,
    paging: paging.value,
    count: !noCount.value,
  })
}

function wantedBy(options: RequestOptions): Result<Wanted, Problem> {
  const fields = checkFields([...new Set(options.fields ?? [])])
  if (!fields.ok) return fields
  return succeed({
    query: options.query ?? NO_QUERY,
    fields: fields.value,
    display: options.display ?? 'value',
    inputDisplay: options.inputDisplay ?? false,
    links: false,
    paging: { limit: options.limit ?? DEFAULT_LIMIT, page: 1, offset: null, cursor: options.cursor ?? null },
    count: false,
  })
}

function isKnown(name: string, { operation }: Asked): boolean {
  return PARAMETERS.has(name) || (operation === 'stats' && STATS_PARAMETERS.has(name))
}

/** A parameter of a delete is never ignored: a misspelt dry run would delete. */
function unknownOfDelete(asked: Asked): Problem | null {
  const unknown = [...asked.parameters.keys()].filter((name) => /^sysparm_/i.test(name) && !isKnown(name, asked))
  return findUnknownParameter(unknown, [...PARAMETERS])
}

function parseQuery(asked: Asked): Result<EncodedQuery, Problem> {
  const text = asked.parameters.get('sysparm_query')
  // The contract gives sysparm_query to reads only; on a write it is a parameter like any unknown one.
  return text === undefined || text === '' || !isRead(asked.operation) ? succeed(NO_QUERY) : parseEncodedQuery(text)
}

function parseDisplay(text: string | undefined): Result<Display, Problem> {
  if (text?.toLowerCase() === 'all') return succeed('all')
  const flag = readFlag(text)
  return flag === null
    ? badParameter('sysparm_display_value', text ?? '', '0, 1, true, false or all')
    : succeed(flag ? 'display' : 'value')
}

function parseFlag(name: string, asked: Asked): Result<boolean, Problem> {
  const text = asked.parameters.get(name)
  const flag = readFlag(text)
  return flag === null ? badParameter(name, text ?? '', '0, 1, true or false') : succeed(flag)
}

/** An empty value means "not given" (record spec, section 3). */
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

function parsePaging(asked: Asked): Result<Paging, Problem> {
  // A report of the first twenty groups would be taken for the whole.
  const limit = parseWholeNumber('sysparm_limit', asked, {
    least: 0,
    otherwise: asked.operation === 'stats' ? 0 : DEFAULT_LIMIT,
  })
  if (!limit.ok) return limit
  const page = parseWholeNumber('sysparm_page', asked, { least: 1, otherwise: 1 })
  if (!page.ok) return page
  const cursor = asked.operation === 'stats' ? undefined : asked.parameters.get('sysparm_cursor')
  const offset = parseOffset(asked)
  if (!offset.ok) return offset
  return succeed({ limit: limit.value, page: page.value, offset: offset.value, cursor: cursor ?? null })
}

/** Rows to skip, a page, and a cursor are answers to one question: two of them would contradict each other. */
function parseOffset(asked: Asked): Result<number | null, Problem> {
  if (!isGiven('sysparm_offset', asked)) return succeed(null)
  const other = ['sysparm_page', 'sysparm_cursor'].find((name) => isGiven(name, asked))
  if (other === undefined) return parseWholeNumber('sysparm_offset', asked, { least: 0, otherwise: 0 })
  return badParameter('sysparm_offset', 'both', `given without ${other}`)
}

const isGiven = (name: string, { parameters }: Asked): boolean => (parameters.get(name)?.trim() ?? '') !== ''

function parseWholeNumber(
  name: string,
  asked: Asked,
  range: { readonly least: number; readonly otherwise: number },
): Result<number, Problem> {
  const text = asked.parameters.get(name)?.trim()
  if (text === undefined || text === '') return succeed(range.otherwise)
  const expected = `a whole number from ${range.least} to ${MAX_PAGE}`
  if (!/^\d{1,10}$/.test(text)) return badParameter(name, text, expected)
  const number = Number(text)
  return number < range.least || number > MAX_PAGE ? badParameter(name, text, expected) : succeed(number)
}

function checkFields(names: readonly string[]): Result<readonly string[] | null, Problem> {
  if (names.length > MAX_FIELDS) {
    return badParameter('sysparm_fields', `${names.length} fields`, `at most ${MAX_FIELDS} fields`)
  }
  return succeed(names.length === 0 ? null : names)
}

const listOf = (text = ''): readonly string[] =>
  [...new Set(text.split(',').map((name) => name.trim()))].filter((name) => name !== '')

function parseBody(asked: Asked): Result<ReadonlyMap<string, unknown>, Problem> {
  const takesBody = asked.operation === 'create' || asked.operation === 'put' || asked.operation === 'patch'
  if (!takesBody) return succeed(new Map())
  const { body } = asked
  if (typeof body !== 'object' || body === null || Array.isArray(body) || isLongNumber(body)) {
    return refuse({
      kind: 'bad-body',
      expected:
        asked.operation === 'create' && Array.isArray(body)
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
  // A weak tag is compared as its strong twin: proxies that compress responses weaken tags on the way. The version stands before the
  // hyphen; what follows is the representation in which it was read.
  return header.split(',').map((tag) => tag.trim().replace(/^W\//, '').replace(/^"|"$/g, '').replace(/-.*$/, ''))
}

function badParameter(parameter: string, found: string, expected: string): Result<never, Problem> {
  return refuse({ kind: 'bad-parameter', parameter, found, expected })
}
