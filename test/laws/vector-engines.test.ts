import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { makeRandom } from '../../bench/search/corpus.ts'
import { configureCollection } from '../../src/documents/configure-collection.ts'
import { deleteCollection, deleteDocument } from '../../src/documents/delete-documents.ts'
import { loadText } from '../../src/documents/load-document.ts'
import { type Search, type SearchFound, searchDocuments } from '../../src/documents/search-documents.ts'
import { LanceEngine } from '../../src/embeddings/lancedb/lancedb-engine.ts'
import { PgvectorEngine } from '../../src/embeddings/pgvector/pgvector-engine.ts'
import { similarityOf, unitLength } from '../../src/embeddings/similarity.ts'
import { sql } from '../../src/kernel/sql.ts'
import {
  callerWith,
  documentAdmin,
  openDocumentDeps,
  type TestDocumentDeps,
  type TestDocumentOptions,
} from '../harness/document-deps.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'
import { type ModelStandIn, startModelStandIn } from '../harness/model-stand-in.ts'
import { pgvectorDatabase } from '../harness/pgvector-database.ts'

// PostgreSQL in WebAssembly takes its time.
vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 })

const folder = mkdtempSync(join(tmpdir(), 'docket-vector-tables-'))

/** Every engine for vectors has to pass these laws. */
const engines = [
  { name: 'built-in', database: () => freshDatabase(), vectors: { kind: 'built-in' } },
  { name: 'built-in, in a file', database: () => freshDatabase(), vectors: { kind: 'built-in', memoryBytes: 0 } },
  // Graphs are built for smaller collections than usual, so that some of the laws search in them.
  { name: 'pgvector', database: pgvectorDatabase, vectors: { kind: 'pgvector', minGraphChunks: 50 } },
  // Everything is in tables as soon as possible, and what is in an index of its own is searched by it.
  {
    name: 'lancedb',
    database: () => freshDatabase(),
    vectors: {
      kind: 'lancedb',
      place: { uri: folder, storageOptions: {}, packageFolder: resolve('test/lancedb') },
      ...{ minOwnChunks: 50, minIndexedRows: 30, maxNewer: 10 },
    },
  },
] as const

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const reader = callerWith(['document_reader'])
const numbers = 6
const plainSearch = { query: '', k: 10, filter: '', mode: 'vector' } as const
/** Enough for a graph, which a caller who sees only some of them must not get. */
const bound = documentsOf('bound', 60)
/** Fewer chunks than a graph needs. */
const open = documentsOf('open', 20)

interface TestDocument {
  readonly collectionName: string
  readonly docId: string
  readonly priority: number
  readonly vector: Float32Array
}

function documentsOf(collectionName: string, count: number): readonly TestDocument[] {
  const random = makeRandom(count)
  return Array.from({ length: count }, (_, at) => ({
    collectionName,
    docId: String(1_000 + at),
    priority: at % 5,
    // Every seventh one is equal to others.
    vector: at % 7 === 0 ? Float32Array.of(1, 1, 0, 0, 0, 0) : drawVector(random),
  }))
}

function drawVector(random: () => number, length = numbers): Float32Array {
  return Float32Array.from({ length }, () => random() - 0.5)
}

