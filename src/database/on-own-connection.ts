import { type RawBuilder, sql } from 'kysely'
import { connectOnce } from './connect-once.ts'
import { compileSql, type Database, type Session } from './database.ts'

/** Runs a statement outside any transaction. */
export type RunAlone = (statement: RawBuilder<unknown>) => Promise<void>

/** For statements that may take longer than a request: a connection outside the pool, without its time limit. */
export async function onOwnConnection<T>(database: Database, work: (run: RunAlone) => Promise<T>): Promise<T> {
  const client = await connectOnce(database.connectionString, 'docket maintenance')
  try {
    return await work(async (statement) => {
      const { sql, parameters } = compileSql(statement)
      await client.query(sql, parameters as unknown[])
    })
  } finally {
    await client.end()
  }
}

/** Statements outside any transaction, in one session. */
export type RowsAlone = Session['rows']

/** Like `onOwnConnection`. When `stopping` is aborted, the running statement is cancelled, and the work ends early without an error. */
export async function onCancellableConnection(
  database: Database,
  stopping: AbortSignal,
  work: (rows: RowsAlone) => Promise<void>,
): Promise<void> {
  const client = await connectOnce(database.connectionString, 'docket maintenance')
  const rows: RowsAlone = async <Row>(query: RawBuilder<Row>) => {
    const compiled = compileSql(query)
    return (await client.query(compiled.sql, compiled.parameters as unknown[])).rows as Row[]
  }
  let cancelling: Promise<unknown> = Promise.resolve()
  const [session] = await rows(sql<{ id: number }>`select pg_backend_pid() as id`)
  const cancel = (): void => {
    cancelling = database.rows(sql`select pg_cancel_backend(${session?.id ?? 0})`).catch(() => undefined)
  }
  stopping.addEventListener('abort', cancel)
  try {
    await work(rows)
  } catch (error) {
    if (!stopping.aborted) throw error
  } finally {
    stopping.removeEventListener('abort', cancel)
    await cancelling
    await client.end()
  }
}
