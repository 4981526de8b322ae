import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type RunningDocket, startDocket } from '../harness/start-docket.ts'

let docket: RunningDocket

beforeAll(async () => {
  docket = await startDocket()
})
afterAll(() => docket.close())

const statusOf = async (path: string) => (await docket.request('GET', path)).status

/** Cuts every connection to the server's database and rejects new ones, or accepts them again. */
async function closeDatabase(isClosed: boolean): Promise<void> {
  const name = new URL(docket.connectionString).pathname.slice(1)
  const client = new pg.Client({ connectionString: inject('testServerUrl') })
  await client.connect()
  await client.query(`alter database "${name}" with allow_connections ${!isClosed}`)
  await client.query('select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1', [name])
  await client.end()
}

test('a server whose database is there is healthy and ready', async () => {
  expect([await statusOf('/health'), await statusOf('/ready')]).toEqual([200, 200])
})

test('without its database it is healthy and not ready, and ready again when the database is back', async () => {
  await closeDatabase(true)
  expect([await statusOf('/health'), await statusOf('/ready')]).toEqual([200, 503])
  await closeDatabase(false)
  expect([await statusOf('/health'), await statusOf('/ready')]).toEqual([200, 200])
})

test('without its schema it is not ready, and says so (issue 8, B1)', async () => {
  await docket.database.rows(sql`alter schema docket rename to docket_elsewhere`)
  const { status, body } = await docket.request('GET', '/ready')
  await docket.database.rows(sql`alter schema docket_elsewhere rename to docket`)
  expect({ status, body }).toEqual({
    status: 503,
    body: {
      status: 'ERROR',
      error_type: 'SERVER',
      message: expect.any(String),
      errors: [{ code: 'UNAVAILABLE', message: expect.stringContaining('The database has no Docket schema') }],
      request_id: expect.any(String),
    },
  })
  expect(await statusOf('/ready')).toBe(200)
})
