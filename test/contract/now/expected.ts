import { sql } from '../../../src/kernel/sql.ts'

/** First half of the served ids of these tests. */
export const PREFIX = 'c0ffee0123456789'

/** Statement of a stage: its database serves ids with the prefix. */
export const servedIds = sql`update docket_system.served_id set prefix = ${PREFIX}`

/** The served id of an own record. */
export const id = (sysId: number | bigint): string => PREFIX + sysId.toString(16).padStart(16, '0')

/** The whole body of an error. */
export const failed = (message: string, detail: string | null = null): unknown => ({
  error: { message, detail },
  status: 'failure',
  request_id: 'ID',
})

/** The whole body of a list. */
export const result = (...records: readonly unknown[]): unknown => ({ result: records })

export const NO_RECORD = failed('No Record found', "Record doesn't exist or ACL restricts the record retrieval")
