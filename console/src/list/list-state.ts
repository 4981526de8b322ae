import { type SearchTexts, stringifySearch } from '../address.ts'

/** State of a list. The address holds all of it, so that users can share the list that they see. */
export interface ListState {
  /** Encoded query with its order, as written. */
  readonly query: string
  /** undefined: those of `view`, else the user's own columns, else those of the view `list`. */
  readonly columns: readonly string[] | undefined
  /** Title of a view of the table. */
  readonly view?: string | undefined
  /** One or two fields. */
  readonly group: readonly string[]
  /** sys_id of the record in the side panel. */
  readonly peek: string | undefined
  /** sys_id of the saved filter from which the state comes. */
  readonly filter: string | undefined
}

/** Parameters of the address of a list. */
export interface ListSearch {
  readonly q?: string | undefined
  readonly cols?: string | undefined
  readonly group?: string | undefined
  readonly view?: string | undefined
  readonly peek?: string | undefined
  readonly filter?: string | undefined
}

export const readListSearch = ({ q, cols, group, view, peek, filter }: SearchTexts): ListSearch => ({
  q,
  cols,
  group,
  view,
  peek,
  filter,
})

export const maxGroups = 2

export const stateOf = ({ q = '', cols, group, view, peek, filter }: ListSearch): ListState => ({
  query: q,
  columns: cols === undefined || cols === '' ? undefined : namesOf(cols),
  group: namesOf(group ?? '').slice(0, maxGroups),
  view: view === '' ? undefined : view,
  peek: peek === '' ? undefined : peek,
  filter: filter === '' ? undefined : filter,
})

export const searchOf = ({ query, columns, group, view, peek, filter }: ListState): ListSearch => ({
  q: query === '' ? undefined : query,
  cols: columns === undefined || columns.length === 0 ? undefined : columns.join(','),
  group: group.length === 0 ? undefined : group.join(','),
  view,
  peek,
  filter,
})

const namesOf = (text: string): readonly string[] => [...new Set(text.split(',').filter((name) => name !== ''))]

/** In characters. Proxies and messengers accept addresses of this length. */
const maxAddressUnits = 8_000

export const isTooLong = (search: ListSearch): boolean => stringifySearch({ ...search }).length > maxAddressUnits
