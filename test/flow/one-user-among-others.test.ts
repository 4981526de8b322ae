import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createUser } from '../../src/identity/manage-users.ts'
import { admin } from '../harness/fresh-database.ts'
import type { Answer, Caller } from '../harness/send-request.ts'
import { type RunningDocket, startDocket } from '../harness/start-docket.ts'

/** 10 connections, which is the default: 7 requests of one user run statements at once. */
let docket: RunningDocket
const other = { user: 'other', password: 'other-password' }
let company: string
beforeAll(async () => {
  docket = await startDocket({ environment: { DOCKET_DATABASE_POOL: '10' } })
  await createOther()
  company = await createCompany('held')
})
afterAll(() => docket.close())

const perUser = 7

const tooManyRequests = {
  status: 429,
  retryAfter: '2',
  body: {
    status: 'ERROR',
    error_type: 'SERVER',
    message: 'Too many requests. Try again in 2 seconds.',
    request_id: expect.any(String),
    errors: [{ code: 'TOO_MANY_REQUESTS', message: 'Too many requests. Try again in 2 seconds.' }],
  },
}

test('requests of one user beyond the limit get 429 after a wait, while another user is served (issue 8, A7)', async () => {
  const { held, over, others } = await whileHeld(async () => {
    const over = await Promise.all(Array.from({ length: 5 }, () => readOne(admin)))
    const others = await Promise.all(Array.from({ length: 3 }, () => readOne(other)))
    return { over, others }
  })
  expect(over.map(shown)).toEqual(over.map(() => tooManyRequests))
  expect(others.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(held.map(({ status }) => status)).toEqual(held.map(() => 200))
  expect((await readOne(admin)).status).toBe(200)
})

test.each([
  ['a list', 'GET', '/rest/v1/table/company'],
  ['aggregates', 'GET', '/rest/v1/stats/sys_history'],
  ['history', 'GET', '/rest/v1/history/company/1'],
  ['a search', 'POST', '/get_relevant_documents?query=x'],
  ['documents by tag', 'POST', '/get_content_by_tag?collection_name=c&tag_info=a=1'],
])('%s counts as a running statement of its user (issue 8, A7)', async (_name, method, path) => {
  const { over } = await whileHeld(async () => ({ over: await docket.request(method, path, { as: admin }) }))
  expect(shown(over).status).toBe(429)
  expect(shown(over).retryAfter).toBe('2')
})

test('rows of an import wait without a time limit, and none of them is lost (issue 8, A7)', async () => {
  const rows = Array.from({ length: 20 }, (_, n) => ({ name: `imported ${n}` }))
  const body = rows.map((row) => JSON.stringify(row)).join('\n')
  let imported: Promise<Answer> | undefined
  const { before } = await whileHeld(async () => {
    imported = docket.request('POST', '/rest/v1/import/company?format=ndjson', { as: admin, body })
    // This request waits its whole time behind the held ones, as the import does.
    await readOne(admin)
    return { before: await countImported() }
  })
  expect(before).toBe(0)
  expect((await imported)?.body).toMatchObject({ status: 'OK', data: { inserted: 20, failed: 0 } })
  expect(await countImported()).toBe(20)
})

test('GET /limits lists how many requests of a user run statements at once (issue 8, A7)', async () => {
  const { body } = await docket.request('GET', '/limits', { as: other })
  const lines = (body as { data: { name: string; value: number }[] }).data
  expect(lines.filter(({ name }) => name.includes('requests of'))).toEqual([
    {
      service: 'all',
      name: 'requests of a user that run statements at once',
      value: perUser,
      unit: 'requests',
      status: 429,
    },
    { service: 'all', name: 'wait for other requests of the user', value: 2_000, unit: 'ms', status: 429 },
  ])
})

/** Runs `work` while statements of the administrator hold all places of theirs: they wait for a row that this test has locked. */
async function whileHeld<T>(work: () => Promise<T>): Promise<T & { readonly held: readonly Answer[] }> {
  let held: readonly Promise<Answer>[] = []
  const done = await docket.database.inTransaction(async (session) => {
    await session.rows(sql`select 1 from docket.company where sys_id = ${company}::bigint for update`)
    held = Array.from({ length: perUser }, (_, n) =>
      docket.request('PATCH', `/rest/v1/table/company/${company}`, { as: admin, body: { city: `city ${n}` } }),
    )
    while ((await countBlocked()) < perUser) await new Promise((resolve) => setTimeout(resolve, 10))
    return work()
  })
  return { ...done, held: await Promise.all(held) }
}

/** On another connection: within a transaction PostgreSQL shows this view as it was at the first look. */
async function countBlocked(): Promise<number> {
  const [row] = await docket.database.rows<{ count: number }>(sql`
    select count(*)::integer as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`)
  return row?.count ?? 0
}

const readOne = (as: Caller) => docket.request('GET', `/rest/v1/table/company/${company}`, { as })

function shown({ status, headers, body }: Answer) {
  return { status, retryAfter: headers['retry-after'], body }
}

async function countImported(): Promise<number> {
  const [row] = await docket.database.rows<{ count: number }>(
    sql`select count(*)::integer as count from docket.company where name like 'imported %'`,
  )
  return row?.count ?? 0
}

async function createCompany(name: string): Promise<string> {
  const { body } = await docket.request('POST', '/rest/v1/table/company', { as: admin, body: { name } })
  return (body as { data: { sys_id: string }[] }).data[0]?.sys_id ?? ''
}

async function createOther(): Promise<void> {
  const { user: userName, password } = other
  const about = { displayName: null, email: null, language: 'en', timeZone: 'UTC' } as const
  const made = await createUser(docket.database, { userName, password, ...about, roles: ['admin'] })
  if (!made.ok) throw new Error(JSON.stringify(made.error))
}
