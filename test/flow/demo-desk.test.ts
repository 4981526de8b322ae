import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openAttachmentStore } from '../../src/attachments/open-attachments.ts'
import { demoUsers } from '../../src/demo/demo-users.ts'
import { fillDemoDesk } from '../../src/demo/fill-demo-desk.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { sql } from '../../src/kernel/sql.ts'
import { admin, type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'
import { type RunningDocket, startDocket } from '../harness/start-docket.ts'

// The desk as `npm start` fills it, on a server: what can only be tested over HTTP, files and followed collections with their rights.

const nowMs = Date.UTC(2026, 2, 17, 12, 0, 0)

let fresh: FreshDatabase
let docket: RunningDocket
let dataDir: string
beforeAll(async () => {
  fresh = await freshDatabase()
  dataDir = mkdtempSync(join(tmpdir(), 'docket-desk-'))
  const { database } = fresh
  const store = await openAttachmentStore({ dataDir, objectStore: null, clock: systemClock })
  await database.inTransaction((session) => fillDemoDesk(session, { database, store, nowMs }))
  docket = await startDocket({ fresh, environment: { DOCKET_DATA_DIR: dataDir } })
})
afterAll(async () => {
  await docket.close()
  await fresh.drop()
  rmSync(dataDir, { recursive: true, force: true })
})

type Name = (typeof demoUsers)[number]['userName'] | 'admin'
const send = (name: Name, line: string, body?: unknown) => {
  const [method = '', ...path] = line.split(' ')
  const password = demoUsers.find(({ userName }) => userName === name)?.password ?? admin.password
  const as = { user: name, password }
  return docket.request(method, encodeURI(path.join(' ')), { as, ...(body === undefined ? {} : { body }) })
}
const dataOf = async (name: Name, line: string, body?: unknown) => {
  const response = await send(name, line, body)
  if (response.status !== 200) throw new Error(`${response.status} ${response.text}`)
  return (response.body as { data: readonly Record<string, unknown>[] }).data
}
const followed = async () => {
  const response = await send('admin', 'GET /collections/open-incidents/follow')
  return (response.body as { data: Record<string, unknown> }).data
}
const documentsOf = (name: Name) => dataOf(name, 'GET /get_list_of_documents_names?collection_name=open-incidents')
const patience = { timeout: 120_000, interval: 100 }

test('open incidents are a collection that follows them, and a comparison finds nothing to mend', async () => {
  const [counted] = await fresh.database.rows<{ open: number }>(sql`
    select count(*)::int as open from docket.task t join docket.sys_db_table d on d.sys_id = t.sys_db_table_id
    where d.name = 'itsm_incident' and t.active`)
  const open = counted?.open ?? 0
  expect(open).toBeGreaterThan(50)
  const state = { collection: 'open-incidents', table: 'itsm_incident', query: 'active=true', error: null }
  // A comparison may be due when the server starts.
  await expect.poll(followed, patience).toMatchObject({ ...state, state: 'following', documents: open })
  const published = sql`select max(d.version)::int as version, max(d.added_position)::text as last, count(*)::int as documents
    from docket_documents.document d join docket_documents.collection c on c.id = d.collection_id where c.name = 'open-incidents' and d.removed_position is null`
  const before = await fresh.database.rows(published)
  expect((await send('admin', 'POST /collections/open-incidents/follow/compare')).status).toBe(200)
  await expect.poll(followed, patience).toMatchObject({ state: 'following', error: null, documents: open })
  expect(await fresh.database.rows(published)).toEqual(before)
})

test('callers find the incidents that they may read, the desk finds all', async () => {
  for (const name of ['john.smith', 'elena.volkova', 'anna.petrova'] as const) {
    const own = await dataOf(
      name,
      'GET /rest/v1/table/itsm_incident?sysparm_query=active=true&sysparm_fields=sys_id&sysparm_limit=0',
    )
    const found = await documentsOf(name)
    expect(new Set(found)).toEqual(new Set(own.map(({ sys_id }) => sys_id)))
  }
})

test('an incident is found by its words once it is opened, with its solution once it has one, and no longer when it is closed', async () => {
  const [made] = await dataOf('anna.petrova', 'POST /rest/v1/table/itsm_incident?sysparm_fields=sys_id,number', {
    subject: 'Zeppelin hangar door',
    description: 'It hums.',
  })
  const id = String(made?.['sys_id'])
  const search = async () => {
    const requested = { query: 'zeppelin', k: 3, collection_names: ['open-incidents'] }
    return (await dataOf('michael.brown', 'POST /get_relevant_documents', requested)).map(({ doc_id, text }) => [
      doc_id,
      text,
    ])
  }
  const text = `${String(made?.['number'])} Zeppelin hangar door\n\nIt hums.`
  await expect.poll(search, patience).toEqual([[id, text]])
  for (const state of ['1', '7'])
    await dataOf('anna.petrova', `PATCH /rest/v1/table/itsm_incident/${id}`, { state, closure_notes: 'Oiled.' })
  await expect.poll(search, patience).toEqual([[id, `${text}\n\nOiled.`]])
  await dataOf('anna.petrova', `PATCH /rest/v1/table/itsm_incident/${id}`, { state: '10' })
  await expect.poll(search, patience).toEqual([])
})

test('files come as they were attached, to whoever may read their record', async () => {
  const files = await dataOf(
    'anna.petrova',
    'GET /rest/v1/table/sys_attachment?sysparm_fields=sys_id,file_name,content_type,size_bytes,hash,record_id&sysparm_limit=0',
  )
  expect(files.length).toBeGreaterThan(30)
  for (const file of files) {
    const response = await send('anna.petrova', `GET /v1/attachments/${String(file['sys_id'])}/file`)
    expect([response.status, response.headers['content-type'], response.headers['content-length']]).toEqual([
      200,
      expect.stringContaining(String(file['content_type'])),
      file['size_bytes'],
    ])
  }
  const pictures = await dataOf(
    'anna.petrova',
    'GET /rest/v1/table/task?sysparm_query=screenshotISNOTEMPTY&sysparm_fields=screenshot&sysparm_display_value=all',
  )
  const links = pictures.map(({ screenshot }) => String((screenshot as { display_value: unknown }).display_value))
  expect(links.length).toBeGreaterThan(2)
  for (const link of links) expect((await send('anna.petrova', `GET ${new URL(link).pathname}`)).status).toBe(200)
  const seen = await dataOf('john.smith', 'GET /rest/v1/table/sys_attachment?sysparm_fields=record_id&sysparm_limit=0')
  const own = await dataOf('john.smith', 'GET /rest/v1/table/task?sysparm_fields=sys_id&sysparm_limit=0')
  const ids = new Set(own.map(({ sys_id }) => sys_id))
  expect(seen.filter(({ record_id }) => !ids.has(record_id))).toEqual([])
})

test('the history of a solved incident reads from its opening to its end', async () => {
  const [incident] = await dataOf(
    'anna.petrova',
    'GET /rest/v1/table/itsm_incident?sysparm_query=state=10^reopen_count=1^ORDERBYDESCopened_at&sysparm_fields=sys_id&sysparm_limit=1',
  )
  const changes = await dataOf(
    'anna.petrova',
    `GET /rest/v1/history/itsm_incident/${String(incident?.['sys_id'])}?sysparm_limit=1000`,
  )
  const states = changes
    .toReversed()
    .flatMap(({ changes: columns }) =>
      (columns as readonly Record<string, unknown>[])
        .filter(({ column }) => column === 'state')
        .map((change) => [change['old_value'], change['new_value']]),
    )
  expect(changes.at(-1)).toMatchObject({ operation: 'create' })
  expect(states[0]).toEqual([null, '0'])
  expect(states.at(-1)).toEqual(['7', '10'])
  expect(states.slice(1).map(([old]) => old)).toEqual(states.slice(0, -1).map(([, next]) => next))
  expect(states.map(([, next]) => next)).toContain('6')
  expect(new Set(changes.map(({ changed_by: by }) => (by as { value: string }).value)).size).toBeGreaterThan(1)
})

test('nothing of it is on its way to anybody', async () => {
  expect(await dataOf('admin', 'GET /rest/v1/table/sys_webhook?sysparm_fields=active')).toEqual([{ active: false }])
  expect(await dataOf('admin', 'GET /rest/v1/table/sys_webhook_delivery')).toEqual([])
})

test('a caller who opens a ticket is its caller, and a ticket needs a subject', async () => {
  const fields = '?sysparm_fields=caller,opened_by&sysparm_exclude_reference_link=1'
  const [own] = await dataOf('john.smith', `POST /rest/v1/table/itsm_incident${fields}`, { subject: 'No sound' })
  expect(own?.['caller']).toBe(own?.['opened_by'])
  const [given] = await dataOf('anna.petrova', `POST /rest/v1/table/itsm_incident${fields}`, {
    subject: 'No sound',
    caller: own?.['caller'],
  })
  expect([given?.['caller'], given?.['opened_by'] === given?.['caller']]).toEqual([own?.['caller'], false])
  for (const table of ['itsm_incident', 'itsm_request']) {
    const { status, body } = await send('john.smith', `POST /rest/v1/table/${table}`, { description: 'No subject' })
    expect([status, (body as { errors: unknown }).errors]).toEqual([
      422,
      [
        {
          message: 'The value of subject is rejected: it is mandatory; give it a value.',
          code: 'INVALID_VALUE',
          field: 'subject',
        },
      ],
    ])
  }
})
