import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Database } from '../../src/database/database.ts'
import { deleteDocument } from '../../src/documents/delete-documents.ts'
import { loadText } from '../../src/documents/load-document.ts'
import { type Search, searchDocuments } from '../../src/documents/search-documents.ts'
import { type CallerVectors, callerVectors } from '../../src/embeddings/open-embeddings.ts'
import { vectorEngines } from '../../src/embeddings/open-vector-engines.ts'
import { documentAdmin, openDocumentDeps, type TestDocumentDeps } from '../harness/document-deps.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'
import { pgvectorDatabase } from '../harness/pgvector-database.ts'

// PostgreSQL in WebAssembly takes its time.
vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 })

const engines = [
  { kind: 'built-in', open: () => freshDatabase() },
  { kind: 'pgvector', open: pgvectorDatabase },
] as const

describe.each(engines)('$kind', ({ kind, open }) => {
  let fresh: FreshDatabase
  /** One process loads; in the other one new vectors are read when `held` resolves. */
  let loading: TestDocumentDeps
  let searching: TestDocumentDeps
  let givenVectors: CallerVectors
  let waitMs: number | null = null
  let held: Promise<void> = Promise.resolve()
  /** Of the statements and transactions that read vectors. */
  let running = 0
  let maxAtOnce = 0
  beforeAll(async () => {
    fresh = await open()
    loading = await openDocumentDeps(fresh)
    await load('one', 'toner of a printer', [1, 0])
    await load('two', 'toner of a copier', [0, 1])
    const whenFree = async <T>(read: () => Promise<T>): Promise<T> => {
      maxAtOnce = Math.max(maxAtOnce, ++running)
      await held
      return read().finally(() => running--)
    }
    const database: Database = {
      ...fresh.database,
      run: (statement, values) => {
        const run = () => fresh.database.run(statement, values)
        return kind === 'built-in' && statement.name === 'read-vectors' ? whenFree(run) : run()
      },
      inTransaction: (work) => whenFree(() => fresh.database.inTransaction(work)),
    }
    const onError = (error: unknown): void => {
      throw error
    }
    const openEngine = await vectorEngines({ database, clock: loading.clock, kind, onError })
    givenVectors = callerVectors({ database, openEngine, onError })
    await (await givenVectors.index()).whenReady()
    searching = { ...loading, givenVectors, searchWaitMs: async () => waitMs }
  })
  afterAll(async () => {
    await givenVectors.close()
    await loading.close()
    await fresh.drop()
  })

  test('a search whose vectors are not read in its time responds by words, and says so (issue 14, 4)', async () => {
    const hold = Promise.withResolvers<void>()
    held = hold.promise
    waitMs = 20
    await load('one', 'plotter instead of a printer', [0.9, 0.1])
    await load('three', 'toner of a fax', [0.8, 0.2])
    await deleteDocument(loading, documentAdmin, 'given', 'two')

    const byWords = { mode: 'lexical', warnings: [{ kind: 'vectors-behind' }] }
    expect(await search({ query: 'toner', mode: 'hybrid' })).toEqual({ ...byWords, ids: ['three'] })
    expect(await search({ query: 'plotter', mode: 'vector' })).toEqual({ ...byWords, ids: ['one'] })
    // Without words the document that was replaced would not be found at all.
    expect(await search({ query: '', mode: 'vector' })).toEqual({
      kind: 'unavailable',
      detail: 'This server does not have all vectors at the moment',
      retryAfterSeconds: 1,
    })

    // Searches that do not wait any longer leave at most one connection busy.
    expect(maxAtOnce).toBe(1)

    waitMs = null
    const waiting = search({ query: '', mode: 'vector' })
    hold.resolve()
    expect(await waiting).toEqual({ mode: 'vector', warnings: [], ids: ['one', 'three'] })
    waitMs = 20
    expect(await search({ query: 'toner', mode: 'hybrid' })).toEqual({
      mode: 'hybrid',
      warnings: [],
      ids: ['three', 'one'],
    })
  })

  // ── what the test says ──

  async function search(requested: Pick<Search, 'query' | 'mode'>) {
    const vector = Float32Array.of(1, 0)
    const request = { ...requested, vector, k: 10, collectionNames: ['given'], filter: '' }
    const found = await searchDocuments(searching, documentAdmin, request)
    if (!found.ok) return found.error
    const { mode, warnings, hits } = found.value
    return { mode, warnings, ids: hits.map(({ docId }) => docId) }
  }

  async function load(docId: string, text: string, vector: readonly number[]): Promise<void> {
    const sent = { collectionName: 'given', metadata: { doc_id: docId }, text, vector }
    expect(await loadText(loading, documentAdmin, sent)).toMatchObject({ ok: true })
  }
})
