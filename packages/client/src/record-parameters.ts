import type { HttpRequest } from './http.ts'
import { type EncodedQuery, printEncodedQuery } from './query.ts'
import type { AnyQuery, PageOptions, WriteOptions } from './record-options.ts'

/** Orders of a query do not apply to groups. In a text, a doubled `^` is a character of a value and ends no part. */
export const withoutOrder = (query: AnyQuery): AnyQuery =>
  isTree(query)
    ? { ...treeOf(query), orders: [] }
    : textOf(query)
        .replace(/(^|(?<=(?:^|[^^])(?:\^\^)*)\^)ORDERBY[^^]*/g, '')
        .replace(/^\^/, '')

export const textOf = (query: AnyQuery): string =>
  isTree(query) ? printEncodedQuery(treeOf(query)) : typeof query === 'string' ? query : query.text

type Tree = EncodedQuery | { readonly tree: EncodedQuery }
const isTree = (query: AnyQuery): query is Tree => typeof query !== 'string' && !('text' in query)
const treeOf = (query: Tree): EncodedQuery => ('tree' in query ? query.tree : query)

export const numberOf = (header: string | null): number | null => (header === null ? null : Number(header))

export const DISPLAY = { value: '0', display: '1', all: 'all' } as const

export function parametersOf(query: AnyQuery | null, options: PageOptions & WriteOptions): URLSearchParams {
  const { fields, view, display, limit, offset, cursor, total, inputDisplayValue, parameters } = options
  const isList = query !== null
  const given = {
    sysparm_query: isList ? textOf(query) : undefined,
    sysparm_fields: fields?.join(','),
    sysparm_view: view,
    sysparm_display_value: DISPLAY[display ?? 'value'],
    sysparm_exclude_reference_link: '1',
    sysparm_limit: limit?.toString(),
    sysparm_offset: offset?.toString(),
    sysparm_cursor: cursor,
    sysparm_no_count: isList && total !== true ? '1' : undefined,
    sysparm_input_display_value: inputDisplayValue === true ? '1' : undefined,
    ...parameters,
  }
  return definedOf(given)
}

/** Without undefined members. */
export const definedOf = (given: Readonly<Record<string, string | undefined>>): URLSearchParams =>
  new URLSearchParams(
    Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== ''),
  )

/** A request for records. Parameters that are too long for a URL are sent as the body of a POST. */
export function readingOf(address: string, parameters: URLSearchParams): HttpRequest {
  const path = `${address}?${parameters}`
  if (path.length <= maxUrlUnits) return { method: 'GET', path }
  return { method: 'POST', path: `${address}/query`, body: Object.fromEntries(parameters), isRead: true }
}

/** Proxies accept request lines of 8 kB. */
const maxUrlUnits = 7_000
