import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { NotFound } from 'docket-client'
import { t } from '../messages/i18n.ts'
import { readTableInfo, readTables, type TableEntry, type TableInfo } from './table-info.ts'

export const useTables = (): UseQueryResult<readonly TableEntry[]> =>
  useQuery({ queryKey: ['tables'], queryFn: ({ signal }) => readTables(signal), staleTime: 300_000 })

/** A table that the caller may not read is one that does not exist. */
export function useTable(name: string): UseQueryResult<TableInfo> {
  const { data: tables } = useTables()
  return useQuery({
    queryKey: ['table', name],
    enabled: tables !== undefined,
    staleTime: 300_000,
    queryFn: ({ signal }) => {
      if (tables?.some((table) => table.name === name) !== true) {
        throw new NotFound({
          status: 404,
          errors: [{ message: t('state.notFound'), code: 'TABLE_NOT_FOUND' }],
          requestId: null,
          retryAfterMs: null,
        })
      }
      return readTableInfo(tables, name, signal)
    },
  })
}
