import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, rmSync, truncateSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { makeRandom } from '../../bench/search/corpus.ts'
import { makeVectors } from '../../bench/search/draw-vectors.ts'
import { fillVectors } from '../../bench/search/fill-vectors.ts'
import type { Database } from '../../src/database/database.ts'
import type { VectorEngine } from '../../src/embeddings/vector-engine.ts'
import { openVectorIndex } from '../../src/embeddings/vector-index.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { IndexBuilding } from '../../src/kernel/index-building.ts'
import { sql } from '../../src/kernel/sql.ts'
import { makeCallers } from '../contract/documents/stage.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'
import { sendTo } from '../harness/send-request.ts'
import { spawnDocket, temporaryFolder } from '../harness/spawn-docket.ts'
import { openedUnnamed } from '../harness/unnamed-files.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const length = 32
let fresh: FreshDatabase
let folder: string
let modelId: number
let collectionId: number
let stored: readonly Float32Array[]
beforeAll(async () => {
  fresh = await freshDatabase()
  folder = mkdtempSync(join(tmpdir(), 'docket-vectors-'))
  stored = await fillVectors(fresh.database, { count: 2_000, length, draw: makeVectors(length) })
  const [row] = await fresh.database.rows(sql<{ model_id: number; collection_id: number }>`
    select m.id as model_id, c.id as collection_id from docket_documents.embedding_model m, docket_documents.collection c
    where m.is_caller and c.name = 'vectors'`)
  modelId = row?.model_id ?? 0
  collectionId = row?.collection_id ?? 0
})
afterAll(async () => {
  await fresh.drop()
  rmSync(folder, { recursive: true, force: true })
})

test('after its file was lost, an engine reads the vectors again: until then searches are rejected as at a start (issue 14)', async () => {
  await using opened = await openEngine(folder)
  const { engine, errors } = opened
  const before = await nearest(engine)
  expect(before).toHaveLength(10)
  truncateSync(openedUnnamed(folder)[0]?.path ?? '', 100)
  await expect(engine.nearest(search())).rejects.toThrow(IndexBuilding)
  expect(errors).toHaveLength(1)
  expect(await nearest(engine)).toEqual(before)
  expect(openedUnnamed(folder)).toHaveLength(1)
})

test('a comparison finds vectors that were changed in the file, and corrects them (issue 14)', async () => {
  await using opened = await openEngine(folder)
  const { engine } = opened
  const before = await nearest(engine)
  expect(await engine.verify(false)).toMatchObject({ documents: 2_000, differences: 0 })
  const descriptor = openSync(openedUnnamed(folder)[0]?.path ?? '', 'r+')
  writeSync(descriptor, Buffer.alloc(length, 1), 0, length, 64 * length)
  closeSync(descriptor)
  expect(await engine.verify(false)).toMatchObject({ differences: 1, examples: [{ kind: 'different' }] })
  expect(await engine.verify(true)).toMatchObject({ differences: 0 })
  expect(await nearest(engine)).toEqual(before)
})

test('two processes with one folder have a file each, and both find the same (issue 14)', async () => {
  await using one = await openEngine(folder)
  await using other = await openEngine(folder)
  await using inMemory = await openEngine(null)
  const expected = await nearest(inMemory.engine)
  expect(await nearest(one.engine)).toEqual(expected)
  expect(await nearest(other.engine)).toEqual(expected)
  expect(openedUnnamed(folder)).toHaveLength(2)
})

test('without a folder that can be written, vectors take memory, and searches find them (issue 14)', async () => {
  await using opened = await openEngine('/proc/docket')
  await using inMemory = await openEngine(null)
  expect(await nearest(opened.engine)).toEqual(await nearest(inMemory.engine))
  expect(opened.errors.map(String)).toEqual([expect.stringContaining('take memory instead')])
})

