import { useQuery } from '@tanstack/react-query'
import { DocketError } from 'docket-client'
import { docket } from '../docket.ts'
import type { Version } from './use-record.ts'

/** What the user may do with the record as it is. */
export interface RecordRights {
  readonly write: readonly string[]
  readonly delete: boolean
  /** States to which it may move now; null: no model decides. */
  readonly states: readonly string[] | null
}

/** They come with the record; after a change they are read again. */
export function useRights(table: string, sysId: string, version: Version | null): RecordRights | undefined {
  const { data } = useQuery({
    queryKey: ['rights', table, sysId, version?.etag],
    enabled: version !== null,
    staleTime: Number.POSITIVE_INFINITY,
    // Without an answer the form would become one for reading only.
    retry: (_count, error) => error instanceof DocketError && (error.status === 0 || error.status >= 429),
    retryDelay: 5_000,
    initialData: version?.body['rights'] as RecordRights | undefined,
    placeholderData: (before: RecordRights | undefined) => before,
    queryFn: async ({ signal }) => {
      const options = { fields: ['sys_id'], parameters: { sysparm_rights: '1' }, signal }
      return (await docket.table(table).get(sysId, options)).body['rights'] as RecordRights
    },
  })
  return data
}
