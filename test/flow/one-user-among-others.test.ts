import { readdirSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { documentFolders } from '../../src/documents/document-folders.ts'
import { createUser } from '../../src/identity/manage-users.ts'
import { sql } from '../../src/kernel/sql.ts'
import { admin } from '../harness/fresh-database.ts'
import { type EventReader, readEvents, type ServerSentEvent } from '../harness/read-events.ts'
import type { Caller, ReceivedResponse } from '../harness/send-request.ts'
import { type RunningDocket, startDocket } from '../harness/start-docket.ts'

/** 10 connections, which is the default: 7 requests of one user run statements at once. */
let docket: RunningDocket
const other = { user: 'other', password: 'other-password' }
/** With other rights than the two administrators, so that their reads are not shared with this user. */
const clerk = { user: 'clerk', password: 'clerk-password' }
let company: string
beforeAll(async () => {
  docket = await startDocket({ environment: { DOCKET_DATABASE_POOL: '10' } })
  await addUser(other, ['admin'])
  await addUser(clerk, ['itil'])
  await docket.database.rows(sql`
    insert into docket.sys_security_acl (operation, table_name, roles, condition)
    select 'read', 'company', array[sys_id::text], 'nameISNOTEMPTY' from docket.sys_role where name = 'itil'`)
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
  expect(over.map(displayed)).toEqual(over.map(() => tooManyRequests))
  expect(others.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(held.map(({ status }) => status)).toEqual(held.map(() => 200))
  expect((await readOne(admin)).status).toBe(200)
})

const counted = [
  ['a list', 'GET', '/rest/v1/table/company'],
  ['aggregates', 'GET', '/rest/v1/stats/sys_history'],
  ['history', 'GET', '/rest/v1/history/company/1'],
  ['a search', 'POST', '/get_relevant_documents?query=x'],
  ['documents by tag', 'POST', '/get_content_by_tag?collection_name=c&tag_info=a=1'],
  ['the status of a document', 'GET', '/get_document_status?collection_name=c&id_value=1'],
  ['the file of a document', 'GET', '/get_document_file?collection_name=c&id_value=1'],
  ['the explanation of a right', 'GET', '/rest/v1/acl/explain?table=company'],
  ['the download of an attachment', 'GET', '/v1/attachments/1/file'],
  ['the removal of an attachment', 'DELETE', '/v1/attachments/1'],
  ['the upload of an attachment', 'POST', '/v1/attachments/upload/company/1'],
  ['the secret of a webhook', 'POST', '/rest/v1/webhooks/1/secret'],
  ['a repeated delivery', 'POST', '/rest/v1/webhook_deliveries/1/resend'],
  ['what a collection follows', 'GET', '/collections/c/follow'],
] as const

test('what sends statements for its caller counts as a running statement (issue 8, A7)', async () => {
  const { over } = await whileHeld(async () => ({
    over: await Promise.all(counted.map(([, method, path]) => docket.request(method, path, { as: admin }))),
  }))
  const statuses = over.map(({ status, headers }, n) => [counted[n]?.[0], status, headers['retry-after']])
  expect(statuses).toEqual(counted.map(([name]) => [name, 429, '2']))
})

test('rows of an import wait without a time limit, and none of them is lost (issue 8, A7)', async () => {
  const rows = Array.from({ length: 20 }, (_, n) => ({ name: `imported ${n}` }))
  const body = rows.map((row) => JSON.stringify(row)).join('\n')
  let imported: Promise<ReceivedResponse> | undefined
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

test('the statements of an upload that was received wait without a time limit (issue 8, A7)', async () => {
  const upload = beginUpload(company)
  await upload.received
  let uploaded: Promise<Response> | undefined
  const { before } = await whileHeld(async () => {
    uploaded = upload.finish()
    await readOne(admin)
    return { before: await countAttachments() }
  })
  expect(before).toBe(0)
  expect((await uploaded)?.status).toBe(200)
  expect(await countAttachments()).toBe(1)
})

test('an event stream reads changes when its user may run statements, and misses none (issue 8, A7)', async () => {
  const [own, others] = [await listen(admin), await listen(clerk)]
  const { before, created } = await whileHeld(async () => {
    const created: string[] = []
    for (const name of ['first', 'second', 'third']) {
      const id = await createCompany(name, other)
      await others.until((events) => events.map(idIn).includes(id))
      created.push(id)
    }
    return { before: [...own.events], created }
  })
  expect(before).toEqual([])
  const events = await own.until((all) => created.every((id) => all.map(idIn).includes(id)))
  expect(events.map(idIn).filter((id) => id !== company)).toEqual(created)
  await Promise.all([own.close(), others.close()])
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

/** Runs `work` while statements of the administrator hold all their places: they wait for a row that this test has locked. */
async function whileHeld<T>(work: () => Promise<T>): Promise<T & { readonly held: readonly ReceivedResponse[] }> {
  let held: readonly Promise<ReceivedResponse>[] = []
  const done = await docket.database.inTransaction(async (session) => {
    await session.rows(sql`select 1 from docket.company where sys_id = ${company}::bigint for update`)
    held = Array.from({ length: perUser }, (_, n) =>
      docket.request('PATCH', `/rest/v1/table/company/${company}`, { as: admin, body: { city: `city ${n}` } }),
    )
    while ((await countBlocked()) < perUser) await delay(10)
    return work()
  })
  return { ...done, held: await Promise.all(held) }
}

/** On another connection: within a transaction PostgreSQL returns the first snapshot of this view again. */
async function countBlocked(): Promise<number> {
  const [row] = await docket.database.rows<{ count: number }>(sql`
    select count(*)::integer as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`)
  return row?.count ?? 0
}

const readOne = (as: Caller) => docket.request('GET', `/rest/v1/table/company/${company}`, { as })

function displayed({ status, headers, body }: ReceivedResponse) {
  return { status, retryAfter: headers['retry-after'], body }
}

async function countImported(): Promise<number> {
  const [row] = await docket.database.rows<{ count: number }>(
    sql`select count(*)::integer as count from docket.company where name like 'imported %'`,
  )
  return row?.count ?? 0
}

async function countAttachments(): Promise<number> {
  const [row] = await docket.database.rows<{ count: number }>(
    sql`select count(*)::integer as count from docket.sys_attachment where record_id = ${company}`,
  )
  return row?.count ?? 0
}

const authorization = ({ user, password }: typeof other) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

/** Sends the first half of a file. The server receives it after it has checked the rights. */
function beginUpload(record: string) {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  const write = (text: string) => writer.write(Buffer.from(text))
  const response = fetch(`${docket.baseUrl}/v1/attachments/upload/company/${record}`, {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=b', authorization: authorization(admin) },
    body: readable,
    duplex: 'half',
  })
  const receive = async (): Promise<void> => {
    await write('--b\r\ncontent-disposition: form-data; name="files[]"; filename="late.txt"\r\n\r\nfirst half')
    while (readdirSync(documentFolders(docket.dataDir).uploadFolder).length === 0) await delay(10)
  }
  const finish = async (): Promise<Response> => {
    await write(', second half\r\n--b--\r\n')
    await writer.close()
    return response
  }
  return { received: receive(), finish }
}

async function listen(as: typeof other): Promise<EventReader> {
  const reader = await readEvents(`${docket.baseUrl}/rest/v1/events?tables=company`, {
    authorization: authorization(as),
  })
  await reader.until(() => reader.lastId() !== null)
  return reader
}

const idIn = ({ data }: ServerSentEvent) => (data as { sys_id: string }).sys_id

async function createCompany(name: string, as: Caller = admin): Promise<string> {
  const { body } = await docket.request('POST', '/rest/v1/table/company', { as, body: { name } })
  return (body as { data: { sys_id: string }[] }).data[0]?.sys_id ?? ''
}

async function addUser({ user: userName, password }: typeof other, roles: readonly string[]): Promise<void> {
  const about = { displayName: null, email: null, language: 'en', timeZone: 'UTC' } as const
  const made = await createUser(docket.database, { userName, password, ...about, roles })
  if (!made.ok) throw new Error(JSON.stringify(made.error))
}
