import { rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../src/kernel/sql.ts'
import { admin, type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'
import { sendTo } from '../harness/send-request.ts'
import { spawnDocket, temporaryFolder } from '../harness/spawn-docket.ts'
import { type RunningDocket, startDocket } from '../harness/start-docket.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
  const docket = await startDocket({ fresh })
  for (const doc_id of ['one', 'two']) await load(docket, doc_id)
  await docket.close()
})
afterAll(() => fresh.drop())

const searchOf = (collection: string) => `/get_relevant_documents?query=toner&collection_names=${collection}`
const idsIn = (body: unknown) => (body as { data: readonly { doc_id: string }[] }).data.map(({ doc_id }) => doc_id)

test('requests for records work while the search index is built, and searches say that it is (issue 14, 1)', async () => {
  const docket = await withoutChunks(() => startDocket({ fresh, isIndexPending: true }), whilePending)
  await expect.poll(async () => (await docket.request('GET', '/health')).body).toEqual(ok({ state: 'up' }))
  expect((await docket.request('GET', '/ready')).body).toEqual(ok({ state: 'ready' }))
  const { status, body } = await docket.request('GET', searchOf('kb'), { as: admin })
  expect({ status, ids: idsIn(body) }).toEqual({ status: 200, ids: ['one', 'two'] })
  await docket.close()
})

async function whilePending(docket: RunningDocket): Promise<void> {
  const records = await docket.request('GET', '/rest/v1/table/user?sysparm_limit=1', { as: admin })
  expect(records.status).toBe(200)
  const message = 'The search index of this server is being built: 0 % are done. Try again in '
  for (const path of [searchOf('kb'), '/get_relevant_documents?query=toner']) {
    const { status, headers, body } = await docket.request('GET', path, { as: admin })
    expect({ status, retryAfter: headers['retry-after'], body }).toEqual({
      status: 503,
      retryAfter: expect.stringMatching(/^[1-9]\d?$/),
      body: {
        status: 'ERROR',
        error_type: 'SERVER',
        message: expect.stringContaining(message),
        errors: [{ message: expect.stringContaining(message), code: 'INDEX_BUILDING', percent: 0 }],
        request_id: expect.any(String),
      },
    })
  }
  const missing = await docket.request('GET', searchOf('nothing'), { as: admin })
  expect(missing.status).toBe(404)
  const building = { state: 'building', percent: 0 }
  expect((await docket.request('GET', '/health')).body).toEqual(ok({ state: 'up', search_index: building }))
  expect(await docket.request('GET', '/ready')).toMatchObject({
    status: 200,
    body: ok({ state: 'ready', search_index: building }),
  })
}

test('a server that is killed during the build is complete after the next start (issue 14, 1)', async () => {
  const dataDir = temporaryFolder()
  const start = (isIndexPending: boolean) =>
    spawnDocket({ DOCKET_DATA_DIR: dataDir, DOCKET_DATABASE_URL: fresh.connectionString }, { isIndexPending })
  const killed = await withoutChunks(
    () => start(true),
    async ({ address, signal, exit }) => {
      expect(await (await fetch(`${address}/health`)).text()).toContain('"search_index"')
      signal('SIGKILL')
      await exit
    },
  )
  expect(await killed.exit).toEqual({ code: null, signal: 'SIGKILL' })
  const docket = await start(false)
  const client = sendTo(docket.address)
  const { status, body } = await client.send('GET', searchOf('kb'), { as: admin })
  expect({ status, ids: idsIn(body) }).toEqual({ status: 200, ids: ['one', 'two'] })
  client.close()
  await docket.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

// ── helpers ──

const ok = (data: object) => ({ status: 'OK', data })

/** Blocks reads of the texts and terms of documents until `work` is done. */
async function withoutChunks<T>(start: () => Promise<T>, work: (started: T) => Promise<void>): Promise<T> {
  return fresh.database.inTransaction(async (session) => {
    await session.rows(sql`lock table docket_documents.chunk, docket_documents.document_terms in access exclusive mode`)
    const started = await start()
    await work(started)
    return started
  })
}

async function load(docket: RunningDocket, doc_id: string): Promise<void> {
  const body = { collection_name: 'kb', text: 'toner of a printer', metadata: { doc_id } }
  const { status, text } = await docket.request('POST', '/load_text_to_collection', { as: admin, body })
  if (status !== 200) throw new Error(text)
}
