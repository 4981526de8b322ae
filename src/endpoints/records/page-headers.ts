import type { RecordRequest } from '../../records/parse/record-request.ts'
import type { RecordPage } from '../../records/record-result.ts'
import { printParameters } from './print-parameters.ts'

/** Data from which links to other pages of a list are made. */
export interface PageAddress {
  readonly request: RecordRequest
  /** The parameters of the request, as received. */
  readonly parameters: ReadonlyMap<string, string>
  /** Without a slash at its end. */
  readonly baseUrl: string
}

/**
 * `X-Total-Count` and `Link` (RFC 8288) of a list (docs/spec/records.md, section 3): first, prev, next, last by page number, and
 * `cursor`, the next page by keyset, which costs the same at any depth (also in `X-Next-Cursor`). A request with a cursor gets
 * only cursor links.
 */
export function pageHeaders(page: RecordPage, address: PageAddress): Record<string, string> {
  const headers: Record<string, string> = {}
  if (page.total !== null) headers['x-total-count'] = String(page.total)
  if (page.totalOver !== null) headers['x-total-count-over'] = String(page.totalOver)
  if (page.next !== null) headers['x-next-cursor'] = page.next
  const link = linksOf(page, address)
    .map(([rel, url]) => `<${url}>; rel="${rel}"`)
    .join(', ')
  if (link.length <= MAX_LINK_BYTES) headers['link'] = link
  if (page.cut !== undefined && page.cut.length > 0) headers['x-text-cut'] = page.cut.join(', ')
  if (page.removedBefore != null) headers['x-history-removed-before'] = page.removedBefore
  if (page.isClamped) headers['x-limit-clamped'] = String(page.limit)
  return headers
}

/** Clients reject responses with long headers (Node at 16 KiB); the header X-Next-Cursor is enough to continue. */
const MAX_LINK_BYTES = 8_192

const SAYS_WHICH_PAGE: ReadonlySet<string> = new Set(['sysparm_page', 'sysparm_offset', 'sysparm_cursor'])

type Link = readonly [rel: string, url: string]

function linksOf(page: RecordPage, { request, ...rest }: PageAddress): readonly Link[] {
  const address = addressOf(page, { request, ...rest })
  const { paging } = request
  if (paging.cursor !== null) {
    const first: Link = ['first', `${address}sysparm_cursor=*`]
    return page.next === null ? [first] : [first, ['next', `${address}sysparm_cursor=${page.next}`]]
  }
  const places = paging.offset === null ? pages(page, paging.page) : offsets(page, paging.offset)
  const name = paging.offset === null ? 'sysparm_page' : 'sysparm_offset'
  const links = places.map(([rel, place]): Link => [rel, `${address}${name}=${place}`])
  return page.next === null ? links : [...links, ['cursor', `${address}sysparm_cursor=${page.next}`]]
}

type Place = readonly [rel: string, place: number]

function pages({ hasMore, total, limit }: RecordPage, at: number): readonly Place[] {
  const places: Place[] = [['first', 1]]
  if (at > 1) places.push(['prev', at - 1])
  if (hasMore) places.push(['next', at + 1])
  if (total !== null) places.push(['last', Math.max(1, Math.ceil(total / limit))])
  return places
}

/** The last page is the one that a client reaches if it continues from this page. */
function offsets({ hasMore, total, limit }: RecordPage, at: number): readonly Place[] {
  const places: Place[] = [['first', 0]]
  if (at > 0) places.push(['prev', Math.max(0, at - limit)])
  if (hasMore) places.push(['next', at + limit])
  if (total !== null) places.push(['last', total > at ? at + (Math.ceil((total - at) / limit) - 1) * limit : 0])
  return places
}

/** The address of the same list without the parameters that select the page. */
function addressOf({ table }: RecordPage, { request, parameters, baseUrl }: PageAddress): string {
  const others = printParameters(parameters, SAYS_WHICH_PAGE)
  const what = request.operation === 'stats' ? 'stats' : 'table'
  return `${baseUrl}/rest/v1/${what}/${table}?${others}${others === '' ? '' : '&'}`
}
