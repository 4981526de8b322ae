import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { loadText } from '../../src/documents/load-document.ts'
import { searchDocuments } from '../../src/documents/search-documents.ts'
import { type CallerVectors, callerVectors } from '../../src/embeddings/open-embeddings.ts'
import { vectorEngines } from '../../src/embeddings/open-vector-engines.ts'
import type { VectorEngine } from '../../src/embeddings/vector-engine.ts'
import { documentAdmin, openDocumentDeps, type TestDocumentDeps } from '../harness/document-deps.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'
import { pgvectorDatabase } from '../harness/pgvector-database.ts'

// PostgreSQL in WebAssembly takes its time.
vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 })

const engines = [
  { kind: 'built-in', open: () => freshDatabase() },
  { kind: 'pgvector', open: pgvectorDatabase },
  { kind: 'lancedb', open: () => freshDatabase() },
] as const

describe.each(engines)('$kind', ({ kind, open }) => {
  const folder = mkdtempSync(join(tmpdir(), 'docket-replaced-'))
  let fresh: FreshDatabase
  /** One process loads; the other one searches, with vectors of its own. */
  let loading: TestDocumentDeps
  let searching: TestDocumentDeps
  let givenVectors: CallerVectors
  let engine: VectorEngine
  /** What happens when a search has chosen its state, and before it reads vectors. */
  let meanwhile: () => Promise<void> = async () => undefined
  beforeAll(async () => {
    fresh = await open()
    loading = await openDocumentDeps(fresh)
    const { database } = fresh
    const { clock } = loading
    const onError = (error: unknown): void => {
      throw error
    }
    const place = { uri: folder, storageOptions: {}, packageFolder: resolve('test/lancedb') }
    const openEngine = await vectorEngines({ database, clock, kind, onError, place, maxNewer: 0 })
    givenVectors = callerVectors({ database, openEngine, onError })
    engine = await givenVectors.index()
    await engine.whenReady()
    const between: VectorEngine = {
      modelId: engine.modelId,
      async nearest(search) {
        await meanwhile()
        return engine.nearest(search)
      },
      reach: (position) => engine.reach(position),
      follow: () => engine.follow(),
      whenReady: () => engine.whenReady(),
      buildProgress: () => engine.buildProgress(),
      verify: (repairs, onProgress) => engine.verify(repairs, onProgress),
      close: () => engine.close(),
    }
    searching = { ...loading, givenVectors: { ...givenVectors, index: async () => between } }
  })
  afterAll(async () => {
    await givenVectors.close()
    await loading.close()
    await fresh.drop()
    rmSync(folder, { recursive: true, force: true })
  })
  beforeEach(() => {
    meanwhile = async () => undefined
  })

  test('a search finds a document that is replaced before its vectors are read', async () => {
    await load('other', [0, 1])
    await load('replaced', [0.8, 0.2])
    meanwhile = async () => {
      meanwhile = async () => undefined
      await load('replaced', [0.9, 0.1])
    }
    expect(await search()).toEqual(['replaced', 'other'])
    expect(await search()).toEqual(['replaced', 'other'])
  })

  test('a search finds a document that is replaced before another process reads its vectors', async () => {
    await load('other', [0, 1])
    await search()
    await load('followed', [1, 0])
    meanwhile = async () => {
      meanwhile = async () => undefined
      await load('followed', [1, 0.1])
      await engine.follow()
    }
    expect(await search()).toEqual(['followed', 'replaced', 'other'])
    expect(await search()).toEqual(['followed', 'replaced', 'other'])
  })

  // ── what the tests say ──

  async function search(): Promise<readonly string[]> {
    const vector = Float32Array.of(1, 0)
    const request = { query: '', mode: 'vector', vector, k: 10, collectionNames: ['given'], filter: '' } as const
    const found = await searchDocuments(searching, documentAdmin, request)
    if (!found.ok) throw new Error(JSON.stringify(found.error))
    return found.value.hits.map(({ docId }) => docId)
  }

  async function load(docId: string, vector: readonly number[]): Promise<void> {
    const sent = { collectionName: 'given', metadata: { doc_id: docId }, text: `document ${docId}`, vector }
    expect(await loadText(loading, documentAdmin, sent)).toMatchObject({ ok: true })
  }
})
