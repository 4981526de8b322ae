import { LOCK_SPACES } from '../database/advisory-locks.ts'
import type { Database } from '../database/database.ts'
import { holdLock } from '../database/hold-lock.ts'
import { sql } from '../kernel/sql.ts'

/**
 * This process as one that works beside requests. What it takes up bears its number; when the process is gone, the lock of
 * the number is free, and others take up at once what it had (docket_documents.is_left).
 */
export interface Worker {
  /** null while the connection that holds its lock is broken: what is taken up then is known by its lease only. */
  number(): number | null
  /** The number, also while the connection is broken. */
  readonly ownNumber: number
  close(): Promise<void>
}

export async function openWorker(database: Database, onError: (error: unknown) => void): Promise<Worker> {
  const [row] = await database.rows(sql<{ number: string }>`
    select nextval('docket_documents.worker_number') as number`)
  const number = Number(row?.number)
  const lock = await holdLock(database, [LOCK_SPACES.workers, number], onError)
  return {
    number: () => (lock.isHeld() ? number : null),
    ownNumber: number,
    close: () => lock.close(),
  }
}
