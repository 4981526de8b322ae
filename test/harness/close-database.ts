import pg from 'pg'
import { inject } from 'vitest'

/** Cuts every connection to a database of the test server and rejects new ones, or accepts them again. */
export async function closeDatabase(connectionString: string, isClosed: boolean): Promise<void> {
  const name = new URL(connectionString).pathname.slice(1)
  const client = new pg.Client({ connectionString: inject('testServerUrl') })
  await client.connect()
  await client.query(`alter database "${name}" with allow_connections ${!isClosed}`)
  await client.query('select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1', [name])
  await client.end()
}
