import { sql } from '../kernel/sql.ts'
import { LOCKS } from './advisory-locks.ts'
import type { Session } from './database.ts'

/**
 * Files are outside the database, so no snapshot includes them. While a backup copies files it holds an advisory lock in shared mode, until
 * its connection is closed. The deletion of files takes the lock exclusively, for one transaction, and is postponed if it cannot.
 */
export async function holdBlobs(connection: Pick<Session, 'rows'>): Promise<void> {
  await connection.rows(sql`select pg_advisory_lock_shared(${sql.lit(LOCKS.blobs)})`)
}

/** @returns whether files may be deleted until the transaction of the session ends */
export async function mayRemoveBlobs(session: Session): Promise<boolean> {
  const [row] = await session.rows(sql<{ is_free: boolean }>`
    select pg_try_advisory_xact_lock(${sql.lit(LOCKS.blobs)}) as is_free`)
  return row?.is_free === true
}
