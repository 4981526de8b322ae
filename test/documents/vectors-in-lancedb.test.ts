import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { makeRandom } from '../../bench/search/corpus.ts'
import { describeSchema } from '../../src/backup/schema/describe-schema.ts'
import { vectorTablesOf } from '../../src/config/segment-tables-of.ts'
import { readSettings } from '../../src/config/settings.ts'
import { deleteCollection, deleteDocument } from '../../src/documents/delete-documents.ts'
import { loadText } from '../../src/documents/load-document.ts'
import { searchDocuments } from '../../src/documents/search-documents.ts'
import { clearCollections, clearDocuments } from '../../src/documents/store/clear-away.ts'
import { LanceEngine } from '../../src/embeddings/lancedb/lancedb-engine.ts'
import { type CallerVectors, callerVectors } from '../../src/embeddings/open-embeddings.ts'
import { vectorEngines } from '../../src/embeddings/open-vector-engines.ts'
import { sql } from '../../src/kernel/sql.ts'
import type { TablePlace } from '../../src/search-engine/lancedb/connect-lance.ts'
import { documentAdmin, openDocumentDeps, type TestDocumentDeps } from '../harness/document-deps.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'
import { objectStoreSettings, startS3 } from '../harness/s3-stand-in.ts'

/** Enough for an approximate index. */
const numbers = 128
const collectionName = 'given'
const hourMs = 60 * 60_000

let fresh: FreshDatabase
/** Loads, and compares all vectors in memory. */
let builtIn: TestDocumentDeps
let folder: string
let aheadMs = 0
let processes: Process[] = []
beforeAll(async () => {
  fresh = await freshDatabase()
  builtIn = await openDocumentDeps(fresh)
})
afterAll(async () => {
  await builtIn.close()
  await fresh.drop()
})
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'docket-vector-tables-'))
  aheadMs = 0
})
afterEach(async () => {
  for (const { close } of processes) await close()
  processes = []
  await deleteCollection(builtIn, documentAdmin, collectionName)
  const now = new Date(Date.now() + hourMs)
  while ((await clearDocuments(fresh.database, now)) > 0) {
    // There may be more work.
  }
  await clearCollections(fresh.database, now)
  await fresh.database.rows(sql`drop schema if exists docket_vectors cascade`)
  rmSync(folder, { recursive: true, force: true })
})

interface Process {
  readonly engine: LanceEngine
  readonly errors: Error[]
  find(seed: number, from?: TestDocumentDeps): Promise<unknown>
  close(): Promise<void>
}

/** A process with the vectors that callers gave in tables of LanceDB. */
async function open(place: TablePlace = placeIn(folder)): Promise<Process> {
  const errors: Error[] = []
  const onError = (error: unknown): void => void errors.push(error as Error)
  const { database } = fresh
  const clock = { ...builtIn.clock, nowMs: () => Date.now() + aheadMs }
  const sizes = { minOwnChunks: 200, minIndexedRows: 50, maxNewer: 10 }
  const openEngine = await vectorEngines({ database, clock, kind: 'lancedb', place, onError, ...sizes })
  const givenVectors: CallerVectors = callerVectors({ database, openEngine, onError })
  const engine = await givenVectors.index()
  if (!(engine instanceof LanceEngine)) throw new Error('another engine is open')
  await engine.keepTables()
  const deps = { ...builtIn, givenVectors }
  const opened = { engine, errors, find: (seed: number) => found(seed, deps), close: () => givenVectors.close() }
  processes.push(opened)
  return opened
}

function placeIn(uri: string): TablePlace {
  return { uri, storageOptions: {}, packageFolder: resolve('test/lancedb') }
}

async function load(docId: string, vector: readonly number[]): Promise<void> {
  const sent = { collectionName, metadata: { doc_id: docId }, text: `document ${docId}`, vector }
  expect(await loadText(builtIn, documentAdmin, sent)).toMatchObject({ ok: true })
}

function vectorOf(seed: number): Float32Array {
  const random = makeRandom(seed)
  return Float32Array.from({ length: numbers }, () => random() - 0.5)
}

async function loadMany(from: number, to: number): Promise<void> {
  for (let at = from; at < to; at++) await load(`d${at}`, [...vectorOf(at)])
}

async function found(seed: number, deps: TestDocumentDeps = builtIn): Promise<unknown> {
  const search = { query: '', k: 20, filter: '', mode: 'vector', collectionNames: [collectionName] } as const
  const response = await searchDocuments(deps, documentAdmin, { ...search, vector: vectorOf(seed) })
  return response.ok ? response.value.hits.map(({ docId, score }) => ({ docId, score })) : response.error
}

const listed = () =>
  fresh.database.rows(sql<{ name: string; own: number | null; row_count: number; index_kind: string }>`
    select name, own_collection_id as own, row_count, index_kind from docket_vectors.lance_table order by id`)
const filesThere = () => readdirSync(folder).filter((name) => name.startsWith('vectors_'))

async function sameAsBuiltIn(searching: Process): Promise<void> {
  for (const seed of [1_001, 1_002, 1_003]) expect(await searching.find(seed)).toEqual(await found(seed))
}

