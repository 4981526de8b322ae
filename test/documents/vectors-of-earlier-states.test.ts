import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadText } from '../../src/documents/load-document.ts'
import { type Search, searchDocuments } from '../../src/documents/search-documents.ts'
import { documentAdmin, openDocumentDeps, type TestDocumentDeps } from '../harness/document-deps.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'
import { openOtherIndex } from '../harness/open-other-index.ts'

const minuteMs = 60_000
let fresh: FreshDatabase
/** One process loads; the other one searches, and its index of words follows only after `release`. */
let loading: TestDocumentDeps
let searching: TestDocumentDeps
let held: Promise<void> = Promise.resolve()
let release = (): void => undefined
let aheadMs = 0
beforeAll(async () => {
  fresh = await freshDatabase()
  loading = await openDocumentDeps(fresh, { clock: { nowMs: () => Date.now() + aheadMs } })
  await load('replaced', [1, 0])
  await load('other', [0, 1])
  await load('alone', [1, 1], 'quiet')
  const { index } = openOtherIndex(fresh.database, { beforeBuild: () => held })
  await index.whenReady()
  searching = { ...loading, index, searchWaitMs: async () => 20, close: () => index.close() }
})
afterAll(async () => {
  release()
  await searching.close()
  await loading.close()
  await fresh.drop()
})

test('a search of a state whose vectors are forgotten in part does not leave documents out', async () => {
  const vectors = await loading.givenVectors.index()
  const hold = Promise.withResolvers<void>()
  held = hold.promise
  release = hold.resolve
  await load('replaced', [0.9, 0.1])
  await vectors.follow()
  // Words know the first version only, and its vector is still there.
  const [indexBehind, vectorsBehind] = [{ kind: 'index-behind' }, { kind: 'vectors-behind' }]
  const both = ['replaced', 'other']
  expect(await search({ query: '', mode: 'vector' })).toEqual({ mode: 'vector', warnings: [indexBehind], ids: both })

  aheadMs = 2 * minuteMs
  await vectors.follow()
  expect(await search({ query: '', mode: 'vector' })).toEqual({
    kind: 'unavailable',
    detail: 'This server does not have all vectors at the moment',
    retryAfterSeconds: 1,
  })
  // Nothing of the other collection is forgotten.
  expect(await search({ query: '', mode: 'vector' }, 'quiet')).toEqual({
    mode: 'vector',
    warnings: [indexBehind],
    ids: ['alone'],
  })
  const byWords = { mode: 'lexical', warnings: [indexBehind, vectorsBehind], ids: both.toSorted() }
  expect(await search({ query: 'toner', mode: 'hybrid' })).toEqual(byWords)

  release()
  await searching.index.refresh()
  expect(await search({ query: '', mode: 'vector' })).toEqual({ mode: 'vector', warnings: [], ids: both })
})

// ── what the test says ──

async function search(requested: Pick<Search, 'query' | 'mode'>, collectionName = 'given') {
  const vector = Float32Array.of(1, 0)
  const request = { ...requested, vector, k: 10, collectionNames: [collectionName], filter: '' }
  const found = await searchDocuments(searching, documentAdmin, request)
  if (!found.ok) return found.error
  const { mode, warnings, hits } = found.value
  return { mode, warnings, ids: hits.map(({ docId }) => docId) }
}

async function load(docId: string, vector: readonly number[], collectionName = 'given'): Promise<void> {
  const sent = { collectionName, metadata: { doc_id: docId }, text: 'toner', vector }
  expect(await loadText(loading, documentAdmin, sent)).toMatchObject({ ok: true })
}
