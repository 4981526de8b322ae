import type { Asked } from '../asked.ts'
import type { PermittedRequest } from '../authorize/permitted-request.ts'
import { printCursor } from '../cursor.ts'

export interface PageOutcome {
  /** null: not counted. */
  readonly total: number | null
  /** There are more than this, and they were not counted. */
  readonly totalOver?: number
  readonly hasMore: boolean
  /** JSON array of the last row's order keys; '' when there is nothing after it. */
  readonly lastKeys: string
}

export interface PageContext {
  readonly permitted: PermittedRequest
  readonly asked: Asked
  /** Rows a page. */
  readonly rows: number
}

/**
 * `X-Total-Count` and `Link` (RFC 8288) of a list (record spec, section 3): first, prev, next, last by page number, and
 * `cursor`, the next page by keyset, which costs the same at any depth (alone in `X-Next-Cursor` too). Who came by cursor goes on by cursor.
 */
export function pageHeaders(outcome: PageOutcome, context: PageContext): Record<string, string> {
  const headers: Record<string, string> = {}
  if (outcome.total !== null) headers['x-total-count'] = String(outcome.total)
  if (outcome.totalOver !== undefined) headers['x-total-count-over'] = String(outcome.totalOver)
  if (outcome.hasMore && outcome.lastKeys !== '') headers['x-next-cursor'] = printCursor(outcome.lastKeys)
  const link = linksOf(outcome, context)
    .map(([rel, url]) => `<${url}>; rel="${rel}"`)
    .join(', ')
  if (link.length <= MAX_LINK_BYTES) headers['link'] = link
  return headers
}

/** Clients refuse answers whose headers are long (Node's at 16 KiB); the header X-Next-Cursor is enough to go on. */
const MAX_LINK_BYTES = 8_192

const SAYS_WHICH_PAGE: ReadonlySet<string> = new Set(['sysparm_page', 'sysparm_offset', 'sysparm_cursor'])

type Link = readonly [rel: string, url: string]

function linksOf(outcome: PageOutcome, context: PageContext): readonly Link[] {
  const { paging } = context.permitted.request
  const address = addressOf(context)
  const next = outcome.hasMore && outcome.lastKeys !== '' ? printCursor(outcome.lastKeys) : null
  if (paging.cursor !== null) {
    const first: Link = ['first', `${address}sysparm_cursor=*`]
    return next === null ? [first] : [first, ['next', `${address}sysparm_cursor=${next}`]]
  }
  const links: Link[] = paging.offset === null ? pageLinks(outcome, context) : offsetLinks(outcome, context)
  if (next !== null) links.push(['cursor', `${address}sysparm_cursor=${next}`])
  return links
}

function pageLinks(outcome: PageOutcome, context: PageContext): Link[] {
  const { page: at } = context.permitted.request.paging
  const address = addressOf(context)
  const page = (rel: string, number: number): Link => [rel, `${address}sysparm_page=${number}`]
  const links: Link[] = [page('first', 1)]
  if (at > 1) links.push(page('prev', at - 1))
  if (outcome.hasMore) links.push(page('next', at + 1))
  if (outcome.total !== null) links.push(page('last', Math.max(1, Math.ceil(outcome.total / context.rows))))
  return links
}

/** The last page is the one that a client reaches by going on from here. */
function offsetLinks(outcome: PageOutcome, context: PageContext): Link[] {
  const { rows } = context
  const at = context.permitted.request.paging.offset ?? 0
  const address = addressOf(context)
  const skip = (rel: string, offset: number): Link => [rel, `${address}sysparm_offset=${offset}`]
  const links: Link[] = [skip('first', 0)]
  if (at > 0) links.push(skip('prev', Math.max(0, at - rows)))
  if (outcome.hasMore) links.push(skip('next', at + rows))
  if (outcome.total !== null) {
    const pagesAfter = Math.ceil((outcome.total - at) / rows) - 1
    links.push(skip('last', outcome.total > at ? at + pagesAfter * rows : 0))
  }
  return links
}

/** The address of the same list, up to where it says which page. */
function addressOf({ asked, permitted }: PageContext): string {
  const others = new URLSearchParams()
  for (const [name, value] of asked.parameters) {
    if (!SAYS_WHICH_PAGE.has(name)) others.append(name, value)
  }
  const what = asked.operation === 'stats' ? 'stats' : 'table'
  return `${asked.baseUrl}/rest/v1/${what}/${permitted.table.name}?${others}${others.size === 0 ? '' : '&'}`
}
