import { type QueryClient, useQuery } from '@tanstack/react-query'
import type { CellRow, ReadRecord } from 'docket-client'
import { docket } from '../docket.ts'

/** Rich text is read and written as a document with all of its elements, never as markup. */
export const RICH_AS_JSON = { sysparm_wysiwyg: 'elements' } as const

export const recordKey = (table: string, sysId: string): readonly string[] => ['record', table, sysId]

export type Version = ReadRecord<CellRow>

/** Names a record in drafts. */
export const recordOf = (table: string, { row }: Version): string => `${table}/${String(row['sys_id']?.value)}`

export function useRecordQuery(table: string, sysId: string) {
  return useQuery({
    queryKey: recordKey(table, sysId),
    enabled: sysId !== 'new',
    staleTime: 0,
    queryFn: ({ signal }) =>
      docket.table(table).get(sysId, { display: 'all', parameters: { ...RICH_AS_JSON, sysparm_rights: '1' }, signal }),
  })
}

/** A version that was written or read just now. What is being read meanwhile may be older. */
export function rememberVersion(client: QueryClient, table: string, sysId: string, version: Version): void {
  const queryKey = recordKey(table, sysId)
  void client.cancelQueries({ queryKey, exact: true })
  client.setQueryData(queryKey, version)
}
