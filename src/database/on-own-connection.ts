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
