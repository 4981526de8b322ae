import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { makeRandom } from '../../bench/search/corpus.ts'
import { describeSchema } from '../../src/backup/schema/describe-schema.ts'
import { vectorTablesOf } from '../../src/config/segment-tables-of.ts'
import { readSettings } from '../../src/config/settings.ts'
import { configureCollection } from '../../src/documents/configure-collection.ts'
import { deleteCollection, deleteDocument } from '../../src/documents/delete-documents.ts'
import { loadText } from '../../src/documents/load-document.ts'
import { type Search, searchDocuments } from '../../src/documents/search-documents.ts'
import { clearCollections, clearDocuments } from '../../src/documents/store/clear-away.ts'
import { LanceEngine } from '../../src/embeddings/lancedb/lancedb-engine.ts'
import { nearestInTables } from '../../src/embeddings/lancedb/nearest-in-tables.ts'
import { VectorTables } from '../../src/embeddings/lancedb/vector-tables.ts'
import { type CallerVectors, callerVectors } from '../../src/embeddings/open-embeddings.ts'
import { vectorEngines } from '../../src/embeddings/open-vector-engines.ts'
import { similarityOf, unitLength } from '../../src/embeddings/similarity.ts'
import type { NearSearch } from '../../src/embeddings/vector-engine.ts'
import { sql } from '../../src/kernel/sql.ts'
import type { TablePlace } from '../../src/search-engine/lancedb/connect-lance.ts'
import { OpenTables } from '../../src/search-engine/lancedb/open-tables.ts'
import { callerWith, documentAdmin, openDocumentDeps, type TestDocumentDeps } from '../harness/document-deps.ts'
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
/** Records that the callers may read. */
let readableIds: readonly string[] = []
beforeAll(async () => {
  fresh = await freshDatabase()
  builtIn = await openDocumentDeps(fresh, {
    readableRecords: async () => (id: unknown) => sql<boolean>`${id} = any (${readableIds}::text[])`,
  })
  await (await builtIn.givenVectors.index()).whenReady()
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
  readonly deps: TestDocumentDeps
  find(seed: number): Promise<unknown>
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
  // On a busy machine the first search would be rejected.
  await engine.whenReady()
  await engine.keepTables()
  const deps = { ...builtIn, givenVectors }
  const opened = { engine, errors, deps, find: (seed: number) => found(seed, deps), close: () => givenVectors.close() }
  processes.push(opened)
  return opened
}

function placeIn(uri: string): TablePlace {
  return { uri, storageOptions: {}, packageFolder: resolve('test/lancedb') }
}

async function load(docId: string, vector: readonly number[]): Promise<void> {
  const metadata = { doc_id: docId, sys_id: docId, part: partOf(docId) }
  const sent = { collectionName, metadata, text: `document ${docId}`, vector }
  expect(await loadText(builtIn, documentAdmin, sent)).toMatchObject({ ok: true })
}

/** d77 is in part 27. */
function partOf(docId: string): number {
  return Number(docId.slice(1)) % 50
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

/** A table of its own, d0 to the last one, with an approximate index if it has 50 rows. */
async function writeTable(rows: number) {
  const tables = new VectorTables(placeIn(folder), 50)
  const written = await tables.write(documentsOf(rows), numbers, 'approximate')
  if (written === undefined) throw new Error('nothing was written')
  return [written.name, written.index] as const
}

async function* documentsOf(rows: number) {
  yield Array.from({ length: rows }, (_, at) => ({
    ...{ collectionId: 1, documentId: at, docId: `d${at}`, firstChunk: 0, numbers: vectorOf(at) },
  }))
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

test('each process closes the tables that any process has replaced (issue 14, 5)', async () => {
  const [merging, searching] = [await open(), await open()]
  for (let from = 0; from < 108; from += 12) {
    await loadMany(from, from + 12)
    await searching.find(1)
  }
  await merging.find(1)
  const before = (await listed()).map(({ name }) => name)
  expect(before).toHaveLength(9)
  for (const { engine } of [merging, searching]) expect(engine.openTables().toSorted()).toEqual(before.toSorted())
  await merging.engine.keepTables()
  for (const each of [merging, searching]) {
    await each.engine.follow()
    expect(await each.find(1)).toHaveLength(20)
    expect(each.engine.openTables().toSorted()).toEqual((await listed()).map(({ name }) => name).toSorted())
  }
  await searching.close()
  expect(searching.engine.openTables()).toEqual([])
})

test('a table that is read is closed after the last read of it (issue 14, 5)', async () => {
  const [name] = await writeTable(3)
  const tables = new OpenTables(placeIn(folder), 'vectors')
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const opened = await tables.read(name, async (table) => table)
  const reads = [first, second].map(({ promise }) =>
    tables.read(name, async (table) => {
      await promise
      return table.countRows()
    }),
  )
  tables.forget(name)
  expect(tables.opened()).toEqual([])
  first.resolve()
  expect(await reads[0]).toBe(3)
  expect(await opened.countRows()).toBe(3)
  second.resolve()
  expect(await reads[1]).toBe(3)
  await expect.poll(() => opened.isOpen()).toBe(false)
  expect(await tables.read(name, (table) => table.countRows())).toBe(3)
  tables.forget(name)
})

describe('an approximate index', () => {
  const count = 300
  const docIds = Array.from({ length: count }, (_, at) => `d${at}`)

  /** A plain comparison of all. */
  function nearestOf(vectors: ReadonlyMap<string, Float32Array>, query: Float32Array, k: number) {
    const unit = unitLength(query)
    return [...vectors]
      .map(([docId, vector]) => ({ docId, score: similarityOf(unitLength(vector), unit) }))
      .sort((one, other) => other.score - one.score || Buffer.compare(Buffer.from(one.docId), Buffer.from(other.docId)))
      .slice(0, k)
  }

  async function search(deps: TestDocumentDeps, seed: number, others: Partial<Search> = {}) {
    const common = { query: '', k: 20, filter: '', mode: 'vector', collectionNames: [collectionName] } as const
    const reader = callerWith(['document_reader'])
    const response = await searchDocuments(deps, reader, { ...common, vector: vectorOf(seed), ...others })
    if (!response.ok) throw new Error(JSON.stringify(response.error))
    return response.value
  }
  const hitsOf = async (...args: Parameters<typeof search>) =>
    (await search(...args)).hits.map(({ docId, score }) => ({ docId, score }))

  /** All documents in one table, which has an approximate index. */
  async function openApproximate(): Promise<{ process: Process; vectors: Map<string, Float32Array> }> {
    const vectors = new Map(docIds.map((docId, at) => [docId, vectorOf(at)]))
    for (let from = 0; from < count; from += 10)
      await Promise.all(docIds.slice(from, from + 10).map((docId) => load(docId, [...(vectors.get(docId) ?? [])])))
    const process = await open()
    await process.engine.keepTables()
    expect((await listed()).filter(({ own }) => own !== null)).toMatchObject([
      { row_count: count, index_kind: 'approximate' },
    ])
    return { process, vectors }
  }

  /** How tables are searched from now on. */
  function watchScans() {
    const spy = vi.spyOn(VectorTables.prototype, 'nearest')
    return { scans: () => spy.mock.calls.map(([, scan]) => scan), [Symbol.dispose]: () => spy.mockRestore() }
  }

  test('at least 98 of 100 of the nearest are among the candidates, with their own similarities (issue 14)', async () => {
    const rows = 3_000
    const [name, index] = await writeTable(rows)
    expect(index).toBe('approximate')
    const vectors = new Map(Array.from({ length: rows }, (_, at) => [`d${at}`, vectorOf(at)]))
    const tables = new VectorTables(placeIn(folder), 50)
    const all = { collectionIds: null, documentIds: null, approximation: 'compared' } as const
    let found = 0
    for (let seed = 5_001; seed <= 5_020; seed++) {
      const vector = unitLength(vectorOf(seed))
      const expected = nearestOf(vectors, vector, 10)
      const candidates = await tables.nearest({ name, index }, { ...all, vector, limit: 200 })
      const similarities = new Map(candidates.map(({ docId, similarity }) => [docId, similarity]))
      found += expected.filter(({ docId }) => similarities.has(docId)).length
      for (const [docId, similarity] of similarities)
        expect(similarity).toBeCloseTo(similarityOf(unitLength(vectors.get(docId) ?? vector), vector), 5)

      const exact = await tables.nearest({ name, index }, { ...all, vector, limit: 10, approximation: null })
      expect(exact.map(({ docId }) => docId)).toEqual(expected.map(({ docId }) => docId))
      const documentIds = [...vectors.keys()].map((_, at) => at).filter((at) => at % 50 === 7)
      const few = { ...all, vector, limit: 10, approximation: null, documentIds }
      const own = new Map([...vectors].filter(([docId]) => partOf(docId) === 7))
      expect((await tables.nearest({ name, index }, few)).map(({ docId }) => docId)).toEqual(
        nearestOf(own, vector, 10).map(({ docId }) => docId),
      )
    }
    expect(found).toBeGreaterThanOrEqual(196)
    tables.forgetOthers(new Set())
  })

  test('with a filter, the bits say which rows to compare: at least 98 of 100 of the nearest are found, and all where the caller sees only a part (issue 14)', async () => {
    const rows = 3_000
    const [name, index] = await writeTable(rows)
    const tables = new VectorTables(placeIn(folder), 50)
    const collection = { id: 1, numbers, ownCollectionId: 1, collectionIds: [1], afterPosition: 0, lastPosition: rows }
    const state = {
      ...{ position: rows, newest: rows, vectorLength: numbers },
      tables: [{ ...collection, name, rowCount: rows, index }],
    }
    const passing = Array.from({ length: rows }, (_, at) => at).filter((at) => at % 50 < 5)
    const vectors = new Map(passing.map((at) => [`d${at}`, vectorOf(at)]))
    const model = { database: fresh.database, modelId: 1, tables, minOrdered: 100 }
    const sent: Omit<NearSearch, 'vector'> = {
      ...{ k: 10, topK: 10, collectionIds: [1], wholeCollectionIds: [1], condition: null, position: rows },
    }
    const nearest = (allowed: readonly number[], vector: Float32Array, mayApproximate: boolean) =>
      nearestInTables(model, {
        ...{ state, vector, k: 50, complete: 50, collectionIds: [1], mayApproximate },
        allowed: Float64Array.from(allowed),
        search: { ...sent, vector },
      })
    using watched = watchScans()
    let found = 0
    for (let seed = 5_001; seed <= 5_020; seed++) {
      const expected = nearestOf(vectors, vectorOf(seed), 10).map(({ docId }) => docId)
      const { candidates, isApproximate } = await nearest(passing, vectorOf(seed), true)
      expect([candidates.length, isApproximate]).toEqual([50, true])
      for (const { docId, lower, upper } of candidates) {
        const exact = similarityOf(unitLength(vectors.get(docId) ?? vectorOf(0)), unitLength(vectorOf(seed)))
        expect(lower <= exact && exact <= upper).toBe(true)
      }
      found += candidates.slice(0, 10).filter(({ docId }) => expected.includes(docId)).length
      const exact = await nearest(passing, vectorOf(seed), false)
      expect(exact.isApproximate).toBe(false)
      expect(exact.candidates.slice(0, 10).map(({ docId }) => docId)).toEqual(expected)
    }
    expect(found).toBeGreaterThanOrEqual(196)
    expect(watched.scans().filter(({ approximation }) => approximation === 'ordered').length).toBe(20)
    // None of them is in this table.
    const others = Array.from({ length: 200 }, (_, at) => rows + at)
    expect((await nearest(others, vectorOf(5_001), true)).candidates).toEqual([])
    tables.forgetOthers(new Set())
  })

  test('a search in it, with a filter, and after documents were replaced and deleted, returns what the built-in engine returns (issue 14)', async () => {
    const { process, vectors } = await openApproximate()
    const compare = async (): Promise<void> => {
      for (const seed of [7_001, 7_002, 7_003]) {
        const filters = [
          { filter: '', passes: () => true },
          { filter: 'part<25', passes: (docId: string) => partOf(docId) < 25 },
          { filter: 'part=7', passes: (docId: string) => partOf(docId) === 7 },
        ]
        for (const { filter, passes } of filters) {
          const expected = nearestOf(new Map([...vectors].filter(([docId]) => passes(docId))), vectorOf(seed), 10)
          expect(await hitsOf(process.deps, seed, { filter, k: 10 })).toEqual(expected)
          expect(await hitsOf(builtIn, seed, { filter, k: 10 })).toEqual(expected)
        }
      }
    }
    {
      using watched = watchScans()
      await compare()
      expect(watched.scans().some(({ approximation }) => approximation !== null)).toBe(true)
    }
    const [nearest] = nearestOf(vectors, vectorOf(7_001), 1)
    await deleteDocument(builtIn, documentAdmin, collectionName, String(nearest?.docId))
    vectors.delete(String(nearest?.docId))
    const [next, , third] = nearestOf(vectors, vectorOf(7_001), 3)
    const opposite = vectorOf(7_001).map((number) => -number)
    for (const [docId, vector] of [
      [String(next?.docId), opposite],
      ['d307', vectorOf(7_001)],
      [String(third?.docId), vectorOf(7_002)],
    ] as const) {
      await load(docId, [...vector])
      vectors.set(docId, vector)
    }
    await compare()
    expect((await hitsOf(process.deps, 7_001, { k: 1 }))[0]?.docId).toBe('d307')
    await process.engine.keepTables()
    await compare()
    expect(process.errors).toEqual([])
  })

  test('is not used any more once its collection is bound: all that is compared is exact, and hidden vectors change nothing (issue 14)', async () => {
    const { process, vectors } = await openApproximate()
    const visible = docIds.filter((_, at) => at % 5 === 0)
    const own = new Map([...vectors].filter(([docId]) => visible.includes(docId)))
    readableIds = visible
    {
      using watched = watchScans()
      expect(await hitsOf(process.deps, 8_001)).toEqual(nearestOf(vectors, vectorOf(8_001), 20))
      expect(watched.scans().some(({ approximation }) => approximation !== null)).toBe(true)
    }
    const bound = await configureCollection(builtIn, documentAdmin, collectionName, { aclTable: 'task' })
    expect(bound).toMatchObject({ ok: true })
    using watched = watchScans()
    const compare = async (): Promise<void> => {
      for (const seed of [8_001, 8_002, 8_003])
        for (const k of [1, 20, 70]) {
          expect(await hitsOf(process.deps, seed, { k })).toEqual(nearestOf(own, vectorOf(seed), k))
          const few = new Map([...own].filter(([docId]) => partOf(docId) === 5))
          const filtered = await hitsOf(process.deps, seed, { k, filter: 'part=5' })
          expect(filtered).toEqual(nearestOf(few, vectorOf(seed), k))
        }
    }
    await compare()
    const explained = await search(process.deps, 8_001, { explain: true })
    // Hidden documents beside the query; their loads need the right to read them.
    const hidden = Array.from({ length: 30 }, (_, at) => `d${2_001 + at}`)
    readableIds = [...visible, ...hidden]
    for (const docId of hidden) await load(docId, [...vectorOf(8_001)])
    readableIds = visible
    expect(await search(process.deps, 8_001, { explain: true })).toEqual(explained)
    await compare()
    await process.engine.keepTables()
    expect((await listed()).filter(({ own: id, index_kind }) => id !== null || index_kind === 'approximate')).toEqual(
      [],
    )
    await compare()
    expect(await search(process.deps, 8_001, { explain: true })).toEqual(explained)
    expect(watched.scans().length).toBeGreaterThan(30)
    expect(watched.scans().filter(({ approximation }) => approximation !== null)).toEqual([])
    expect(process.errors).toEqual([])
  })
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

test('numbers that a new history of the database skips are no vectors that are missing (issue 14, 5)', async () => {
  await loadMany(0, 20)
  const { engine, find } = await open()
  const before = await find(7)
  await fresh.database.rows(sql`
    update docket_documents.embedding_model set position = position + 1_000_000_000 where is_caller`)
  expect(await find(7)).toEqual(before)
  expect(engine.buildProgress()).toBe(null)
})

test('former vectors of documents that got others hide no nearer ones of their table (issue 14, 5)', async () => {
  const near = (seed: number, similarity: number): number[] =>
    [...vectorOf(seed)].map(
      (number, at) => number * 0.001 + (at === 0 ? similarity : at === 1 ? 1 - Math.abs(similarity) : 0),
    )
  const { engine, deps } = await open()
  for (let at = 0; at < 230; at++) await load(`d${at}`, near(at, 1))
  for (let at = 230; at < 260; at++) await load(`d${at}`, near(at, 0.5))
  await engine.follow()
  // As after a repair of stored vectors: these documents are complete again, with vectors that point elsewhere.
  const changed = await fresh.database.rows(sql<{ model_id: number; document_id: string }>`
    select e.model_id, e.document_id from docket_documents.document_embedding e
    join docket_documents.document d on d.id = e.document_id
    where d.removed_position is null and substring(d.doc_id from 2)::integer < 230 order by d.id`)
  await fresh.database.inTransaction(async (session) => {
    const ids = changed.map(({ document_id }) => document_id)
    const vectors = changed.map((_, at) => Buffer.from(Float32Array.from(near(at, -0.2 - at * 0.003)).buffer))
    const modelId = changed[0]?.model_id
    await session.rows(sql`
      update docket_documents.chunk_embedding v set vectors = n.vectors
      from unnest(${ids}::bigint[], ${vectors}::bytea[]) as n (document_id, vectors) where v.document_id = n.document_id`)
    await session.rows(sql`
      update docket_documents.document_embedding set position = null where document_id = any (${ids}::bigint[])`)
    await session.rows(sql`
      select docket_documents.finish_embeddings(${modelId}, ${ids}::bigint[], ${ids.map(() => null)}::bytea[])`)
  })
  const search = { query: '', k: 20, filter: '', mode: 'vector', collectionNames: [collectionName] } as const
  const names = async (from: TestDocumentDeps): Promise<unknown> => {
    const response = await searchDocuments(from, documentAdmin, { ...search, vector: Float32Array.from(near(999, 1)) })
    return response.ok ? response.value.hits.map(({ docId }) => docId) : response.error
  }
  const expected = await names(builtIn)
  expect((expected as string[]).every((docId) => Number(docId.slice(1)) >= 230)).toBe(true)
  expect(await names(deps)).toEqual(expected)
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
