import { sql } from 'kysely'
import type { Session } from './database.ts'

/**
 * Files lie outside of the database, so no snapshot keeps them. While a backup copies files it holds this advisory lock shared;
 * whoever removes files from the store takes it alone, for one transaction, and leaves them for later when it cannot.
 */
const blobLockKey = 7_236_401_263

/** Until the connection is closed. */
export async function holdBlobs(connection: Pick<Session, 'rows'>): Promise<void> {
  await connection.rows(sql`select pg_advisory_lock_shared(${sql.lit(blobLockKey)})`)
}

/** @returns whether files may be removed until the transaction of the session ends */
export async function mayRemoveBlobs(session: Session): Promise<boolean> {
  const [row] = await session.rows(sql<{ is_free: boolean }>`
    select pg_try_advisory_xact_lock(${sql.lit(blobLockKey)}) as is_free`)
  return row?.is_free === true
}
