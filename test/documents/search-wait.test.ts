import { afterAll, beforeAll, expect, test } from 'vitest'
import { configureCollection } from '../../src/documents/configure-collection.ts'
import { deleteDocument } from '../../src/documents/delete-documents.ts'
import { loadText } from '../../src/documents/load-document.ts'
import { type Search, searchDocuments } from '../../src/documents/search-documents.ts'
import { searchWaitMs } from '../../src/documents/search-wait.ts'
import { sql } from '../../src/kernel/sql.ts'
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
  const readableRecords: TestDocumentDeps['readableRecords'] = async () => (id) => sql<boolean>`${id} <> 'hidden'`
  loading = await openDocumentDeps(fresh, { readableRecords })
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

test('a document that was replaced and then deleted is not found by an index that knows neither (issue 14, 4)', async () => {
  await load('fleeting', 'ribbon of a typewriter')
  await load('lasting', 'ribbon of a plotter')
  expect(await search('ribbon')).toMatchObject({ ids: ['fleeting', 'lasting'] })
  await whileBehind(async () => {
    for (const docId of ['fleeting', 'lasting'])
      for (const text of ['a second version', 'a third version']) await load(docId, text)
    await deleteDocument(loading, documentAdmin, 'kb', 'fleeting')
    expect(await search('ribbon')).toMatchObject({ warnings: [{ kind: 'index-behind' }], ids: ['lasting'] })
  })
  expect(await search('ribbon')).toMatchObject({ warnings: [], ids: [] })
})

test('a search of a bound collection that is behind sees the versions before, and nothing that was deleted or is hidden (issue 14, 4)', async () => {
  await configureCollection(loading, documentAdmin, 'bound', { aclTable: 'task' })
  for (const docId of ['replaced', 'deleted', 'hidden', 'same']) await load(docId, 'cartridge', 'bound')
  const inBound = { collectionNames: ['bound'], explain: true }
  expect(await search('cartridge', inBound)).toMatchObject({ ids: ['deleted', 'replaced', 'same'] })
  await whileBehind(async () => {
    await load('replaced', 'drum instead', 'bound')
    await deleteDocument(loading, documentAdmin, 'bound', 'deleted')
    await load('hidden', 'cartridge, cartridge', 'bound')
    await load('new', 'cartridge', 'bound')
    const behind = { mode: 'lexical', warnings: [{ kind: 'index-behind' }] }
    expect(await search('cartridge', inBound)).toEqual({ ...behind, ids: ['replaced', 'same'] })
    expect(await search('cartridge', { collectionNames: null })).toMatchObject({ ids: ['replaced', 'same'] })
    expect(await search('drum', inBound)).toEqual({ ...behind, ids: [] })
  })
  expect(await search('cartridge', inBound)).toEqual({ mode: 'lexical', warnings: [], ids: ['new', 'same'] })
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

/** The index of the searching process stays as it is, and searches wait shortly. */
async function whileBehind(work: () => Promise<void>): Promise<void> {
  const hold = Promise.withResolvers<void>()
  held = hold.promise
  waitMs = 20
  await work().finally(() => {
    waitMs = null
    hold.resolve()
  })
}

async function search(query: string, others: Partial<Search> = {}) {
  const request = { query, k: 10, collectionNames: ['kb'], filter: '', ...others }
  const found = await searchDocuments(searching, documentAdmin, request)
  if (!found.ok) return found.error
  const { mode, warnings, hits } = found.value
  return { mode, warnings, ids: hits.map(({ docId }) => docId) }
}

async function load(docId: string, text: string, collectionName = 'kb'): Promise<number> {
  const metadata = { doc_id: docId, sys_id: docId }
  const loaded = await loadText(loading, documentAdmin, { collectionName, metadata, text })
  if (!loaded.ok) throw new Error(loaded.error.kind)
  return loaded.value.sequence
}
