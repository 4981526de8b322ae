import { resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { makeVectors } from '../../../bench/search/draw-vectors.ts'
import { fillVectors } from '../../../bench/search/fill-vectors.ts'
import { openDatabase, type Session } from '../../../src/database/database.ts'
import { sql } from '../../../src/kernel/sql.ts'
import { admin } from '../../harness/fresh-database.ts'
import { postgres15IsInstalled, startPostgresPair } from '../../harness/postgres-pair.ts'
import { objectStoreSettings, startS3 } from '../../harness/s3-stand-in.ts'
import { type SpawnedDocket, spawnDocket, temporaryFolder } from '../../harness/spawn-docket.ts'

// Two servers share tables of vectors in an object store. A standby with an earlier list of tables becomes the primary.

const length = 64
const keptCount = 1_200
/** More than a search reads from the database: they get a table. */
const lostCount = 600
const authorization = `Basic ${Buffer.from(`${admin.user}:${admin.password}`).toString('base64')}`

interface Found {
  readonly doc_id: string
  readonly score: number
}

describe.runIf(postgres15IsInstalled)('after a failover to a standby that lacked the last commits', () => {
  test('searches of vectors in LanceDB find what is there, nothing of what is lost, and what is new (issue 14, 5)', async () => {
    await using ended = new AsyncDisposableStack()
    const s3 = await startS3()
    ended.defer(() => s3.close())
    const pair = await startPostgresPair()
    ended.defer(() => pair.stop())
    const start = async (): Promise<SpawnedDocket> => {
      const docket = await spawnDocket({
        DOCKET_DATABASE_URL: pair.url,
        DOCKET_DATA_DIR: temporaryFolder(),
        DOCKET_ADMIN_PASSWORD: admin.password,
        DOCKET_VECTORS: 'lancedb',
        DOCKET_LANCEDB_PACKAGES: resolve('test/lancedb'),
        ...objectStoreSettings(s3),
      })
      ended.defer(async () => {
        await docket.stop()
      })
      return docket
    }
    const onDatabase = async <T>(work: (session: Session) => Promise<T>): Promise<T> => {
      const database = openDatabase({ connectionString: pair.url, maxConnections: 1, statementTimeoutMs: 60_000 })
      return work(database).finally(() => database.close())
    }
    const listed = () =>
      onDatabase((session) => session.rows(sql`select name from docket_vectors.lance_table order by id`))

    const draw = makeVectors(length)
    const queries = Array.from({ length: 3 }, draw)
    const first = await start()
    const database = openDatabase({ connectionString: pair.url, maxConnections: 1, statementTimeoutMs: 60_000 })
    await fillVectors(database, { count: keptCount, length, draw, areReturned: false }).finally(() => database.close())
    const second = await start()
    const find = (docket: SpawnedDocket) => Promise.all(queries.map((query) => search(docket, query)))
    const kept = await find(first)
    expect(kept.map((found) => found.length)).toEqual([10, 10, 10])
    expect(await find(second)).toEqual(kept)
    const areAllInTables = async (): Promise<unknown> => {
      const [row] = await onDatabase((session) =>
        session.rows(sql<{ all: boolean }>`
          select v.position = m.position as all from docket_vectors.lance_model v
          join docket_documents.embedding_model m on m.id = v.model_id where m.is_caller`),
      )
      return row?.all
    }
    await expect.poll(areAllInTables).toBe(true)
    const keptTables = await listed()
    expect(keptTables).not.toEqual([])

    await pair.standbyHasAll()
    await pair.cutReplication()
    // As near to the queries as can be.
    await inTurns(lostCount, (at) => load(first, `lost-${at}`, queries[at % 3] as Float32Array))
    const removed = kept[0]?.[0]?.doc_id ?? ''
    await removeDocument(first, removed)
    for (const docket of [first, second])
      for (const found of await find(docket)) expect(found.every(({ doc_id }) => doc_id.startsWith('lost-'))).toBe(true)
    expect((await listed()).length).toBeGreaterThan(keptTables.length)
    await pair.failOver()

    rejections.length = 0
    for (const docket of [first, second]) expect(await find(docket)).toEqual(kept)
    expect(await listed()).toEqual(keptTables)
    // The numbers of vectors that the lost history may have given are skipped: nothing is behind by as many.
    expect(rejections).not.toContain('INDEX_BUILDING')
    await inTurns(lostCount, (at) => load(at % 2 === 0 ? first : second, `new-${at}`, queries[at % 3] as Float32Array))
    const third = await start()
    const withNew = await find(third)
    for (const found of withNew) expect(found.every(({ doc_id }) => doc_id.startsWith('new-'))).toBe(true)
    for (const docket of [first, second]) expect(await find(docket)).toEqual(withNew)
    expect((await listed()).length).toBeGreaterThan(keptTables.length)
    await inTurns(lostCount, (at) => removeDocument(at % 2 === 0 ? second : first, `new-${at}`))
    for (const docket of [first, second, third]) expect(await find(docket)).toEqual(kept)
  }, 300_000)
})

const sendTo = ({ address }: SpawnedDocket, method: string, path: string, body?: unknown): Promise<Response> =>
  fetch(`${address}${path}`, {
    method,
    headers: { authorization, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })

/** Codes of responses 503. */
const rejections: (string | undefined)[] = []

/** Repeated while the database cannot be reached or tables are written, as the response requests. */
async function acknowledged(...request: Parameters<typeof sendTo>): Promise<unknown> {
  for (;;) {
    const response = await sendTo(...request)
    const text = await response.text()
    if (response.ok) return JSON.parse(text)
    if (response.status !== 503) throw new Error(`${response.status} ${text}`)
    rejections.push((JSON.parse(text) as { readonly errors: readonly { readonly code: string }[] }).errors[0]?.code)
    await pause(50)
  }
}

async function search(docket: SpawnedDocket, vector: Float32Array): Promise<readonly Found[]> {
  const request = { vector: [...vector], collection_names: ['vectors'] }
  const { data } = (await acknowledged(docket, 'POST', '/get_relevant_documents?k=10', request)) as {
    readonly data: readonly Found[]
  }
  return data.map(({ doc_id, score }) => ({ doc_id, score }))
}

const load = (docket: SpawnedDocket, docId: string, vector: Float32Array) =>
  acknowledged(docket, 'POST', '/load_text_to_collection?collection_name=vectors', {
    metadata: { doc_id: docId },
    text: `number ${docId}`,
    vector: [...vector],
  })

const removeDocument = (docket: SpawnedDocket, docId: string) =>
  acknowledged(docket, 'DELETE', `/delete_document_from_collection?collection_name=vectors&id_value=${docId}`)

/** Some at once. */
async function inTurns(count: number, work: (at: number) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < count; from += 20)
    await Promise.all(Array.from({ length: Math.min(20, count - from) }, (_, at) => work(from + at)))
}
