import { columnsOfView, listColumns, type TableInfo } from '../table/table-info.ts'
import type { ListState } from './list-state.ts'

/**
 * Paths of the columns that a list displays, if the user may read them.
 *
 * @param own the columns that the user keeps for this table
 */
export function pathsOf(state: ListState, own: readonly string[] | undefined, info: TableInfo): readonly string[] {
  const wanted = state.columns ?? columnsOfView(info, state.view) ?? own ?? []
  return wanted.length > 0 ? wanted : listColumns(info)
}
