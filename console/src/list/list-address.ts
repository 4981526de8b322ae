import { parseSearch } from '../address.ts'
import { consolePath } from '../facts.ts'
import { type ListState, readListSearch, stateOf } from './list-state.ts'

/** Address of the page without the record beside its list: whether what ends late still concerns the list that it began in. */
export function listAddress(): string {
  const url = new URL(location.href)
  url.searchParams.delete('peek')
  return url.href
}

/** The list of the table as the address has it, which the page displays some frames later. null: the address is not that of such a list. */
export const stateInAddress = (table: string): ListState | null =>
  tableOfList(location.pathname) === table ? stateOf(readListSearch(parseSearch(location.search))) : null

/** @returns null: the address is not that of a list */
export function tableOfList(path: string): string | null {
  const [, table] = /^\/t\/([^/]+)$/.exec(path.slice(consolePath.length)) ?? []
  return table === undefined ? null : decodeURIComponent(table)
}
