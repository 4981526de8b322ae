import { type EncodedQuery, printEncodedQuery } from './query.ts'
import type { AnyQuery, PageOptions, WriteOptions } from './record-options.ts'

/** Orders of a query do not apply to groups. In a text, a doubled `^` is a character of a value and ends no part. */
export const withoutOrder = (query: AnyQuery): AnyQuery =>
  typeof query === 'string'
    ? query.replace(/(^|(?<=(?:^|[^^])(?:\^\^)*)\^)ORDERBY[^^]*/g, '').replace(/^\^/, '')
    : { ...treeOf(query), orders: [] }

export const textOf = (query: AnyQuery): string =>
  typeof query === 'string' ? query : printEncodedQuery(treeOf(query))
const treeOf = (query: Exclude<AnyQuery, string>): EncodedQuery => ('tree' in query ? query.tree : query)
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
