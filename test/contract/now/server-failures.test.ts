import { afterEach, beforeEach, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { closeDatabase } from '../../harness/close-database.ts'
import { type Stage, setStage } from '../records/fixture.ts'
import { failed, result, servedIds } from './expected.ts'

let stage: Stage
beforeEach(async () => {
  stage = await setStage([servedIds])
})
afterEach(() => stage.close())

const list = 'GET /api/now/table/task?sysparm_fields=number&sysparm_limit=1'
const send = async () => {
  const { status, body, headers } = await stage.send('worker', list)
  return { status, body, retryAfter: headers['retry-after'], loggedIn: headers['x-is-logged-in'] }
}

test('without its database: 503 with Retry-After, and 200 when it is back (issue 15, section 2)', async () => {
  expect(await send()).toMatchObject({ status: 200, body: result({ number: 'INC0000001' }) })
  await closeDatabase(stage.docket.connectionString, true)
  expect(await send()).toEqual({
    status: 503,
    body: failed('Service unavailable', 'The database cannot be reached at the moment.'),
    retryAfter: '5',
    loggedIn: 'true',
  })
  await closeDatabase(stage.docket.connectionString, false)
  expect(await send()).toMatchObject({ status: 200, body: result({ number: 'INC0000001' }) })
})

test('a fault of the server: 500 without any detail of it (issue 15, section 2)', async () => {
  await stage.docket.database.rows(sql`alter table docket.task rename column number to number_elsewhere`)
  expect(await send()).toEqual({
    status: 500,
    body: failed('Internal error', 'The server failed. The log tells why, under the request_id of this response.'),
    retryAfter: undefined,
    loggedIn: 'true',
  })
})