test('nothing is left of the file after the server was killed, and the next one finds the same vectors (issue 14)', async () => {
  const dataDir = temporaryFolder()
  mkdirSync(join(dataDir, 'index'), { recursive: true })
  const keys = await makeCallers(fresh)
  const environment = {
    DOCKET_DATABASE_URL: fresh.connectionString,
    DOCKET_DATA_DIR: dataDir,
    DOCKET_VECTORS_MEMORY_MB: '0',
  }
  const found: unknown[] = []
  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    const docket = await spawnDocket(environment)
    const client = sendTo(docket.address)
    for (;;) {
      const response = await client.send('POST', '/get_relevant_documents', {
        as: { bearer: keys.reader },
        body: {
          query: '',
          vector: [...(stored[7] as Float32Array)],
          k: 5,
          mode: 'vector',
          collection_names: ['vectors'],
        },
      })
      if (response.status === 200) {
        found.push((response.body as { readonly data: unknown }).data)
        break
      }
      expect(response.status).toBe(503)
      await pause(50)
    }
    expect(openedUnnamed(dataDir, docket.processId)).toHaveLength(1)
    docket.signal(signal)
    await docket.exit
    client.close()
    expect(readdirSync(join(dataDir, 'index')).filter((name) => name.startsWith('vectors'))).toEqual([])
  }
  expect(found).toHaveLength(2)
  expect(found[1]).toEqual(found[0])
})

test('a search that runs while the database says what is new finds what was written before it (issue 14)', async () => {
  let held: Promise<void> | null = null
  let onRequest = (): void => undefined
  const database: Database = {
    ...fresh.database,
    async run(statement, values) {
      if (statement.name === 'read-embedding-model-state' && held !== null) {
        onRequest()
        await held
      }
      return fresh.database.run(statement, values)
    },
  }
  await using opened = await openEngine(folder, database)
  const { engine } = opened
  // Nothing new: the next search does not wait for the database.
  const before = await nearest(engine)
  expect(await nearest(engine)).toEqual(before)
  const { promise, resolve } = Promise.withResolvers<void>()
  const requested = new Promise<void>((done) => {
    onRequest = done
  })
  held = promise
  const found = engine.nearest(search())
  await requested
  const written = await writeAgain(search().vector)
  resolve()
  held = null
  expect((await found)?.[0]).toMatchObject({ documentId: written, similarity: expect.closeTo(1, 5) })
})

async function openEngine(inFolder: string | null, database: Database = fresh.database) {
  const errors: unknown[] = []
  const engine = openVectorIndex({
    ...{ database, modelId, clock: systemClock, minApproximate: 1_000 },
    ...(inFolder === null ? {} : { inFile: { folder: inFolder, memoryBytes: 64 * length } }),
    onError: (error) => errors.push(error),
  })
  await engine.whenReady()
  return { engine, errors, [Symbol.asyncDispose]: () => engine.close() }
}

function search() {
  const random = makeRandom(5)
  return {
    ...{ vector: (stored[7] as Float32Array).map((number) => number + random() - 0.5), k: 10, topK: 10 },
    ...{ collectionIds: [collectionId], wholeCollectionIds: [collectionId], condition: null },
    position: Number.MAX_SAFE_INTEGER,
  }
}

/** Waits while vectors are read. */
async function nearest(engine: VectorEngine) {
  for (;;)
    try {
      return await engine.nearest(search())
    } catch (error) {
      if (!(error instanceof IndexBuilding)) throw error
      await pause(20)
    }
}

/** Gives a document another vector, as another process does. @returns its id */
async function writeAgain(vector: Float32Array): Promise<number> {
  const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)
  const [row] = await fresh.database.rows(sql<{ document_id: string }>`
    with next as (
      update docket_documents.embedding_model set position = position + 1 where id = ${modelId} returning position
    ), complete as (
      update docket_documents.document_embedding e set position = next.position
      from next, docket_documents.document d
      where e.model_id = ${modelId} and e.document_id = d.id and d.doc_id = 'v1500'
      returning e.document_id
    )
    update docket_documents.chunk_embedding c set vectors = ${bytes} from complete
    where c.model_id = ${modelId} and c.document_id = complete.document_id
    returning c.document_id`)
  return Number(row?.document_id)
}
