import { queryOptions, useQuery } from '@tanstack/react-query'
import { type CellRow, ConflictError } from 'docket-client'
import { docket } from '../docket.ts'
import { currentLanguage } from '../messages/i18n.ts'
import { printQuery, readQuery } from './list-query.ts'
import { type ListSearch, type ListState, searchOf } from './list-state.ts'

/** Display settings of a saved filter: `list_state` of sys_filter. */
export interface ListLook {
  readonly columns?: readonly string[] | undefined
  /** Title of the view that has the columns if `columns` is absent. */
  readonly view?: string | undefined
  readonly widths?: Readonly<Record<string, number>> | undefined
  readonly group?: readonly string[] | undefined
  /** The query with its order; absent if it has none. */
  readonly query?: string | undefined
}

export interface SavedFilter {
  readonly sysId: string
  /** Empty: the filter only replaces an address that would be too long. */
  readonly title: string
  readonly table: string
  readonly query: string
  /** null: the filter is shared with everybody. */
  readonly owner: string | null
  readonly look: ListLook
}

const table = docket.table('sys_filter')
const fields = ['sys_id', 'title', 'condition', 'table_id.name', 'user_id', 'list_state']

/** The column `condition` of a filter has no order. A query with one is stored a second time, whole, in `list_state`. */
function storedQuery(query: string): { readonly condition: string; readonly query: string | undefined } {
  const read = readQuery(query)
  if (!read.ok || read.query.orders.length === 0) return { condition: query, query: undefined }
  return { condition: printQuery({ ...read.query, orders: [] }), query }
}

/** Without the order if somebody has changed the condition since. */
function queryOf(condition: string, { query }: ListLook): string {
  return typeof query === 'string' && storedQuery(query).condition === condition ? query : condition
}

function filterOf(row: CellRow): SavedFilter {
  const text = (name: string): string => String(row[name]?.value ?? '')
  const state = row['list_state']?.value
  const look: ListLook = typeof state === 'object' && state !== null ? state : {}
  return {
    sysId: text('sys_id'),
    title: row['title']?.display_value ?? '',
    table: text('table_id.name'),
    query: queryOf(text('condition'), look),
    owner: text('user_id') || null,
    look,
  }
}

/** In the order of the displayed titles: the server sorts by the stored title, which the user's language may replace. */
export function useSavedFilters(userId: string, isStaff: boolean) {
  // Not in the request: the painter reads for several users at once, and the language is set when it renders.
  const language = currentLanguage()
  const select = (filters: readonly SavedFilter[]): readonly SavedFilter[] =>
    filters.toSorted((one, other) => one.title.localeCompare(other.title, language, { numeric: true }))
  return useQuery({ ...filtersQuery(userId, isStaff), select })
}

/** The user's own filters with a title, and shared filters for the desk. Filters of other users are not listed, for administrators neither. */
export const filtersQuery = (userId: string, isStaff: boolean) =>
  queryOptions({
    queryKey: ['filters', userId, isStaff],
    staleTime: 60_000,
    queryFn: async ({ signal }) => {
      const shared = isStaff ? '^ORuser_idISEMPTY' : ''
      const query = `active=true^titleISNOTEMPTY^user_id=${userId}${shared}^ORDERBYtitle`
      const rows = await table
        .list(query, { fields, display: 'all', signal })
        .toArray({ max: Number.POSITIVE_INFINITY })
      return rows.map(filterOf).filter((filter) => filter.table !== '')
    },
  })

export const filterQuery = (sysId: string) =>
  queryOptions({
    queryKey: ['filter', sysId],
    staleTime: 60_000,
    queryFn: async ({ signal }) => filterOf((await table.get(sysId, { fields, display: 'all', signal })).row),
  })

/** Address parameters of the filter. */
export const searchOfFilter = ({ sysId, title, query, look }: SavedFilter): ListSearch =>
  searchOf({
    query,
    columns: look.columns,
    view: look.view,
    group: look.group ?? [],
    peek: undefined,
    filter: title === '' ? undefined : sysId,
  })

/** Whether the list differs from its saved filter. */
export const isModified = ({ query, look }: SavedFilter, state: ListState): boolean =>
  query !== state.query ||
  look.view !== state.view ||
  (look.columns ?? []).join() !== (state.columns ?? []).join() ||
  (look.group ?? []).join() !== state.group.join()

export interface FilterDraft {
  readonly title: string
  readonly table: string
  readonly owner: string
  readonly state: ListState
  readonly widths: ListLook['widths']
}

function bodyOf({ state, widths }: FilterDraft) {
  const { condition, query } = storedQuery(state.query)
  return { condition, list_state: { columns: state.columns, view: state.view, group: state.group, widths, query } }
}

export async function createFilter(draft: FilterDraft): Promise<SavedFilter> {
  const body = { ...bodyOf(draft), title: draft.title, table_id: { find: { name: draft.table } }, user_id: draft.owner }
  return filterOf((await table.create(body, { fields, display: 'all' })).row)
}

/** @returns null: another tab or client has changed the filter since it was read, and it stays as it is */
export async function overwriteFilter(known: SavedFilter, draft: FilterDraft): Promise<SavedFilter | null> {
  const stored = await table.get(known.sysId, { fields, display: 'all' })
  if (contentOf(filterOf(stored.row)) !== contentOf(known)) return null
  try {
    return filterOf((await stored.update(bodyOf(draft))).row)
  } catch (error) {
    if (error instanceof ConflictError && error.reason === 'stale') return null
    throw error
  }
}

const contentOf = ({ query, look }: SavedFilter): string => JSON.stringify([query, look])

export const deleteFilter = (sysId: string): Promise<void> => table.delete(sysId)
