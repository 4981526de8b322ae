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

/** @param isWanted the table is read only if it is needed */
export const useTable = (name: string, isWanted = true): UseQueryResult<TableInfo> =>
  useQuery({ ...tableQuery(name), enabled: isWanted })