test('small tables are merged, a large collection has its own one, and what nothing names is dropped later', async () => {
  const searching = await open()
  for (let from = 0; from < 120; from += 12) {
    await loadMany(from, from + 12)
    await searching.find(1)
  }
  expect(await listed()).toHaveLength(10)
  await searching.engine.keepTables()
  const merged = await listed()
  expect(merged.length).toBeLessThanOrEqual(8)
  expect(merged.reduce((sum, { row_count }) => sum + row_count, 0)).toBe(120)
  await sameAsBuiltIn(searching)

  await loadMany(120, 220)
  await searching.find(1)
  await searching.engine.keepTables()
  expect(await listed()).toContainEqual(expect.objectContaining({ own: expect.any(Number), row_count: 220 }))
  await sameAsBuiltIn(searching)

  for (let at = 0; at < 100; at++) await deleteDocument(builtIn, documentAdmin, collectionName, `d${at}`)
  await sameAsBuiltIn(searching)
  aheadMs = hourMs
  await searching.engine.keepTables()
  const [own] = (await listed()).filter(({ own: id }) => id !== null)
  expect(own).toMatchObject({ row_count: 120, index_kind: 'approximate' })
  await sameAsBuiltIn(searching)
  expect(filesThere().length).toBeGreaterThan((await listed()).length)
  aheadMs = 12 * hourMs
  await searching.engine.keepTables()
  expect(filesThere()).toHaveLength((await listed()).length)
  expect(searching.errors).toEqual([])
})

test('a process finds what another one has put into tables', async () => {
  const [one, other] = [await open(), await open()]
  await loadMany(0, 60)
  await sameAsBuiltIn(one)
  await sameAsBuiltIn(other)
  expect(await listed()).toHaveLength(1)
  await Promise.all([one.engine.keepTables(), other.engine.keepTables(), sameAsBuiltIn(one), sameAsBuiltIn(other)])
  expect([...one.errors, ...other.errors]).toEqual([])
})

test('few new documents stay in the database, unless they have many chunks', async () => {
  const searching = await open()
  await loadMany(0, 1)
  await searching.engine.follow()
  expect(await listed()).toEqual([])
  await fresh.database.rows(sql`update docket_documents.document set chunk_count = 5_000 where doc_id = 'd0'`)
  await searching.engine.follow()
  expect(await listed()).toMatchObject([{ row_count: 1 }])
  await sameAsBuiltIn(searching)
})

test('if a table is lost, searches are rejected until all are written again', async () => {
  const searching = await open()
  await loadMany(0, 60)
  await sameAsBuiltIn(searching)
  await searching.close()
  for (const name of filesThere()) rmSync(join(folder, name), { recursive: true })
  const next = await open()
  expect(await next.find(1_001)).toMatchObject({ kind: 'index-building' })
  await expect.poll(() => next.engine.buildProgress()).toBe(null)
  await sameAsBuiltIn(next)
  expect(next.errors.map(({ message }) => message)).toEqual([
    expect.stringContaining('tables of vectors are written again'),
  ])
})

test('verification finds a damaged table, and has it written again', async () => {
  const searching = await open()
  await loadMany(0, 60)
  await sameAsBuiltIn(searching)
  expect(await searching.engine.verify(false)).toMatchObject({ documents: 60, vectors: 60, differences: 0 })
  // The vectors of other documents: as if the numbers of the table were damaged.
  await fresh.database.rows(sql`
    update docket_documents.chunk_embedding e set vectors = o.vectors from docket_documents.chunk_embedding o
    where o.document_id = (select min(document_id) from docket_documents.chunk_embedding)
      and e.document_id = (select max(document_id) from docket_documents.chunk_embedding)`)
  const [last] = await fresh.database.rows(
    sql<{ id: string }>`select max(document_id) as id from docket_documents.chunk_embedding`,
  )
  const differing = { differences: 1, examples: [{ kind: 'different', documentId: Number(last?.id) }] }
  expect(await searching.engine.verify(false)).toMatchObject(differing)
  expect(await searching.engine.verify(true)).toMatchObject({ differences: 0 })
  expect(await searching.engine.verify(false)).toMatchObject({ differences: 0 })
})

test('tables in an object store; while it does not respond, searches are rejected, and nothing is lost', async () => {
  const s3 = await startS3()
  try {
    const settings = readSettings({
      ...objectStoreSettings(s3),
      DOCKET_VECTORS: 'lancedb',
      DOCKET_LANCEDB_PACKAGES: 'test/lancedb',
    })
    const place = vectorTablesOf(settings)
    if (place === null) throw new Error('no place of tables')
    const storageOptions = { ...place.storageOptions, client_max_retries: '0' }
    const writing = await open({ ...place, storageOptions })
    await loadMany(0, 60)
    await sameAsBuiltIn(writing)
    const before = await listed()
    const searching = await open({ ...place, storageOptions })
    s3.failNext.push(...Array.from({ length: 1_000 }, () => 403))
    expect(await searching.find(1_001)).toMatchObject({ kind: 'index-building', percent: 99 })
    expect(searching.errors.map(({ message }) => message)).toEqual([
      expect.stringContaining('tables of LanceDB cannot be used'),
    ])
    s3.failNext.length = 0
    await sameAsBuiltIn(searching)
    expect(await listed()).toEqual(before)
  } finally {
    await s3.close()
  }
})

test('a backup describes nothing of it', async () => {
  await open()
  const { uncovered, tables } = await describeSchema(fresh.database)
  expect(uncovered).toEqual([])
  expect(tables.filter(({ name }) => name.includes('docket_vectors'))).toEqual([])
})

test('without the package the server does not start, and says how to install it', async () => {
  const place = { ...placeIn(folder), packageFolder: folder }
  await expect(open(place)).rejects.toThrow('npm install --no-save @lancedb/lancedb@')
})
