import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { admin, type FreshDatabase, freshDatabase } from '../../harness/fresh-database.ts'
import { runCommand } from '../../harness/run-command.ts'
import { type SpawnedDocket, spawnDocket, temporaryFolder } from '../../harness/spawn-docket.ts'

// 200 loads, replacements and deletions by four clients, and a server that is repeatedly killed meanwhile. The operations, and the number
// of responses before each kill, come from a seed. The progress of requests in flight differs from run to run; the expected state
// afterwards does not.
const seed = 20_261_121
const clients = 4
const operationsOfClient = 50
const documentsOfClient = 5
const kills = 5

const dataDir = temporaryFolder()
const collection = 'crash'
let fresh: FreshDatabase
let docket: SpawnedDocket
const start = () => spawnDocket({ DOCKET_DATABASE_URL: fresh.connectionString, DOCKET_DATA_DIR: dataDir })
beforeAll(async () => {
  fresh = await freshDatabase()
  docket = await start()
})
afterAll(async () => {
  await docket.stop()
  await fresh.drop()
})

// ── operations ──

type Kind = 'text' | 'file' | 'queued' | 'delete'
interface Operation {
  readonly kind: Kind
  readonly docId: string
  readonly version: number
}

/** The known state of a document. */
interface Known {
  /** The last acknowledged version; 0: no document. */
  acknowledged: number
  /** Requested without a response: it may have happened. */
  open: number | null
  /** Acknowledged as queued: it must be done eventually. */
  due: number | null
}

const random = generator(seed)
const kinds: readonly Kind[] = ['text', 'text', 'file', 'queued', 'delete']
const plans: readonly (readonly Operation[])[] = Array.from({ length: clients }, (_, client) =>
  Array.from({ length: operationsOfClient }, (_, n) => ({
    kind: kinds[Math.floor(random() * kinds.length)] ?? 'text',
    docId: `doc-${client}-${Math.floor(random() * documentsOfClient)}`,
    version: n + 1,
  })),
)
/** Numbers of responses at which the server is killed, distributed over the run. */
const killAt = Array.from({ length: kills }, (_, at) => Math.floor(((at + random()) / kills) * 160) + 10)

const model = new Map<string, Known>(
  plans.flat().map(({ docId }) => [docId, { acknowledged: 0, open: null, due: null }]),
)
const knownOf = (docId: string): Known => {
  const known = model.get(docId)
  if (known === undefined) throw new Error(`${docId} is in no plan`)
  return known
}

/** Three chunks; each contains its document and version. */
const textOf = ({ docId, version }: Pick<Operation, 'docId' | 'version'>): string =>
  ['first', 'second', 'third']
    .map(
      (part) =>
        `The ${part} part of ${docId} speaks of crashes, version${version}. ${'More words follow. '.repeat(35)}`,
    )
    .join('\n\n')

