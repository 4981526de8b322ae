import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../src/kernel/sql.ts'
import { closeDatabase } from '../harness/close-database.ts'
import { type RunningDocket, startDocket } from '../harness/start-docket.ts'

let docket: RunningDocket

beforeAll(async () => {
  docket = await startDocket()
})
afterAll(() => docket.close())

const statusOf = async (path: string) => (await docket.request('GET', path)).status

test('a server whose database is there is healthy and ready', async () => {
  expect([await statusOf('/health'), await statusOf('/ready')]).toEqual([200, 200])
})

test('without its database it is healthy and not ready, and ready again when the database is back', async () => {
  await closeDatabase(docket.connectionString, true)
  expect([await statusOf('/health'), await statusOf('/ready')]).toEqual([200, 503])
  await closeDatabase(docket.connectionString, false)
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
