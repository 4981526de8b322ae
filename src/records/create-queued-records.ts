import type { Database } from '../database/database.ts'
import { sql } from '../kernel/sql.ts'

/** Name of the job, which docket_system.notify_of_queued_records adds. */
export const CREATE_QUEUED_RECORDS = 'create_queued_records'

/** A record that failed this often is not retried. It stays in the queue, with the reason. */
const MAX_ATTEMPTS = 10

/**
 * Creates the queued records of sys_schedule and sys_indication.
 *
 * @returns how many were created
 * @throws if some could not be created, so that the job is retried
 */
export async function createQueuedRecords(database: Database): Promise<number> {
  const [row] = await database.rows<{ made: number; left: number }>(sql`
    select docket_system.create_queued_records(${MAX_ATTEMPTS}) as made,
           (select count(*)::integer from docket_system.queued_record where attempts < ${MAX_ATTEMPTS} and attempts > 0) as left`)
  if (row !== undefined && row.left > 0) throw new Error(`${row.left} queued records could not be made yet`)
  return row?.made ?? 0
}

/** Adds the job for records that were queued while no worker listened. Each process calls it once when it starts to work. */
export async function notifyQueuedRecords(database: Database): Promise<void> {
  await database.rows(sql`
    select docket_system.add_job(${CREATE_QUEUED_RECORDS}) where exists (select from docket_system.queued_record)`)
}
