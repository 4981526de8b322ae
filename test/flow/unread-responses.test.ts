import { get, type IncomingMessage } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createUser } from '../../src/identity/manage-users.ts'
import { sql } from '../../src/kernel/sql.ts'
import { admin } from '../harness/fresh-database.ts'
import { type RunningDocket, startDocket } from '../harness/start-docket.ts'

let docket: RunningDocket
const other = { user: 'other', password: 'other-password' }
beforeAll(async () => {
  docket = await startDocket()
  const about = { displayName: null, email: null, language: 'en', timeZone: 'UTC' } as const
  const made = await createUser(docket.database, {
    userName: other.user,
    password: other.password,
    ...about,
    roles: ['admin'],
  })
  expect(made.ok).toBe(true)
  // Ten thousand rows of 6 KB: more than a user may leave unread, and more than the system buffers.
  await docket.database.rows(sql`
    insert into docket.company (name, sys_created_by, sys_updated_by)
    select repeat('x', 6000) || n, u.sys_id, u.sys_id from generate_series(1, 10000) n, docket."user" u where u.user_name = 'admin'`)
})
afterAll(() => docket.close())

test('requests of a user who does not read 60 MB get 429, another user is served, and reading ends the wait (issue 8, A7)', async () => {
  const unread = await beginLargeList()
  const rejected = await docket.request('GET', readOne, { as: admin })
  expect([rejected.status, rejected.headers['retry-after']]).toEqual([429, '2'])
  expect((await docket.request('GET', readOne, { as: other })).status).toBe(200)
  const read = await lengthOf(unread)
  expect(read).toBeGreaterThan(60_000_000)
  expect((await docket.request('GET', readOne, { as: admin })).status).toBe(200)
})

const readOne = '/rest/v1/table/company?sysparm_limit=1&sysparm_fields=sys_id'

/** Resolves when the response has begun; nothing of its body is read. */
function beginLargeList(): Promise<IncomingMessage> {
  const authorization = `Basic ${Buffer.from(`${admin.user}:${admin.password}`).toString('base64')}`
  const url = `${docket.baseUrl}/rest/v1/table/company?sysparm_limit=10000&sysparm_fields=name`
  return new Promise((resolve, reject) => {
    get(url, { agent: false, headers: { authorization } }, resolve).on('error', reject)
  })
}

async function lengthOf(response: AsyncIterable<Buffer>): Promise<number> {
  let bytes = 0
  for await (const piece of response) bytes += piece.length
  return bytes
}
