import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { migrate } from '../../../src/database/migrations.ts'
import { sql } from '../../../src/kernel/sql.ts'
import { observeNothing } from '../../../src/telemetry/observation.ts'
import { admin, type FreshDatabase, freshDatabase } from '../../harness/fresh-database.ts'
import { readEvents } from '../../harness/read-events.ts'
import { runCommand } from '../../harness/run-command.ts'
import { temporaryFolder } from '../../harness/spawn-docket.ts'
import { type RunningDocket, startDocket } from '../../harness/start-docket.ts'
import { type DatabasePrint, printDatabase, withoutIdentity } from './database-print.ts'

// A desk with everything that a backup can contain is backed up and restored into another database and folder; then both are equal:
// definitions, rows, sequences, files, and their responses over HTTP.

const folder = temporaryFolder()
const places = { source: join(folder, 'source'), copy: join(folder, 'copy') }
const file = join(folder, 'desk.backup')
let source: FreshDatabase
let copy: FreshDatabase
const environment = (database: FreshDatabase, dataDir: string) => ({
  DOCKET_DATABASE_URL: database.connectionString,
  DOCKET_DATA_DIR: dataDir,
})

beforeAll(async () => {
  source = await freshDatabase('empty')
  copy = await freshDatabase('blank')
  const docket = await startDocket({ fresh: source, environment: environment(source, places.source) })
  try {
    await fillDesk(docket)
  } finally {
    await docket.close()
  }
})
afterAll(async () => {
  await source.drop()
  await copy.drop()
  rmSync(folder, { recursive: true, force: true })
})

async function fillDesk(docket: RunningDocket): Promise<void> {
  const create = async (table: string, body: unknown): Promise<string> => {
    const { status, body: made, text } = await docket.request('POST', `/rest/v1/table/${table}`, { as: admin, body })
    expect(status, text).toBe(200)
    return (made as { data: readonly { sys_id: string }[] }).data[0]?.sys_id ?? ''
  }
  // Tables, columns and indexes that administrators created with the dictionary.
  const table = await create('sys_db_table', { name: 'u_asset', title: 'Assets', is_audit: true, is_extendable: true })
  const column = (name: string, type: string, more: object = {}) =>
    create('sys_db_column', {
      table_id: table,
      column_name: name,
      title: name,
      column_type_id: { find: { name: type } },
      ...more,
    })
  await column('u_tag', 'string', { unique: true, mandatory: true, display_by_ref: true, full_text_search: true })
  await column('number', 'string')
  await column('u_price', 'decimal')
  await column('u_owner', 'reference', { reference_id: { find: { name: 'user' } } })
  await column('u_state', 'choice', { default_value: 'new' })
  await column('u_labels', 'list')
  await column('u_facts', 'json')
  await create('sys_db_table', { name: 'u_laptop', title: 'Laptops', parent_id: table })
  await create('sys_number', { table_id: table, prefix: 'AST', digits: 5, start: 100 })
  await create('sys_db_index', { table_id: table, column_names: ['u_price'], purpose: 'order' })
  // Values that a text format has to escape.
  const asset = await create('u_asset', {
    u_tag: 'tab\t, backslash \\, line\nbreak, "quotes", ёж 🦔, \\N',
    u_price: '12.50',
    u_labels: ['a', 'b,c', ''],
    u_facts: { a: [1, null, '\\'] },
  })
  for (const subject of ['first', 'second', 'third'])
    await create('itsm_incident', { subject, priority: '2', work_notes: 'noted' })
  await create('u_laptop', { u_tag: 'second', u_price: null })
  await create('sys_webhook', { name: 'Receiver', url: 'https://receiver.example.com/hook', active: false })
  await create('sys_property', { name: 'desk.motto', value: 'all is kept' })
  const form = new FormData()
  form.set('files[]', new Blob([Buffer.alloc(3_000_000, 'log line\n')]), 'long.log')
  const basic = `Basic ${Buffer.from(`${admin.user}:${admin.password}`).toString('base64')}`
  const headers = { authorization: basic }
  const attached = await fetch(`${docket.baseUrl}/v1/attachments/upload/u_asset/${asset}`, {
    method: 'POST',
    body: form,
    headers,
  })
  expect(attached.status, await attached.text()).toBe(200)
  for (const name of ['one', 'two']) {
    const document = new FormData()
    document.set('metadata', JSON.stringify({ doc_id: name }))
    document.set('file', new Blob([`# ${name}\n\nThe printer ${name} prints blue pages.`]), `${name}.md`)
    const address = `${docket.baseUrl}/load_document_to_collection?collection_name=manual`
    const loaded = await fetch(address, { method: 'POST', body: document, headers })
    expect(loaded.status, await loaded.text()).toBeLessThan(300)
  }
  // An adopted table: its dictionary rows are Docket's, its own rows are not.
  await docket.database.rows(
    sql.raw('create schema depot; create table depot.crate (id integer primary key, name text)'),
  )
  const adopted = await runCommand(environment(source, places.source), ['adopt', '--schema', 'depot'])
  expect(adopted.errors).toBe('')
  await indexIsBuilt(docket)
}

