import { queryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { readTableInfo, readTables, type TableEntry, type TableInfo } from './table-info.ts'

/** In milliseconds. The dictionary rarely changes. */
const staleTime = 300_000

export const tablesQuery = queryOptions({
  queryKey: ['tables'],
  queryFn: ({ signal }) => readTables(signal),
  staleTime,
})
export const useTables = (): UseQueryResult<readonly TableEntry[]> => useQuery(tablesQuery)

export const tableQuery = (name: string) =>
  queryOptions({ queryKey: ['table', name], queryFn: ({ signal }) => readTableInfo(name, signal), staleTime })

/** Users who may not read the history are not offered it. */
export const useMayReadHistory = (): boolean => useTables().data?.some(({ name }) => name === 'sys_history') ?? false

/** Users who may not write views are not offered to save one for all. A view is replaced by another, so the old one is deleted. */
export function useMayWriteViews(): boolean {
  const tables = useTables().data ?? []
  return ['', '_section', '_element'].every((part) =>
    tables.some((each) => each.name === `sys_ui_form${part}` && each.may_create && each.may_write && each.may_delete),
  )
}

/** @param isWanted the table is read only if it is needed */
export const useTable = (name: string, isWanted = true): UseQueryResult<TableInfo> =>
  useQuery({ ...tableQuery(name), enabled: isWanted })
