import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeCallers, type Who } from '../../contract/documents/stage.ts'
import { addCopies } from '../../harness/document-copies.ts'
import { type FreshDatabase, freshDatabase } from '../../harness/fresh-database.ts'
import { type ReceivedResponse, type Sender, sendTo } from '../../harness/send-request.ts'
import { type SpawnedDocket, spawnDocket, spawnFailing, temporaryFolder } from '../../harness/spawn-docket.ts'

// Four workers with one search process, and beside them a server of one process, on the same database.

let fresh: FreshDatabase
let keys: Readonly<Record<Who, string>>
let temporary: string
let together: SpawnedDocket
let single: SpawnedDocket
let senders: ReadonlyMap<SpawnedDocket, Sender>
beforeAll(async () => {
  fresh = await freshDatabase()
  keys = await makeCallers(fresh)
  temporary = temporaryFolder()
  const environment = { DOCKET_DATABASE_URL: fresh.connectionString, DOCKET_DATA_DIR: temporaryFolder() }
  single = await spawnDocket({ ...environment, DOCKET_WORKERS: '1' })
  together = await spawnDocket({ ...environment, DOCKET_WORKERS: '4', DOCKET_SEARCH_PROCESS: 'on', TMPDIR: temporary })
  senders = new Map([single, together].map((docket) => [docket, sendTo(docket.address)]))
  for (let n = 0; n < 12; n++) await load(together, `doc-${n}`, texts[n % texts.length] ?? '', { priority: n % 3 })
  await addCopies(fresh.database, 'kb', 300)
})
afterAll(async () => {
  for (const sender of senders.values()) sender.close()
  await together.stop()
  await single.stop()
  await fresh.drop()
})

/** For processes that start on a busy machine. */
const patienceMs = 250_000

const texts = [
  'The printer is out of toner. Order a new cartridge.',
  'Der Netzwerkdrucker braucht Papier, und das Netz ist langsam.',
  'Принтер не печатает: замените картридж.',
  'A router restarts every night; the firmware is old.',
]

async function send(docket: SpawnedDocket, as: Who, line: string, body?: unknown): Promise<ReceivedResponse> {
  const [method = '', path = ''] = line.split(' ')
  const sender = senders.get(docket)
  if (sender === undefined) throw new Error('this server is not there')
  return sender.send(method, path, { as: { bearer: keys[as] }, ...(body === undefined ? {} : { body }) })
}

async function load(
  docket: SpawnedDocket,
  docId: string,
  text: string,
  metadata: object = {},
  collection = 'kb',
): Promise<void> {
  const line = `POST /load_text_to_collection?collection_name=${collection}`
  const response = await send(docket, 'writer', line, { metadata: { ...metadata, doc_id: docId }, text })
  expect(response).toMatchObject({ status: 200 })
}

const bodies = [
  { query: 'toner', collection_names: ['kb'], explain: true },
  { query: 'prniter cartrige', collection_names: ['kb'] },
  { query: 'the network printer', collection_names: ['kb'], metadata: 'priority=1' },
  { query: 'принтер картридж', collection_names: ['kb'], metadata: 'doc_id!=doc-2' },
  { query: '"out of toner"', collection_names: ['kb'] },
  { query: 'router firmware night' },
  { query: 'words of no text' },
  { query: 'toner', collection_names: ['nowhere'] },
]

/** Without the id of the request and how long it took. */
const asFound = ({ status, body }: ReceivedResponse): unknown => ({
  status,
  body: { ...(body as object), took_ms: 0, request_id: '' },
})

const search = (docket: SpawnedDocket, body: object): Promise<ReceivedResponse> =>
  send(docket, 'reader', 'POST /get_relevant_documents?k=20', body)

const isSearchProcess = (processId: number): boolean =>
  readFileSync(`/proc/${processId}/cmdline`, 'utf8').startsWith('docket search')

const childrenOf = ({ processId }: SpawnedDocket): readonly number[] =>
  readFileSync(`/proc/${processId}/task/${processId}/children`, 'utf8').trim().split(' ').map(Number)

