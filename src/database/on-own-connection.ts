import type { RawBuilder } from 'kysely'
import { connectOnce } from './connect-once.ts'
import { compileSql, type Database } from './database.ts'

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
