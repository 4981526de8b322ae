import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query'
import { DocketError } from 'docket-client'
import { docket } from '../docket.ts'
import type { Texts } from './merge.ts'
import type { Version } from './use-record.ts'

/** What the user may do with the record in its present state. */
export interface RecordRights {
  readonly write: readonly string[]
  readonly delete: boolean
  /** States to which the record may change now; null: the table has no state model. */
  readonly states: readonly string[] | null
}

const rightsQuery = (table: string, sysId: string, etag: string | undefined) =>
  queryOptions({
    queryKey: ['rights', table, sysId, etag],
    staleTime: Number.POSITIVE_INFINITY,
    // Without a response the form would become read-only.
    retry: (_count, error) => error instanceof DocketError && (error.status === 0 || error.status >= 429),
    retryDelay: 5_000,
    queryFn: async ({ signal }) => {
      const options = { fields: ['sys_id'], parameters: { sysparm_rights: '1' }, signal }
      return (await docket.table(table).get(sysId, options)).body['rights'] as RecordRights
    },
  })

/** The rights are read with the record, and again after each change. */
export function useRights(table: string, sysId: string, version: Version | null): RecordRights | undefined {
  const { data } = useQuery({
    ...rightsQuery(table, sysId, version?.etag),
    enabled: version !== null,
    initialData: version?.body['rights'] as RecordRights | undefined,
    placeholderData: (before: RecordRights | undefined) => before,
  })
  return data
}

/** Whether the user may write the values that the record had before: a closed record may have no way back. */
export async function mayWriteBack(
  client: QueryClient,
  old: Texts,
  { table, sysId, etag }: { readonly table: string; readonly sysId: string; readonly etag: string },
): Promise<boolean> {
  try {
    const { write, states } = await client.fetchQuery({ ...rightsQuery(table, sysId, etag), retry: false })
    const state = old['state']
    return (
      Object.keys(old).every((column) => write.includes(column)) &&
      (state === undefined || states === null || states.includes(state))
    )
  } catch {
    return true // The server decides when the user asks for it.
  }
}
