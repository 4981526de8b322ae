import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openAttachmentStore } from '../../src/attachments/open-attachments.ts'
import { readSettings } from '../../src/config/settings.ts'
import { type Database, openDatabase } from '../../src/database/database.ts'
import { demoUsers } from '../../src/demo/demo-users.ts'
import { fillDemoDesk } from '../../src/demo/fill-demo-desk.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { sql } from '../../src/kernel/sql.ts'
import { fillOnFirstStart } from '../../src/start/first-start.ts'
import { observeNothing } from '../../src/telemetry/observation.ts'
import { admin, copyDatabase, type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'
import { runCommand } from '../harness/run-command.ts'
import { type RunningDocket, startDocket } from '../harness/start-docket.ts'

const folders: string[] = []
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'docket-demo-'))
  folders.push(folder)
  return folder
}
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

async function firstStart(database: Database, dataDir: string, demo: 'on' | 'off'): Promise<void> {
  const store = await openAttachmentStore({ dataDir, objectStore: null, clock: systemClock })
  await fillOnFirstStart(database, {
    settings: readSettings({ DOCKET_DEMO: demo }),
    observe: observeNothing,
    fillDemo: (session) => fillDemoDesk(session, { database, store, nowMs: systemClock.nowMs() }),
  })
}

/** Filled once, because that takes most of the time here: each test has a copy of its rows and files. */
let filled: FreshDatabase
const filledDir = newFolder()
beforeAll(async () => {
  filled = await freshDatabase()
  const { connectionString } = filled
  const database = openDatabase({ connectionString, maxConnections: 4, statementTimeoutMs: 30_000 })
  await firstStart(database, filledDir, 'on')
  // A database with a connection cannot be copied.
  await database.close()
})
afterAll(() => filled.drop())

function copyOfFiles(): string {
  const folder = newFolder()
  cpSync(filledDir, folder, { recursive: true })
  return folder
}

const removeDemo = ({ connectionString }: FreshDatabase, dataDir: string, ...options: readonly string[]) =>
  runCommand({ DOCKET_DATABASE_URL: connectionString, DOCKET_DATA_DIR: dataDir }, ['demo', 'remove', ...options])

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)

/** Counters and positions only rise, and what was removed is kept for searches that still run. */
const risingTables = new Set([
  'docket_system.epoch',
  'docket_system.catalog_part',
  'docket_system.changed_table',
  'docket_documents.change_log',
])
const ofDocumentThatIsThere = `document_id in (select d.id from docket_documents.document d join docket_documents.collection c on c.id = d.collection_id
    where d.removed_position is null and c.removed_position is null)`
const removedFromCollections: Readonly<Record<string, string>> = {
  'docket_documents.collection': 'removed_position is null',
  'docket_documents.document': `removed_position is null and collection_id in (select id from docket_documents.collection where removed_position is null)`,
  'docket_documents.chunk': ofDocumentThatIsThere,
  'docket_documents.document_terms': ofDocumentThatIsThere,
  'docket_documents.follow': `collection_id in (select id from docket_documents.collection where removed_position is null)`,
}

/** All rows of Docket's tables, by table. */
async function contentsOf({ database }: FreshDatabase): Promise<Readonly<Record<string, readonly string[]>>> {
  const tables = await database.rows<{ readonly name: string; readonly quoted: string }>(sql`
    select n.nspname || '.' || c.relname as name, format('%I.%I', n.nspname, c.relname) as quoted
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in ('docket', 'docket_system', 'docket_documents') and c.relkind = 'r' order by 1`)
  const contents: Record<string, readonly string[]> = {}
  for (const { name, quoted } of tables.filter((table) => !risingTables.has(table.name))) {
    const rows = await database.rows<{ readonly row: string }>(sql`
      select (to_jsonb(x) - ${name === 'docket_system.setup_step' ? ['outcome', 'done_at'] : ['position_of_nothing']}::text[])::text as row
      from ${sql.raw(quoted)} as x where ${sql.raw(removedFromCollections[name] ?? 'true')} order by 1`)
    contents[name] = rows.map(({ row }) => row)
  }
  return contents
}

test('what remains after docket demo remove is a server that never had the demo (issue 8, A6)', async () => {
  const [withDemo, withoutDemo] = await Promise.all([copyDatabase(filled), freshDatabase()])
  const dataDir = copyOfFiles()
  try {
    await firstStart(withoutDemo.database, newFolder(), 'off')
    expect(filesIn(join(dataDir, 'attachments')).length).toBeGreaterThan(0)

    const requested = await removeDemo(withDemo, dataDir)
    expect(requested).toMatchObject({
      code: 2,
      errors: 'Nothing was removed: add --yes to delete without a question.\n',
    })
    expect(requested.output).toMatch(/task \d{4}.*user 200/)
    expect(requested.output).toContain('collections: docket-docs, knowledge, open-incidents')

    expect(await removeDemo(withDemo, dataDir, '--yes')).toMatchObject({
      code: 0,
      output: expect.stringMatching(/Removed the demo desk\.\n$/),
      errors: '',
    })
    expect(filesIn(join(dataDir, 'attachments'))).toEqual([])
    const [left, never] = [await contentsOf(withDemo), await contentsOf(withoutDemo)]
    for (const [table, rows] of Object.entries(never)) expect([table, left[table]]).toEqual([table, rows])
    expect(Object.keys(left)).toEqual(Object.keys(never))

    expect(await removeDemo(withDemo, dataDir, '--yes')).toMatchObject({
      code: 0,
      output: 'There is no demo desk in this database.\n',
    })
  } finally {
    await Promise.all([withDemo.drop(), withoutDemo.drop()])
  }
})

