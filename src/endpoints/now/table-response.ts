import type { WholeResponse } from '../../http/response/send-response.ts'
import { EncodedText } from '../../kernel/encoded-text.ts'
import { TABLE_PATH } from '../../now/map-names.ts'
import { OF_PARAMETER } from '../../now/read-parameter-condition.ts'
import { NOTHING_FOUND } from '../../now/wordings.ts'
import type { RecordPage, RecordResult } from '../../records/record-result.ts'
import { printParameters } from '../records/print-parameters.ts'
import { LOGGED_IN, NOW_HEADERS, nowError, ROOT } from './now-errors.ts'
import type { TableRequest } from './parse-table-request.ts'

/** What a response needs of its request. */
export interface TableResponding extends TableRequest {
  /** As received. */
  readonly parameters: ReadonlyMap<string, string>
  /** The table's name in the path. */
  readonly table: string
  readonly baseUrl: string
  /** The address of the operation, up to the table. */
  readonly root: string
  readonly requestId: string
}

/** Of a record or a file. */
export const DELETED: WholeResponse = { status: 204, headers: LOGGED_IN, body: '' }

/** A value that this process makes; those of records come from PostgreSQL as JSON. */
export const resultResponse = (
  result: unknown,
  { status = 200, headers = {} }: { readonly status?: number; readonly headers?: Headers } = {},
): WholeResponse => ({ status, headers: { ...NOW_HEADERS, ...headers }, body: JSON.stringify({ result }) })

export function tableResponse(result: RecordResult, sent: TableResponding): WholeResponse {
  const headers = { ...NOW_HEADERS, ...ignoredHeaders(result, sent) }
  switch (result.kind) {
    case 'page':
      return pageResponse(result, sent, headers)
    case 'deleted':
      return DELETED
    case 'record': {
      const isCreate = sent.request.operation === 'create'
      const address = `${sent.baseUrl}${TABLE_PATH}/${sent.table}/${encodeURIComponent(result.sysId)}`
      return {
        status: isCreate ? 201 : 200,
        headers: {
          ...headers,
          ...(result.version === null ? {} : { etag: `"${result.version}"` }),
          ...(isCreate ? { location: address } : {}),
        },
        body: new EncodedText(`{"result":${result.records.encoded.latin1.slice(1, -1)}}`),
      }
    }
  }
}

type Headers = Readonly<Record<string, string>>

function pageResponse(page: RecordPage, sent: TableResponding, headers: Headers): WholeResponse {
  const rows = sent.isEmptyPage ? '[]' : page.records.encoded.latin1
  if (rows === '[]' && sent.root.startsWith(`${ROOT}/v1/`) && !sent.isEmptyPage) {
    const { status, body } = nowError(NOTHING_FOUND, sent.requestId)
    return { status, headers, body }
  }
  return {
    status: 200,
    headers: {
      ...headers,
      ...(page.total === null ? {} : { 'x-total-count': String(page.total) }),
      ...(page.removedBefore == null ? {} : { 'x-history-removed-before': page.removedBefore }),
      ...(page.isClamped ? { 'x-limit-clamped': String(page.limit) } : {}),
      ...(sent.hasLinks ? linkHeader(linksOf(page, sent)) : {}),
    },
    body: new EncodedText(`{"result":${rows}}`),
  }
}

/** Characters. Each link repeats the query; many clients and proxies reject longer headers. */
const longestLink = 8_192
const linkHeader = (link: string): Headers => (link.length > longestLink ? {} : { link })

const SAYS_WHICH_PAGE: ReadonlySet<string> = new Set(['sysparm_offset', 'sysparm_limit'])

/** `<url>;rel="next"`, with absolute addresses. */
function linksOf(page: RecordPage, { parameters, baseUrl, root, table, request }: TableResponding): string {
  const { limit, total, hasMore } = page
  const at = request.paging.offset ?? 0
  const others = printParameters(parameters, SAYS_WHICH_PAGE)
  const list = `${baseUrl}${root}/${table}?${others}${others === '' ? '' : '&'}sysparm_limit=${limit}`
  const address = (offset: number): string => `${list}&sysparm_offset=${offset}`
  const links: (readonly [string, number])[] = [['first', 0]]
  if (at > 0) links.push(['prev', Math.max(0, at - limit)])
  if (hasMore) links.push(['next', at + limit])
  if (total !== null) links.push(['last', lastOffset(total, at, limit)])
  return links.map(([rel, offset]) => `<${address(offset)}>;rel="${rel}"`).join(',')
}

/** The offset of the last page when a client pages from here. */
const lastOffset = (total: number, at: number, limit: number): number =>
  total > at ? at + (Math.ceil((total - at) / limit) - 1) * limit : Math.max(0, total - limit)

/** The parts of the request that were ignored. */
export function ignoredHeaders(
  { ignored, ignoresView }: Pick<RecordResult, 'ignored' | 'ignoresView'>,
  sent: Pick<TableRequest, 'ignoredParameters'>,
): Headers {
  const conditions = ignored?.conditions ?? []
  const ofQuery = conditions.filter(({ position }) => position !== OF_PARAMETER)
  const ofParameters = conditions.filter(({ position }) => position === OF_PARAMETER)
  const parameters = [
    ...sent.ignoredParameters,
    ...ofParameters.map(({ name }) => name),
    ...(ignoresView ? ['sysparm_view'] : []),
  ]
  return {
    ...listed('x-ignored-parameters', [...new Set(parameters)]),
    ...listed('x-ignored-fields', [...new Set(ignored?.fields)]),
    ...listed(
      'x-ignored-conditions',
      ofQuery.map(({ name }) => name),
      ofQuery.map(({ position }) => `;position=${position}`),
    ),
  }
}

/** A valid header value for any input: names and their list are truncated. */
function listed(header: string, names: readonly string[], more: readonly string[] = []): Headers {
  if (names.length === 0) return {}
  const displayed = names
    .slice(0, 20)
    .map((name, at) => `${encodeURIComponent(name.slice(0, 60).toWellFormed())}${more[at] ?? ''}`)
  return { [header]: displayed.join(', ') }
}
