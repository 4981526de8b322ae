import { useQuery } from '@tanstack/react-query'
import { DocketError } from 'docket-client'
import { docket } from '../docket.ts'
import type { Version } from './record-query.ts'

/** What the user may do with the record in its present state. */
export interface RecordRights {
  readonly write: readonly string[]
  readonly delete: boolean
  /** States to which the record may change now; null: the table has no state model. */
  readonly states: readonly string[] | null
}

export async function readRights(table: string, sysId: string, signal?: AbortSignal): Promise<RecordRights> {
  const options = { fields: ['sys_id'], parameters: { sysparm_rights: '1' }, signal }
  return (await docket.table(table).get(sysId, options)).body['rights'] as RecordRights
}

/** The rights are read with the record, and again after each change. */
export function useRights(table: string, sysId: string, version: Version | null): RecordRights | undefined {
  const { data } = useQuery({
    queryKey: ['rights', table, sysId, version?.etag],
    enabled: version !== null,
    staleTime: Number.POSITIVE_INFINITY,
    // Without a response the form would become read-only.
    retry: (_count, error) => error instanceof DocketError && (error.status === 0 || error.status >= 429),
    retryDelay: 5_000,
    queryFn: ({ signal }) => readRights(table, sysId, signal),
    initialData: version?.body['rights'] as RecordRights | undefined,
    placeholderData: (before: RecordRights | undefined) => before,
  })
  return data
}
