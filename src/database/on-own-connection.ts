import { setTimeout as pause } from 'node:timers/promises'
import { compileSql, type Sql, sql } from '../kernel/sql.ts'
import { connectOnce } from './connect-once.ts'
import type { Database, Session } from './database.ts'

/** Runs statements outside any transaction, in one session. */
export type RunAlone = Session['rows']

/** For statements that may take longer than a request: a connection outside the pool, without its time limit. */
export async function onOwnConnection<T>(database: Database, work: (run: RunAlone) => Promise<T>): Promise<T> {
  const client = await connectOnce(database.connectionString, 'docket maintenance')
  try {
    return await work(async <Row>(statement: Sql<Row>) => {
      const { sql, parameters } = compileSql(statement)
      return (await client.query(sql, parameters as unknown[])).rows as Row[]
    })
  } finally {
    await client.end()
  }
}

const lockRetryMs = 500

/**
 * Takes an advisory lock for the session. It asks again and again: a statement that waits has a snapshot, and a `create index concurrently`
 * of the session that has the lock would wait for that snapshot, until PostgreSQL ends one of the two as a deadlock.
 */
export async function takeLock(run: RunAlone, lock: number): Promise<void> {
  for (;;) {
    const [row] = await run(sql<{ is_ours: boolean }>`select pg_try_advisory_lock(${lock}) as is_ours`)
    if (row?.is_ours === true) return
    await pause(lockRetryMs)
  }
}

/** Like `onOwnConnection`. When `stopping` is aborted, the running statement is cancelled, and the work ends early without an error. */
export function onCancellableConnection(
  database: Database,
  stopping: AbortSignal,
  work: (run: RunAlone) => Promise<void>,
): Promise<void> {
  return onOwnConnection(database, async (run) => {
    let cancelling: Promise<unknown> = Promise.resolve()
    const [session] = await run(sql<{ id: number }>`select pg_backend_pid() as id`)
    const cancel = (): void => {
      cancelling = database.rows(sql`select pg_cancel_backend(${session?.id ?? 0})`).catch(() => undefined)
    }
    stopping.addEventListener('abort', cancel)
    try {
      await work(run)
    } catch (error) {
      if (!stopping.aborted) throw error
    } finally {
      stopping.removeEventListener('abort', cancel)
      await cancelling
    }
  })
}
