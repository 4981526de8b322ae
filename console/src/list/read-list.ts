import type { QueryClient } from '@tanstack/react-query'
import { parseSearch } from '../address.ts'
import { mayRead } from '../table/table-info.ts'
import { tableQuery } from '../table/use-table.ts'
import { tableOfList } from './list-address.ts'
import { readListSearch, stateOf } from './list-state.ts'
import { pathsOf } from './paths-of-list.ts'
import type { ListLook } from './saved-filters.ts'
import { readRows } from './use-rows.ts'

/**
 * Reads the list at an address before anything is rendered: on a slow device the first rendering takes longer than the responses. A guess
 * that is wrong, such as columns that the user has changed in another browser, costs one request.
 *
 * @param preference what is known of the preferences of the user for the list of a table
 */
export async function readList(
  client: QueryClient,
  { pathname, search }: Pick<Location, 'pathname' | 'search'>,
  preference: (table: string) => unknown,
): Promise<void> {
  const name = tableOfList(pathname)
  if (name === null) return
  const table = await client.fetchQuery(tableQuery(name))
  const state = stateOf(readListSearch(parseSearch(search)))
  const look = (await preference(name)) as ListLook | null | undefined
  const paths = pathsOf(state, look?.columns, table)
  // Groups are read one by one, and a path through references needs other tables first.
  if (state.group.length > 0 || paths.some((path) => path.includes('.'))) return
  const fields = paths.filter((path) => mayRead(table.columns.get(path)))
  await readRows(client, { table: name, query: state.query, fields })
}
