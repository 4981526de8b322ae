import { afterAll, beforeAll, expect, test } from 'vitest'
import { deleteDocument } from '../../src/documents/delete-documents.ts'
import { loadText } from '../../src/documents/load-document.ts'
import { searchDocuments } from '../../src/documents/search-documents.ts'
import { searchWaitMs } from '../../src/documents/search-wait.ts'
import { documentAdmin, openDocumentDeps, type TestDocumentDeps } from '../harness/document-deps.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'
import { openOtherIndex } from '../harness/open-other-index.ts'

let fresh: FreshDatabase
/** One process loads, the other one searches, and follows only what `hold` lets through. */
let loading: TestDocumentDeps
let searching: TestDocumentDeps
let waitMs: number | null = null
let held: Promise<void> = Promise.resolve()
beforeAll(async () => {
  fresh = await freshDatabase()
  loading = await openDocumentDeps(fresh)
  await load('one', 'toner of a printer')
  await load('two', 'toner of a copier')
  const { index } = openOtherIndex(fresh.database, { beforeBuild: () => held })
  await index.whenReady()
  searching = { ...loading, index, searchWaitMs: async () => waitMs, close: () => index.close() }
})
afterAll(async () => {
  await searching.close()
  await loading.close()
  await fresh.drop()
})

test('a search responds in time with what its process has, and says that it is behind (issue 14, 4)', async () => {
  const hold = Promise.withResolvers<void>()
  held = hold.promise
  waitMs = 20
  const replaced = await load('one', 'plotter instead of a printer')
  const added = await load('three', 'toner of a fax')
  await deleteDocument(loading, documentAdmin, 'kb', 'two')
  const behind = { mode: 'lexical', warnings: [{ kind: 'index-behind' }] }

  // The version before is there until its replacement is; what was deleted is not.
  expect(await search('toner')).toEqual({ ...behind, ids: ['one'] })
  expect(await search('plotter')).toEqual({ ...behind, ids: [] })
  expect(await search('toner', { filter: 'doc_id=two^ORdoc_id=one' })).toEqual({ ...behind, ids: ['one'] })
  expect(await search('toner', { minSequence: replaced - 1 })).toEqual({ ...behind, ids: ['one'] })
  for (const minSequence of [replaced, added])
    expect(await search('toner', { minSequence })).toEqual({
      kind: 'unavailable',
      detail: `The search index of this server has not reached the sequence number ${minSequence} yet`,
      retryAfterSeconds: 1,
    })

  waitMs = null
  const waiting = search('toner', { minSequence: added })
  hold.resolve()
  expect(await waiting).toEqual({ mode: 'lexical', warnings: [], ids: ['three'] })
  expect(await search('plotter')).toEqual({ mode: 'lexical', warnings: [], ids: ['one'] })
})

test('a sequence number that no load has yet is not reached (issue 14, 4)', async () => {
  const sequence = await load('four', 'toner again')
  expect(await search('toner', { minSequence: sequence + 1 })).toMatchObject({ kind: 'unavailable' })
  expect(await load('four', 'toner again')).toBe(sequence)
})

test('a process where nobody searches indexes what others load (issue 14, 4)', async () => {
  const idle = await openDocumentDeps(fresh)
  const sequence = await load('five', 'toner of a process that nobody asks')
  await expect.poll(() => idle.index.position(), { timeout: 25_000 }).toBeGreaterThanOrEqual(sequence)
  await idle.close()
})

test.each([
  ['', null],
  [' 250 ', 250],
  ['0', 0],
  ['-5', 0],
  ['soon', null],
] as const)('the property search.wait_ms %j means %j', (text, ms) => {
  expect(searchWaitMs(new Map([['search.wait_ms', text]]))).toBe(ms)
})

test('without the property a search waits as long as it takes (issue 14, 4)', () => {
  expect(searchWaitMs(new Map())).toBe(null)
})

// ── what the tests say ──

async function search(query: string, others: { readonly filter?: string; readonly minSequence?: number } = {}) {
  const request = { query, k: 10, collectionNames: ['kb'], filter: '', ...others }
  const found = await searchDocuments(searching, documentAdmin, request)
  if (!found.ok) return found.error
  const { mode, warnings, hits } = found.value
  return { mode, warnings, ids: hits.map(({ docId }) => docId) }
}

async function load(docId: string, text: string): Promise<number> {
  const loaded = await loadText(loading, documentAdmin, { collectionName: 'kb', metadata: { doc_id: docId }, text })
  if (!loaded.ok) throw new Error(loaded.error.kind)
  return loaded.value.sequence
}