async function indexIsBuilt({ database }: RunningDocket): Promise<void> {
  for (;;) {
    const [row] = await database.rows(sql<{ waiting: number }>`
      select count(*)::integer as waiting from docket.sys_db_index where state = 'waiting'`)
    if (row?.waiting === 0) return
  }
}

const filesBelow = (folderName: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(folderName, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /^[0-9a-f]{64}$/.test(entry.name))
      .map(({ parentPath, name }) => [
        join(parentPath, name).slice(folderName.length),
        createHash('sha256')
          .update(readFileSync(join(parentPath, name)))
          .digest('hex'),
      ]),
  )

const paths = [
  '/rest/v1/table/u_asset?sysparm_query=ORDERBYsys_id',
  '/rest/v1/table/task?sysparm_limit=200&sysparm_query=ORDERBYsys_id&sysparm_display_value=all',
  '/rest/v1/table/user?sysparm_limit=200&sysparm_query=ORDERBYsys_id',
  '/rest/v1/table/sys_history?sysparm_limit=100&sysparm_query=ORDERBYsys_id',
  '/rest/v1/table/sys_journal_entry?sysparm_limit=100&sysparm_query=ORDERBYsys_id',
  '/rest/v1/table/sys_attachment?sysparm_query=ORDERBYsys_id',
  '/rest/v1/table/sys_webhook',
  '/rest/v1/table/sys_property?sysparm_query=ORDERBYname',
  '/rest/v1/table/sys_security_acl?sysparm_limit=200&sysparm_query=ORDERBYsys_id',
  '/rest/v1/stats/task?sysparm_count=true&sysparm_group_by=state',
  '/get_relevant_documents?query=blue%20pages&collection_names=manual',
  '/openapi.json',
]

async function responsesOf(database: FreshDatabase, dataDir: string): Promise<readonly unknown[]> {
  const docket = await startDocket({ fresh: database, environment: environment(database, dataDir) })
  try {
    const responses: unknown[] = []
    for (const path of paths) {
      const { status, text } = await docket.request('GET', path, { as: admin })
      const body = text.replaceAll(docket.baseUrl, 'BASE').replaceAll(/"took_ms":[\d.]+/g, '"took_ms":0')
      responses.push([path, status, body])
    }
    const made = await docket.request('POST', '/rest/v1/table/u_asset', { as: admin, body: { u_tag: 'after' } })
    responses.push([made.status, (made.body as { data: readonly { number?: string }[] }).data[0]?.number])
    return responses
  } finally {
    await docket.close()
  }
}