async function searchProcessOf(docket: SpawnedDocket): Promise<number> {
  const found = () => childrenOf(docket).filter(isSearchProcess)
  await expect.poll(found, { timeout: patienceMs }).toHaveLength(1)
  return found()[0] ?? 0
}

test('four workers with one index respond as one process does (issue 14, 3)', async () => {
  for (const body of bodies) {
    const expected = await search(single, body)
    // Each connection may lead to another worker.
    const responses = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const sender = sendTo(together.address)
        const options = { as: { bearer: keys.reader }, body }
        return sender.send('POST', '/get_relevant_documents?k=20', options).finally(() => sender.close())
      }),
    )
    for (const response of responses) expect(asFound(response)).toEqual(asFound(expected))
  }
})

test('a document is found by every worker as soon as it is loaded, and not after its deletion (issue 14, 3)', async () => {
  for (let n = 0; n < 10; n++) {
    const docket = n % 2 === 0 ? together : single
    await load(docket, 'fleeting', `plotter number ${n}`)
    const found = await Promise.all(
      Array.from({ length: 4 }, () => search(together, { query: 'plotter', collection_names: ['kb'] })),
    )
    for (const { body } of found) expect(body).toMatchObject({ data: [{ text: `plotter number ${n}` }] })
    const line = 'DELETE /delete_document_from_collection?collection_name=kb&id_value=fleeting'
    expect((await send(docket, 'writer', line)).status).toBe(200)
    const { body } = await search(together, { query: 'plotter', collection_names: ['kb'] })
    expect(JSON.stringify(body)).not.toContain('plotter number')
  }
})

test('the socket of the search process is for its account only, and rejects whoever does not know the secret (issue 14, 3)', async () => {
  const [name = ''] = readdirSync(temporary)
  const folder = join(temporary, name)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(statSync(join(folder, 'search')).mode & 0o777).toBe(0o600)
  for (const first of [Buffer.alloc(68, 64), Buffer.from([64, 0, 0, 0, ...Buffer.alloc(64)]), Buffer.alloc(8, 255)]) {
    const received = await new Promise<number>((resolve, reject) => {
      const socket = connect(join(folder, 'search'))
      let bytes = 0
      socket.on('data', (data) => {
        bytes += data.length
      })
      socket.once('error', reject)
      socket.once('close', () => resolve(bytes))
      socket.write(first)
    })
    expect(received).toBe(0)
  }
})

test('while the search process is killed again and again, searches are right or 503, and records and loads go on (issue 14, 3)', async () => {
  const body = { query: 'toner', collection_names: ['kb'], explain: true }
  const expected = asFound(await search(single, body))
  let isOver = false
  const responses: ReceivedResponse[] = []
  const searching = Array.from({ length: 2 }, async () => {
    while (!isOver) {
      responses.push(await search(together, body))
      await pause(20)
    }
  })
  for (let n = 0; n < 2; n++) {
    const killed = await searchProcessOf(together)
    const before = new Set(childrenOf(together))
    process.kill(killed, 'SIGKILL')
    const next = await newChildOf(together, before)
    // Until it goes on, no search has a result, however fast or slow this machine is.
    process.kill(next, 'SIGSTOP')
    try {
      responses.push(await searchInVain(body))
      expect((await send(together, 'admin', 'GET /rest/v1/table/user?sysparm_limit=1')).status).toBe(200)
      await load(together, `during-${n}`, `a text with the word scanner${n}`, {}, 'other')
    } finally {
      process.kill(next, 'SIGCONT')
    }
    const found = () => search(together, { query: `scanner${n}`, collection_names: ['other'] })
    await expect.poll(async () => (await found()).status, { timeout: patienceMs, interval: 250 }).toBe(200)
    const died = new RegExp(`"kind":"search-process-died","processId":${killed}\\b`)
    await expect.poll(() => together.log(), { timeout: patienceMs }).toMatch(died)
  }
  // The smallest collection is complete first: `kb` follows.
  await expect.poll(async () => (await search(together, body)).status, { timeout: patienceMs }).toBe(200)
  isOver = true
  await Promise.all(searching)
  responses.push(await search(together, body))
  expect(responses.at(-1)?.status).toBe(200)
  for (const response of responses) {
    if (response.status === 200) expect(asFound(response)).toEqual(expected)
    else expectBuilding(response)
  }
  expect(together.log().match(/"kind":"search-process-died"/g)).toHaveLength(2)
  expect(together.log()).not.toContain('"kind":"worker-died"')
}, 600_000)

