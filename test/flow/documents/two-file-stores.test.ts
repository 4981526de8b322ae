import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { makeCallers, normalize, ok, rejected } from '../../contract/documents/stage.ts'
import { type FreshDatabase, freshDatabase } from '../../harness/fresh-database.ts'
import { type RunningDocket, startDocket } from '../../harness/start-docket.ts'

/** Two servers of one database: with a data directory each, and with one that they share (issue 8, B12). */

let fresh: FreshDatabase
let key = ''
beforeAll(async () => {
  fresh = await freshDatabase()
  key = (await makeCallers({ database: fresh.database })).admin
  await fresh.database.rows(sql`
    insert into docket.task (sys_id, sys_db_table_id, subject)
    select 700000001, sys_id, 'otter' from docket.sys_db_table where name = 'task'`)
})
afterAll(() => fresh.drop())

let running: RunningDocket[] = []
let shared = ''
beforeEach(() => {
  shared = mkdtempSync(join(tmpdir(), 'docket-shared-'))
})
afterEach(async () => {
  for (const each of running) await each.close()
  running = []
  rmSync(shared, { recursive: true, force: true })
})

async function startServer(dataDir?: string): Promise<RunningDocket> {
  const environment = dataDir === undefined ? {} : { DOCKET_DATA_DIR: dataDir }
  const started = await startDocket({ fresh, environment })
  running.push(started)
  return started
}

async function send(server: RunningDocket, line: string) {
  const [method = '', path = ''] = line.split(' ')
  return normalize(await server.request(method, path, { as: { bearer: key } }))
}

async function sendFile(server: RunningDocket, path: string, field: string, name: string) {
  const form = new FormData()
  form.set('metadata', JSON.stringify({ doc_id: name }))
  form.set(field, new Blob([`The otter of ${name}.`]), name)
  const headers = { authorization: `Bearer ${key}` }
  const sent = await fetch(`${server.baseUrl}${path}`, { method: 'POST', body: form, headers })
  return { status: sent.status, body: (await sent.json()) as { data: readonly { sys_id: string }[] } }
}

const held = (name: string) =>
  rejected(
    'UNAVAILABLE',
    `The file "${name}" is not in the file store of this server; another server of this database may hold it.`,
  )
const warning =
  'another server of this database does not share the file store of this one: files that one received cannot be read ' +
  'from the other. Give all servers one object store (DOCKET_S3_ENDPOINT), or one folder as DOCKET_DATA_DIR'

test('a file of a document that lies with another server is 503, names the file, and is there at the server that has it (issue 8, B12)', async () => {
  const [one, other] = [await startServer(), await startServer()]
  const loaded = await sendFile(one, '/load_document_to_collection?collection_name=otters', 'file', 'a.txt')
  expect(loaded.status).toBe(200)
  const line = 'GET /get_document_file?collection_name=otters&id_value=a.txt'
  expect(await send(one, line)).toMatchObject({ status: 200, text: 'The otter of a.txt.' })
  const response = await send(other, line)
  expect([response.status, response.headers['retry-after'], response.body]).toEqual([503, '30', held('a.txt')])
  // Operations without files continue.
  expect((await send(other, 'POST /get_relevant_documents?query=otter&collection_names=otters')).body).toMatchObject({
    data: [{ doc_id: 'a.txt' }],
  })
})

test('a file of a record that lies with another server is 503 and names the file (issue 8, B12)', async () => {
  const [one, other] = [await startServer(), await startServer()]
  const attached = await sendFile(one, '/v1/attachments/upload/task/700000001', 'files[]', 'b.txt')
  expect(attached.status).toBe(200)
  const line = `GET /v1/attachments/${attached.body.data[0]?.sys_id}/file`
  expect(await send(one, line)).toMatchObject({ status: 200, text: 'The otter of b.txt.' })
  const response = await send(other, line)
  expect([response.status, response.headers['retry-after'], response.body]).toEqual([503, '30', held('b.txt')])
})

test('queued loads are done by the server that has the file, whoever takes them first (issue 8, B12)', async () => {
  const [one, other] = [await startServer(), await startServer()]
  const names = Array.from({ length: 6 }, (_, at) => `queued${at}.txt`)
  for (const [at, name] of names.entries()) {
    const server = at % 2 === 0 ? one : other
    const queued = await sendFile(server, '/load_document_to_collection?collection_name=queue&async=1', 'file', name)
    expect(queued.status).toBe(202)
  }
  for (const name of names)
    await expect
      .poll(async () => (await send(one, `GET /get_document_status?collection_name=queue&id_value=${name}`)).body, {
        timeout: 60_000,
      })
      .toMatchObject({ data: { state: 'ready', attempts: 1 } })
})

test('servers that do not share a file store say so, at the start and in /ready, as long as both live (issue 8, B12)', async () => {
  const one = await startServer()
  expect((await send(one, 'GET /ready')).body).toEqual(ok({ state: 'ready' }))
  const other = await startServer()
  const differ = ({ observations }: RunningDocket) => observations.filter(({ kind }) => kind === 'file-stores-differ')
  expect([differ(one), differ(other)]).toEqual([[], [{ kind: 'file-stores-differ' }]])
  for (const server of [one, other])
    expect((await send(server, 'GET /ready')).body).toEqual(ok({ state: 'ready', warnings: [warning] }))
  running = [one]
  await other.close()
  expect((await send(one, 'GET /ready')).body).toEqual(ok({ state: 'ready' }))
})

test('servers that share the folder have nothing to say, and read what the other received (issue 8, B12)', async () => {
  const [one, other] = [await startServer(shared), await startServer(shared)]
  for (const server of [one, other]) expect((await send(server, 'GET /ready')).body).toEqual(ok({ state: 'ready' }))
  expect(other.observations.filter(({ kind }) => kind === 'file-stores-differ')).toEqual([])
  await sendFile(one, '/load_document_to_collection?collection_name=otters', 'file', 'shared.txt')
  expect(await send(other, 'GET /get_document_file?collection_name=otters&id_value=shared.txt')).toMatchObject({
    status: 200,
    text: 'The otter of shared.txt.',
  })
})

test('a process that died without a word counts no more (issue 8, B12)', async () => {
  await fresh.database.rows(sql`
    insert into docket_documents.file_store_use (worker, file_store) values (nextval('docket_documents.worker_number'), 'of the dead')`)
  const one = await startServer()
  expect((await send(one, 'GET /ready')).body).toEqual(ok({ state: 'ready' }))
  const [row] = await fresh.database.rows(sql`
    select count(*)::integer as uses from docket_documents.file_store_use`)
  expect(row).toEqual({ uses: 1 })
})