function generator(from: number): () => number {
  let state = from
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

// ── requests ──

const authorization = `Basic ${Buffer.from(`${admin.user}:${admin.password}`).toString('base64')}`

async function call(method: string, path: string, body?: FormData | object): Promise<Response> {
  const isForm = body instanceof FormData
  // A search names its collections in the body.
  const named = path.startsWith('/get_relevant_documents')
    ? path
    : `${path}${path.includes('?') ? '&' : '?'}collection_name=${collection}`
  return fetch(`${docket.address}${named}`, {
    method,
    headers: { authorization, ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
  })
}

function send(operation: Operation): Promise<Response> {
  const { kind, docId } = operation
  if (kind === 'delete') return call('DELETE', `/delete_document_from_collection?id_value=${docId}`)
  const metadata = { doc_id: docId }
  if (kind === 'text') return call('POST', '/load_text_to_collection', { metadata, text: textOf(operation) })
  const form = new FormData()
  form.set('metadata', JSON.stringify(metadata))
  form.set('file', new Blob([textOf(operation)]), `${docId}.txt`)
  return call('POST', `/load_document_to_collection?async=${kind === 'queued' ? 1 : 0}`, form)
}

async function dataOf<T>(response: Response): Promise<T> {
  const body = (await response.json()) as { readonly data: T }
  if (!response.ok) throw new Error(`${response.url}: ${JSON.stringify(body)}`)
  return body.data
}

// ── the clients ──

let responses = 0
let isKilled = false

/** Continues a plan until it is done or the server is gone. */
async function work(plan: Operation[]): Promise<void> {
  for (;;) {
    const [operation] = plan
    if (operation === undefined || isKilled) return
    plan.shift()
    const known = knownOf(operation.docId)
    known.open = operation.kind === 'delete' ? 0 : operation.version
    const status = await statusOf(send(operation))
    if (status === null) return
    const isDone = status === 200 || (operation.kind === 'delete' && status === 404)
    expect(isDone || status === 202, `${operation.kind} of ${operation.docId}: ${status}`).toBe(true)
    if (status === 202) known.due = known.open
    else known.acknowledged = known.open
    known.open = null
    responses++
    // Responses that were already sent when the server was killed must not kill it again.
    if (!isKilled && responses >= (killAt[0] ?? Number.POSITIVE_INFINITY)) {
      killAt.shift()
      isKilled = true
      docket.signal('SIGKILL')
    }
    // A client that loads again before a queued load is done cannot say which version must be there.
    if (known.due !== null && !(await isSettled(operation.docId, () => isKilled))) return
  }
}

/** null: the server is gone. */
async function statusOf(sending: Promise<Response>): Promise<number | null> {
  try {
    const response = await sending
    await response.arrayBuffer()
    return response.status
  } catch (error) {
    if (isKilled) return null
    throw error
  }
}

/** Waits for a queued load. @returns false when the server was killed before */
async function isSettled(docId: string, isOver: () => boolean): Promise<boolean> {
  const known = knownOf(docId)
  while (!isOver()) {
    try {
      const status = await call('GET', `/get_document_status?id_value=${docId}`)
      const { state } = await dataOf<{ state: string }>(status)
      expect(state).not.toBe('failed')
      if (state === 'ready') {
        known.acknowledged = known.due ?? known.acknowledged
        known.due = null
        return true
      }
    } catch (error) {
      if (!isOver()) throw error
    }
    await pause()
  }
  return false
}

/** Waits until no load of the document is in progress. */
async function isQuiet(docId: string): Promise<void> {
  for (;;) {
    const response = await call('GET', `/get_document_status?id_value=${docId}`)
    // Neither a document nor a load.
    if (response.status === 404) return
    const { state } = await dataOf<{ state: string }>(response)
    if (state === 'ready' || state === 'failed') return expect(state).toBe('ready')
    await pause()
  }
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20))

// ── expectations ──

async function restart(): Promise<void> {
  expect((await docket.exit).signal).toBe('SIGKILL')
  // PostgreSQL, not the kill, ends a statement in progress.
  await expect
    .poll(
      async () =>
        fresh.database.rows(sql`
          select application_name, query from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
            and application_name like 'docket%' and state is distinct from 'idle'`),
      { timeout: 60_000 },
    )
    .toEqual([])
  docket = await start()
  isKilled = false
  // Queued loads are done now, also those whose response was lost.
  for (const [docId, { due, open }] of model) {
    if (due !== null) await isSettled(docId, () => false)
    else if (open !== null) await isQuiet(docId)
  }
}

interface FoundChunk {
  readonly doc_id: string
  readonly chunk_index: number
  readonly text: string
}

/** Every document is in its last acknowledged state, or in the state of a request without a response: complete, and found. */
async function checkAll(): Promise<void> {
  const contents = await dataOf<readonly { doc_id: string; text: string }[]>(
    await call('POST', '/get_content_by_tag?limit=1000', { tag_info: '' }),
  )
  const stored = new Map(contents.map(({ doc_id, text }) => [doc_id, text]))
  for (const [docId, known] of model) {
    const text = stored.get(docId)
    const allowed = [known.acknowledged, ...(known.open === null ? [] : [known.open])]
    const version = allowed.find((each) =>
      each === 0 ? text === undefined : text === textOf({ docId, version: each }),
    )
    expect(version, `${docId} is ${text?.slice(0, 80)}; allowed are ${allowed}`).toBeDefined()
    known.acknowledged = version ?? 0
    known.open = null
  }
  const found = await dataOf<readonly FoundChunk[]>(
    await call('POST', '/get_relevant_documents?k=1000', { query: 'crashes', collection_names: [collection] }),
  )
  const chunks = found.map(
    ({ doc_id, chunk_index, text }) => `${doc_id} ${chunk_index} ${/version\d+/.exec(text)?.[0]}`,
  )
  const expected = [...model].flatMap(([docId, { acknowledged }]) =>
    acknowledged === 0 ? [] : [0, 1, 2].map((index) => `${docId} ${index} version${acknowledged}`),
  )
  expect(chunks.sort()).toEqual(expected.sort())
}

test('lesson: after kill -9 every acknowledged load, replacement and deletion holds, and no half document is found', async () => {
  // The collection exists from the beginning, so that its check needs no special case.
  await dataOf(
    await call('POST', '/load_text_to_collection', {
      metadata: { doc_id: 'doc-0-0' },
      text: textOf({ docId: 'doc-0-0', version: 0.5 }),
    }),
  )
  await dataOf(await call('DELETE', '/delete_document_from_collection?id_value=doc-0-0'))
  const left = plans.map((plan) => [...plan])
  let restarts = 0
  while (left.some((plan) => plan.length > 0)) {
    await Promise.all(left.map(work))
    if (isKilled) {
      await restart()
      restarts++
    }
    await checkAll()
  }
  expect({ restarts, killsLeft: killAt.length }).toEqual({ restarts: kills, killsLeft: 0 })
  const verified = await runCommand({ DOCKET_DATABASE_URL: fresh.connectionString, DOCKET_DATA_DIR: dataDir }, [
    'documents',
    'verify',
  ])
  expect(
    verified.output
      .trim()
      .split('\n')
      .map((line) => line.replace(/.*: /, '')),
  ).toEqual(['sound', 'sound', 'sound'])
  expect(verified.code).toBe(0)
})