/** A search that began before the kill was noticed may have a result: the next one has none. */
async function searchInVain(body: object): Promise<ReceivedResponse> {
  let response = await search(together, body)
  while (response.status === 200) response = await search(together, body)
  expectBuilding(response)
  return response
}

function expectBuilding({ status, body, headers }: ReceivedResponse): void {
  expect(status).toBe(503)
  expect(body).toMatchObject({ errors: [{ code: 'INDEX_BUILDING' }] })
  expect(Number(headers['retry-after'])).toBeGreaterThan(0)
}

/** The process that replaces another one, as soon as it exists. */
async function newChildOf(docket: SpawnedDocket, before: ReadonlySet<number>): Promise<number> {
  const created = () => childrenOf(docket).filter((child) => !before.has(child))
  await expect.poll(created, { timeout: patienceMs, interval: 10 }).toHaveLength(1)
  return created()[0] ?? 0
}

test('a killed worker is replaced, and the others search on (issue 14, 3)', async () => {
  const worker = childrenOf(together).find((child) => !isSearchProcess(child)) ?? 0
  process.kill(worker, 'SIGKILL')
  await expect.poll(() => together.log(), { timeout: patienceMs }).toContain('"kind":"worker-died"')
  const body = { query: 'toner', collection_names: ['kb'] }
  const expected = asFound(await search(single, body))
  expect(asFound(await search(together, body))).toEqual(expected)
})

test('the search process ends with the others, and nothing of it is left (issue 14, 3)', async () => {
  const docket = await spawnDocket({
    DOCKET_DATABASE_URL: fresh.connectionString,
    DOCKET_DATA_DIR: temporaryFolder(),
    DOCKET_WORKERS: '2',
    DOCKET_SEARCH_PROCESS: 'on',
    TMPDIR: temporary,
  })
  const before = await searchProcessOf(docket)
  expect(await docket.stop()).toEqual({ code: 0, signal: null })
  expect(existsSync(`/proc/${before}`)).toBe(false)
  expect(readdirSync(temporary)).toHaveLength(1)
}, 600_000)

test('a search process ends when the first process is killed, and removes its socket (issue 14, 3)', async () => {
  const killed = await spawnDocket({
    DOCKET_DATABASE_URL: fresh.connectionString,
    DOCKET_DATA_DIR: temporaryFolder(),
    DOCKET_WORKERS: '2',
    DOCKET_SEARCH_PROCESS: 'on',
    TMPDIR: temporary,
  })
  const left = await searchProcessOf(killed)
  killed.signal('SIGKILL')
  await killed.exit
  await expect.poll(() => existsSync(`/proc/${left}`), { timeout: 30_000 }).toBe(false)
  expect(readdirSync(temporary)).toHaveLength(1)
}, 600_000)

test('a temporary folder that cannot hold the socket ends the start with a reason (issue 14, 3)', async () => {
  const failed = await spawnFailing({
    DOCKET_DATABASE_URL: fresh.connectionString,
    DOCKET_DATA_DIR: temporaryFolder(),
    DOCKET_WORKERS: '2',
    DOCKET_SEARCH_PROCESS: 'on',
    TMPDIR: join(temporary, 'missing'),
  })
  expect(failed.exit.code).toBe(1)
  expect(failed.log).toContain('set TMPDIR to another folder, or DOCKET_SEARCH_PROCESS to off')
})
