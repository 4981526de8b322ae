import { queryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { readTableInfo, readTables, type TableEntry, type TableInfo } from './table-info.ts'

/** The dictionary changes seldom. */
const staleTime = 300_000

export const useTables = (): UseQueryResult<readonly TableEntry[]> =>
  useQuery({ queryKey: ['tables'], queryFn: ({ signal }) => readTables(signal), staleTime })

export const tableQuery = (name: string) =>
  queryOptions({ queryKey: ['table', name], queryFn: ({ signal }) => readTableInfo(name, signal), staleTime })

/** Who may read no history is not offered one. */
export const useMayReadHistory = (): boolean => useTables().data?.some(({ name }) => name === 'sys_history') ?? false

export const useTable = (name: string): UseQueryResult<TableInfo> => useQuery(tableQuery(name))