describe('a restored copy (issue 8, C1)', () => {
  let before: DatabasePrint
  let after: DatabasePrint
  beforeAll(async () => {
    const written = await runCommand(environment(source, places.source), ['backup', file])
    expect([written.code, written.output]).toEqual([0, ''])
    expect(written.errors).toContain(
      'Rows of adopted tables are not in it; back them up with their own database: crate (depot.crate).',
    )
    before = await printDatabase(source.connectionString)
    const restored = await runCommand(environment(copy, places.copy), ['restore', file])
    expect([restored.code, restored.errors]).toEqual([0, ''])
    expect(restored.output).toContain(`Restored ${file}`)
    expect(restored.output).not.toContain('differs')
    after = await printDatabase(copy.connectionString)
    // Adopted tables are restored with their own database.
    await copy.database.rows(
      sql.raw('create schema depot; create table depot.crate (id integer primary key, name text)'),
    )
  })

  test('has every definition that the original has', () => {
    expect(before.catalog['columns']?.length).toBeGreaterThan(400)
    expect(after.catalog).toEqual(before.catalog)
  })

  test('has every row of every table', () => {
    expect(Object.keys(before.rows).length).toBeGreaterThan(60)
    expect(withoutIdentity(after).rows).toEqual(withoutIdentity(before).rows)
  })

  test('goes on counting where the original stopped', () => {
    expect(withoutIdentity(after).sequences).toEqual(withoutIdentity(before).sequences)
  })

  test('is another database for search indexes on a disk, and gives no change an id that the original may have given', () => {
    const log = 'docket_documents.change_log'
    expect(after.rows[log]).not.toEqual(before.rows[log])
    const positionOf = ({ sequences }: DatabasePrint): bigint =>
      BigInt(
        Object.entries(sequences)
          .find(([name]) => name.startsWith('docket_system.change_position '))?.[1]
          .split(' ')[0] ?? '0',
      )
    expect(positionOf(after) - positionOf(before)).toBe(10_000_000n * 100_000_000n)
  })

  test('has every file', () => {
    const files = filesBelow(places.source)
    expect(Object.keys(files).length).toBeGreaterThanOrEqual(3)
    expect(filesBelow(places.copy)).toEqual(files)
    for (const [path, hash] of Object.entries(files)) expect(path.endsWith(hash)).toBe(true)
  })

  test('responds as the original does, and continues its numbers', async () => {
    const [original, restored] = [await responsesOf(source, places.source), await responsesOf(copy, places.copy)]
    expect(original.map((response) => (response as unknown[])[1])).toEqual([
      ...paths.map(() => 200),
      expect.stringMatching(/^AST/),
    ])
    expect(restored).toEqual(original)
  })

  test('keeps a backup whole: --check reads it, and says what it is', async () => {
    const checked = await runCommand(environment(copy, places.copy), ['restore', '--check', file])
    expect([checked.code, checked.errors]).toEqual([0, ''])
    expect(checked.output).toContain(`${file} is whole: Docket 0.1.0`)
  })
})

test('who received changes that a copy lacks is told to begin anew, also on the server that the backup is of', async () => {
  const target = await freshDatabase('blank')
  const earlier = join(folder, 'earlier.backup')
  const authorization = `Basic ${Buffer.from(`${admin.user}:${admin.password}`).toString('base64')}`
  const listen = ({ baseUrl }: RunningDocket, headers: Readonly<Record<string, string>> = {}) =>
    readEvents(`${baseUrl}/rest/v1/events?tables=company`, { authorization, ...headers })
  const create = (docket: RunningDocket, name: string) =>
    docket.request('POST', '/rest/v1/table/company', { as: admin, body: { name } })
  try {
    const written = await runCommand(environment(source, places.source), ['backup', earlier])
    expect(written.code, written.errors).toBe(0)
    const original = await startDocket({ fresh: source, environment: environment(source, places.source) })
    const received = await listen(original)
    await create(original, 'Not in the copy')
    const [lost] = await received.until((events) => events.length > 0)
    await received.close()
    await original.close()

    const dataDir = join(folder, 'reader')
    const restored = await runCommand(environment(target, dataDir), ['restore', earlier])
    expect([restored.code, restored.errors]).toEqual([0, ''])
    const docket = await startDocket({ fresh: target, environment: environment(target, dataDir) })
    const stream = await listen(docket, { 'last-event-id': lost?.id ?? '' })
    await create(docket, 'Only in the copy')
    const events = await stream.until((all) => all.some(({ event }) => event === 'change'))
    await stream.close()
    await docket.close()
    expect(events.map(({ event, data }) => (event === 'reset' ? data : event))).toEqual([
      { reason: 'history-changed' },
      'change',
    ])
  } finally {
    await target.drop()
  }
})

test('a target that holds a Docket is replaced only when that is said (issue 8, C1)', async () => {
  const target = await freshDatabase('blank')
  try {
    await migrate({ connectionString: target.connectionString, observe: observeNothing })
    const dataDir = join(folder, 'replaced')
    const rejected = await runCommand(environment(target, dataDir), ['restore', file])
    expect([rejected.code, rejected.errors]).toEqual([
      1,
      'This database already holds a Docket, and a restore would replace all of it: name an empty database or data directory, or add --replace.\n',
    ])
    const replaced = await runCommand(environment(target, dataDir), ['restore', '--replace', file])
    expect([replaced.code, replaced.errors]).toEqual([0, ''])
    const [original, print] = [await printDatabase(copy.connectionString), await printDatabase(target.connectionString)]
    expect(print.catalog).toEqual(original.catalog)
  } finally {
    await target.drop()
  }
})