test('a demo from before its rows were recorded is recognised (issue 8, A6)', async () => {
  const fresh = await copyDatabase(filled)
  try {
    const recorded = sql`
      select storage_table, array(select i from unnest(ids) as i order by i)::text as ids from docket_system.demo_record
      where storage_table like 'docket%' order by 1`
    const before = await fresh.database.rows(recorded)
    expect(before.length).toBeGreaterThan(15)
    const [file = ''] = readdirSync('migrations').filter((name) => name.endsWith('_demo_records.sql'))
    await fresh.database.rows(sql`drop table docket_system.demo_record`)
    await fresh.database.rows(sql.raw(readFileSync(join('migrations', file), 'utf8')))
    expect(await fresh.database.rows(recorded)).toEqual(before)
  } finally {
    await fresh.drop()
  }
})

let fresh: FreshDatabase
let docket: RunningDocket
let dataDir: string
beforeAll(async () => {
  fresh = await copyDatabase(filled)
  dataDir = copyOfFiles()
  docket = await startDocket({ fresh, environment: { DOCKET_DATA_DIR: dataDir } })
})
afterAll(async () => {
  await docket.close()
  await fresh.drop()
})

async function send(user: string, line: string, body?: unknown) {
  const [method = '', path = ''] = line.split(' ')
  const password = demoUsers.find(({ userName }) => userName === user)?.password ?? admin.password
  return docket.request(method, path, { as: { user, password }, ...(body === undefined ? {} : { body }) })
}
async function create(user: string, table: string, values: Record<string, unknown>): Promise<string> {
  const { status, text, body } = await send(user, `POST /rest/v1/table/${table}?sysparm_fields=sys_id`, values)
  if (status !== 200) throw new Error(text)
  return (body as { data: [{ sys_id: string }] }).data[0].sys_id
}

test('while records of real users refer to the demo nothing is removed; then theirs stay, beside a running server (issue 8, A6)', async () => {
  const vera = await create('admin', 'user', { user_name: 'vera', password: admin.password })
  const real = await create('admin', 'itsm_incident', {
    subject: 'A real one',
    caller: { find: { user_name: 'john.smith' } },
  })
  const played = await create('anna.petrova', 'itsm_incident', { subject: 'A try', caller: vera })
  const note = await create('admin', 'sys_filter', {
    title: 'Mine',
    table_id: { find: { name: 'task' } },
    condition: 'active=true',
  })
  await send('admin', `POST /load_text_to_collection?collection_name=knowledge`, {
    metadata: { doc_id: 'ours' },
    text: 'Our own article.',
  })
  await send('maria.sokolova', `POST /load_text_to_collection?collection_name=tried`, { metadata: {}, text: 'A try.' })

  const blocked = await removeDemo(fresh, dataDir, '--yes')
  expect(blocked).toEqual({
    code: 1,
    output: '',
    errors: expect.stringMatching(
      new RegExp(
        `^Nothing was removed: 1 reference of other records lead to the demo\\. Change or delete these first:\n  task ${real} \\(INC\\d+\\): caller\n$`,
      ),
    ),
  })
  expect((await send('john.smith', 'GET /rest/v1/table/task?sysparm_limit=1')).status).toBe(200)

  await send('admin', `PATCH /rest/v1/table/task/${real}`, { caller: vera })
  expect(await removeDemo(fresh, dataDir, '--yes')).toMatchObject({ code: 0, errors: '' })

  const ids = async (path: string) =>
    ((await send('admin', `GET ${path}`)).body as { data: readonly { sys_id: string }[] }).data.map(
      ({ sys_id }) => sys_id,
    )
  const login = { username: 'john.smith', password: 'demo-john-4820' }
  expect((await docket.request('POST', '/v1/auth/login', { body: login })).status).toBe(401)
  expect(await ids('/rest/v1/table/task?sysparm_fields=sys_id')).toEqual([real])
  expect(await ids(`/rest/v1/table/task?sysparm_query=sys_id=${played}`)).toEqual([])
  expect(await ids('/rest/v1/table/sys_filter?sysparm_fields=sys_id')).toEqual([note])
  expect((await ids('/rest/v1/table/user?sysparm_query=user_name!=admin')).sort()).toEqual([vera])
  expect((await send('admin', 'GET /get_list_of_collection')).body).toMatchObject({ data: ['knowledge'] })
  expect((await send('admin', 'GET /get_list_of_documents_names?collection_name=knowledge')).body).toMatchObject({
    data: ['ours'],
  })
})