describe.each(engines)('$name', ({ database, vectors }) => {
  /** Records that the caller may read. */
  let readableIds: readonly string[] = []
  let fresh: FreshDatabase
  let model: ModelStandIn
  /** Two processes. */
  let processes: readonly [TestDocumentDeps, TestDocumentDeps]
  let options: TestDocumentOptions

  beforeAll(async () => {
    fresh = await database()
    model = await startModelStandIn()
    options = {
      vectors,
      readableRecords: async () => (id: unknown) => sql<boolean>`${id} = any (${readableIds}::text[])`,
      embeddings: {
        url: model.embeddingsUrl,
        key: null,
        model: 'stand-in',
        dimensions: null,
        textsOfRequest: 32,
        timeoutMs: 60_000,
        queryTimeoutMs: 60_000,
        textPrefix: '',
        queryPrefix: '',
      },
    }
    processes = [await openDocumentDeps(fresh, options), await openDocumentDeps(fresh, options)]
    await configureCollection(processes[0], documentAdmin, 'bound', {
      aclTable: 'task',
      embeddingsModel: 'caller',
      vectorLength: numbers,
    })
    readableIds = bound.map(({ docId }) => docId)
    for (const document of [...bound, ...open]) await load(document)
    // PostgreSQL in WebAssembly may need more than the few seconds that a first search waits.
    await (await processes[1].givenVectors.index()).whenReady()
  })
  afterAll(async () => {
    for (const deps of processes) await deps.close()
    await model.stop()
    await fresh.drop()
  })

  async function load({ collectionName, docId, priority, vector }: TestDocument, deps = processes[0]): Promise<void> {
    const metadata = { doc_id: docId, sys_id: docId, priority }
    const sent = { collectionName, metadata, text: `document ${docId}`, vector: [...vector] }
    expect(await loadText(deps, documentAdmin, sent)).toMatchObject({ ok: true })
  }

  async function found(search: Partial<Search> & Pick<Search, 'vector' | 'collectionNames'>): Promise<SearchFound> {
    const response = await searchDocuments(processes[1], reader, { ...plainSearch, ...search })
    if (!response.ok) throw new Error(JSON.stringify(response.error))
    return response.value
  }

  const shortly = ({ hits }: SearchFound) =>
    hits.map(({ collectionName, docId, score }) => ({ collectionName, docId, score }))
  const idsOf = ({ hits }: SearchFound) => hits.map(({ docId }) => docId)

  async function buildGraphs(): Promise<void> {
    const engine = await processes[1].givenVectors.index()
    if (engine instanceof LanceEngine) await engine.keepTables()
    if (!(engine instanceof PgvectorEngine)) return
    await engine.buildGraphs()
    // The collections of the test are so small that PostgreSQL would rather sort them.
    await fresh.database.rows(sql`set enable_sort = off`)
  }

  test('rights and filter are inside the ranking: the result is that of a comparison of every visible vector', async () => {
    await buildGraphs()
    const ids = bound.map(({ docId }) => docId)
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.subarray(ids), fc.subarray(ids, { maxLength: 5 })),
        fc.constantFrom(
          { filter: '', passes: () => true },
          { filter: 'priority=1', passes: ({ priority }: TestDocument) => priority === 1 },
          { filter: 'priority>2', passes: ({ priority }: TestDocument) => priority > 2 },
          { filter: 'sys_idENDSWITH7', passes: ({ docId }: TestDocument) => docId.endsWith('7') },
          { filter: 'absent=1', passes: () => false },
        ),
        fc.integer({ min: 0, max: 1_000_000 }),
        fc.integer({ min: 1, max: 90 }),
        async (readable, { filter, passes }, seed, k) => {
          readableIds = readable
          const vector = seed % 10 === 0 ? Float32Array.of(1, 1, 0, 0, 0, 0) : drawVector(makeRandom(seed))
          const visible = [...bound.filter(({ docId }) => readable.includes(docId)), ...open]
          const expected = nearestOf(visible.filter(passes), vector, k)
          expect(shortly(await found({ vector, filter, k, collectionNames: ['bound', 'open'] }))).toEqual(expected)
        },
      ),
      { numRuns: 60 },
    )
  })

  test('nothing in a response depends on documents that the caller may not see', async () => {
    readableIds = bound.slice(0, 30).map(({ docId }) => docId)
    const [first] = bound
    const vector = first?.vector ?? new Float32Array(numbers)
    const search = { vector, k: 20, collectionNames: ['bound'], explain: true }
    const before = await found(search)
    expect(before.hits).toHaveLength(20)
    for (const docId of ['1031', '1050', '1059', 'hidden'])
      await load({ collectionName: 'bound', docId, priority: 1, vector })
    readableIds = bound.map(({ docId }) => docId)
    await deleteDocument(processes[0], documentAdmin, 'bound', '1055')
    readableIds = bound.slice(0, 30).map(({ docId }) => docId)
    expect(await found(search)).toEqual(before)
  })

  test('what one process loads, replaces and deletes holds for the next search in another one', async () => {
    const east = Float32Array.of(1, 0, 0, 0, 0, 0)
    const north = Float32Array.of(0, 1, 0, 0, 0, 0)
    const of = (docId: string, vector: Float32Array) => ({ collectionName: 'moving', docId, priority: 1, vector })
    const search = { vector: east, collectionNames: ['moving'] }
    for (let round = 0; round < 3; round++) {
      await load(of('a', east))
      await load(of('b', Float32Array.of(1, 1, 0, 0, 0, 0)))
      expect(idsOf(await found(search))).toEqual(['a', 'b'])
      await load(of('a', north))
      const replaced = await found(search)
      expect(idsOf(replaced)).toEqual(['b', 'a'])
      expect(replaced.hits[1]?.score).toBe(0)
      await deleteDocument(processes[0], documentAdmin, 'moving', 'b')
      expect(idsOf(await found(search))).toEqual(['a'])
      await deleteCollection(processes[0], documentAdmin, 'moving')
      expect(await searchDocuments(processes[1], reader, { ...plainSearch, ...search })).toMatchObject({ ok: false })
    }
  })

  test('equal similarities are in the order of the doc_ids, whatever k is', async () => {
    const equal = Float32Array.of(0, 0, 1, 1, 0, 0)
    const ids = Array.from({ length: 12 }, (_, at) => `é${(at * 5) % 12}`)
    for (const docId of ids) await load({ collectionName: 'ties', docId, priority: 1, vector: equal })
    const sorted = ids.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
    for (const k of [1, 7, 11, 12, 300])
      expect(idsOf(await found({ vector: equal, k, collectionNames: ['ties'] }))).toEqual(sorted.slice(0, k))
  })

  test('who sees a large collection whole finds at least 98 of 100 of the nearest, and everything that a rare filter leaves', async () => {
    // As many as `bound`: a search of them keeps more candidates than there are chunks, whether there are 60 or 100.
    const large = documentsOf('large', 60)
    for (const document of large) await load(document)
    await found({ vector: Float32Array.of(1, 0, 0, 0, 0, 0), collectionNames: ['large'] })
    await buildGraphs()
    const random = makeRandom(7)
    let hits = 0
    for (let round = 0; round < 20; round++) {
      const vector = drawVector(random)
      const expected = nearestOf(large, vector, 10)
      const actual = shortly(await found({ vector, collectionNames: ['large'] }))
      hits += expected.filter((each) =>
        actual.some(({ docId, score }) => docId === each.docId && score === each.score),
      ).length
      const rare = large.filter(({ docId }) => docId.endsWith('7'))
      const filtered = await found({ vector, collectionNames: ['large'], filter: 'sys_idENDSWITH7' })
      expect(shortly(filtered)).toEqual(nearestOf(rare, vector, 10))
    }
    expect(hits).toBeGreaterThanOrEqual(196)
  })

  test('vectors of thousands of numbers are found, too', async () => {
    const random = makeRandom(3)
    for (const length of [2_500, 16_100]) {
      const collectionName = `long ${length}`
      const documents = Array.from({ length: 5 }, (_, at) => {
        return { collectionName, docId: `d${at}`, priority: 1, vector: drawVector(random, length) }
      })
      for (const document of documents) await load(document)
      const vector = drawVector(random, length)
      expect(shortly(await found({ vector, collectionNames: [collectionName] }))).toEqual(
        nearestOf(documents, vector, 10),
      )
    }
  })

  test('vectors that a model makes of the chunks of long documents', async () => {
    const words = ['printer', 'router', 'vacation', 'login', 'toner', 'network']
    for (let at = 0; at < 12; at++) {
      const paragraphs = Array.from({ length: 1 + (at % 4) * 12 }, (_, n) => `${words[(at + n) % 6]} ${n} `.repeat(90))
      const sent = { collectionName: 'made', metadata: { doc_id: `d${at}` }, text: paragraphs.join('\n\n') }
      expect(await loadText(processes[0], documentAdmin, sent)).toMatchObject({ ok: true })
    }
    await expect
      .poll(
        async () =>
          (await fresh.database.rows(sql`select from docket_documents.document_embedding where position is null`))
            .length,
      )
      .toBe(0)
    const builtIn = await openDocumentDeps(fresh, { ...options, vectors: { kind: 'built-in' } })
    try {
      for (const query of words) {
        const search = { query, k: 25, filter: '', collectionNames: ['made'], mode: 'hybrid', explain: true } as const
        const expected = await searchDocuments(builtIn, reader, search)
        expect(expected).toMatchObject({ ok: true, value: { mode: 'hybrid', warnings: [] } })
        expect(await searchDocuments(processes[1], reader, search)).toEqual(expected)
      }
    } finally {
      await builtIn.close()
    }
  })

  test('a comparison with the stored vectors finds no difference, and counts them', async () => {
    for (const engine of [processes[0].embeddings?.index, await processes[0].givenVectors.index()]) {
      const check = await engine?.verify(false)
      expect(check).toMatchObject({ differences: 0, examples: [] })
      expect(check?.vectors).toBeGreaterThan(50)
    }
  })
})

/** The nearest by a plain comparison of all. */
function nearestOf(documents: readonly TestDocument[], vector: Float32Array, k: number) {
  const query = unitLength(vector)
  return documents
    .map(({ collectionName, docId, vector: own }, at) => ({
      ...{ collectionName, docId, at, score: similarityOf(unitLength(own), query) },
    }))
    .sort((one, other) => {
      const names = Buffer.compare(Buffer.from(one.docId), Buffer.from(other.docId))
      return other.score - one.score || names || one.at - other.at
    })
    .slice(0, k)
    .map(({ collectionName, docId, score }) => ({ collectionName, docId, score }))
}
