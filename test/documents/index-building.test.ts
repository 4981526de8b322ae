import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../src/database/database.ts'
import { beginHistory } from '../../src/database/database-history.ts'
import { deleteDocument } from '../../src/documents/delete-documents.ts'
import { loadText } from '../../src/documents/load-document.ts'
import { searchDocuments } from '../../src/documents/search-documents.ts'
import { readCollections } from '../../src/documents/store/collections.ts'
import { callerVectors } from '../../src/embeddings/open-embeddings.ts'
import { vectorEngines } from '../../src/embeddings/open-vector-engines.ts'
import { IndexBuilding } from '../../src/kernel/index-building.ts'
import { sql } from '../../src/kernel/sql.ts'
import { queryTerms } from '../../src/search-engine/ranking/query-terms.ts'
import { addCopies, firstDocumentOf } from '../harness/document-copies.ts'
import { documentAdmin, openDocumentDeps, type TestDocumentDeps } from '../harness/document-deps.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'
import { type OtherIndex, openOtherIndex } from '../harness/open-other-index.ts'

/** More than two pages of the build. */
const manyDocuments = 4_500

let fresh: FreshDatabase
let deps: TestDocumentDeps
const opened: Building[] = []
beforeAll(async () => {
  fresh = await freshDatabase()
  deps = await openDocumentDeps(fresh)
  await load('small', 'one', 'toner of a small collection')
  await load('large', 'doc-1', 'toner of a large collection')
  await addCopies(fresh.database, 'large', manyDocuments)
})
afterAll(async () => {
  for (const { release } of opened) release()
  await Promise.all(opened.map(({ index }) => index.close()))
  await deps.close()
  await fresh.drop()
})

test('each collection can be searched as soon as it is indexed, the smallest first (issue 14, 1)', async () => {
  const { index, deps: building, release, paused } = openBuilding({ pauseAfterPages: 1 })
  const ready = index.whenReady()
  await paused
  expect(await search(building, ['small'])).toEqual({ ok: true, value: ['one'] })
  expect(await search(building, ['large'])).toEqual(notYet(0))
  expect(await search(building, ['small', 'large'])).toEqual(notYet(0))
  expect(await search(building, null)).toEqual(notYet(0))
  expect(index.buildProgress()).toEqual({ percent: 0, retryAfterSeconds: expect.any(Number) })
  release()
  await ready
  expect(index.buildProgress()).toBe(null)
  expect(await search(building, null)).toMatchObject({ ok: true, value: { length: 1_000 } })
  expect((await index.verify()).differences).toBe(0)
})

test('what is loaded, replaced and deleted during the build counts when it is complete (issue 14, 1)', async () => {
  const { index, deps: building, release, paused } = openBuilding({ pauseAfterPages: 2 })
  const ready = index.whenReady()
  await paused
  await deleteDocument(deps, documentAdmin, 'large', 'copy-7')
  await deleteDocument(deps, documentAdmin, 'large', `copy-${manyDocuments}`)
  await load('large', 'new', 'plotter that is loaded during the build')
  await load('large', 'copy-8', 'plotter instead of toner')
  await load('fresh', 'other', 'plotter of a collection that appears during the build')
  await index.refresh()
  expect(await search(building, ['fresh'], 'plotter')).toEqual({ ok: true, value: ['other'] })
  expect(await search(building, ['large'])).toMatchObject({ ok: false, error: { kind: 'index-building' } })
  release()
  await ready
  expect((await index.verify()).differences).toBe(0)
  expect(await search(building, null, 'plotter')).toMatchObject({ ok: true, value: { length: 3 } })
})

test('a search that began before a document was replaced never misses both versions in a collection that is built meanwhile', async () => {
  const { index, deps: building, release, paused } = openBuilding({ pauseAfterPages: 2 })
  const ready = index.whenReady()
  await paused
  const before = await readCollections(fresh.database, ['large'])
  const collectionIds = before.collections.map(({ id }) => id)
  const inLastPage = `copy-${manyDocuments - 10}`
  const { terms } = queryTerms(await textOf(inLastPage), [])
  const options = { k: 10, explain: false, pairs: [], phrases: [] }
  await index.withSnapshot(async (view) => {
    await load('large', inLastPage, 'ribbon instead of toner')
    await index.refresh()
    release()
    await ready
    const earlier = view.search(before.position, { collectionIds, terms, options })
    await expect(earlier).rejects.toBeInstanceOf(IndexBuilding)
    expect(await search(building, ['large'], 'ribbon')).toEqual({ ok: true, value: [inLastPage] })
  })
})

test('a build that ended before it was complete goes on where it was (issue 14, 1)', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'docket-building-'))
  try {
    const first = openBuilding({ pauseAfterPages: 2, folder })
    const ready = first.index.whenReady().catch(() => undefined)
    await first.paused
    expect(first.index.buildProgress()?.percent).toBeGreaterThan(30)
    const closed = first.index.close()
    first.release()
    await closed
    await ready
    expect(existsSync(join(folder, 'manifest.json'))).toBe(true)
    // Whoever reads the first page again finds this.
    const changed = await firstDocumentOf(fresh.database, 'large')
    await fresh.database.rows(sql`update docket_documents.chunk set text = 'modem' where document_id = ${changed}`)
    await fresh.database.rows(sql`delete from docket_documents.document_terms where document_id = ${changed}`)
    const second = openBuilding({ folder })
    await second.index.whenReady()
    expect(await second.index.verify()).toMatchObject({ differences: 1, examples: [{ kind: 'different' }] })
    await second.index.rebuild(null)
    expect((await second.index.verify()).differences).toBe(0)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('an index whose database was restored during its build begins again (issue 14, 1)', async () => {
  const { index, release, paused } = openBuilding({ pauseAfterPages: 2 })
  const ready = index.whenReady()
  await paused
  await beginHistory(fresh.database)
  await load('large', 'after', 'plotter of another history')
  await index.refresh()
  expect(index.buildProgress()?.percent).toBe(0)
  release()
  await ready
  expect((await index.verify()).differences).toBe(0)
})

test('an index whose threads die during its build begins again (issue 14, 1)', async () => {
  const { index, crash, release, paused } = openBuilding({ pauseAfterPages: 2 })
  const ready = index.whenReady()
  await paused
  await crash('search', 'writer')
  release()
  await ready.catch(() => undefined)
  await index.whenReady()
  expect((await index.verify()).differences).toBe(0)
})

test('a search by vectors is rejected while this process reads them, instead of waiting for all (issue 14)', async () => {
  const sent = { collectionName: 'given', metadata: { doc_id: 'near' }, text: 'toner', vector: [1, 0] }
  expect(await loadText(deps, documentAdmin, sent)).toMatchObject({ ok: true })
  const { givenVectors, release } = await openPausedVectors()
  const byVector = () =>
    searchDocuments({ ...deps, givenVectors }, documentAdmin, {
      ...{ query: '', k: 10, filter: '', mode: 'vector', collectionNames: ['given'] },
      vector: Float32Array.of(1, 0),
    })
  try {
    expect(await byVector()).toEqual(notYet(0))
    release()
    await (await givenVectors.index()).whenReady()
    expect(await byVector()).toMatchObject({ ok: true, value: { hits: [{ docId: 'near' }] } })
  } finally {
    release()
    await givenVectors.close()
  }
})

// ── what the tests say ──

/** Vectors of a process that has only begun to read them. */
async function openPausedVectors() {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const database: Database = {
    ...fresh.database,
    async run(statement, values) {
      if (statement.name === 'read-vectors') await released
      return fresh.database.run(statement, values)
    },
  }
  const onError = (error: unknown): void => {
    throw error
  }
  const openEngine = await vectorEngines({ database, clock: deps.clock, kind: 'built-in', onError })
  return { givenVectors: callerVectors({ database, openEngine, onError }), release }
}

interface Building extends Pick<OtherIndex, 'index' | 'crash'> {
  readonly deps: TestDocumentDeps
  /** Resolves when the build waits. */
  readonly paused: Promise<void>
  release(): void
}

/** An index of a process that begins without a saved one, and pauses before it builds more than so many pages. */
function openBuilding(options: { readonly pauseAfterPages?: number; readonly folder?: string }): Building {
  const paused = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  let builds = 0
  const { index, crash } = openOtherIndex(fresh.database, {
    folder: options.folder ?? null,
    beforeBuild: async (kind, documents) => {
      if (!['build', 'merge'].includes(kind) || documents <= 100) return
      if (++builds < (options.pauseAfterPages ?? Number.POSITIVE_INFINITY)) return
      paused.resolve()
      await released.promise
    },
  })
  const building = { index, deps: { ...deps, index }, crash, paused: paused.promise, release: released.resolve }
  opened.push(building)
  return building
}

const notYet = (percent: number) => ({
  ok: false,
  error: { kind: 'index-building', percent, retryAfterSeconds: expect.any(Number) },
})

async function search(process: TestDocumentDeps, collectionNames: readonly string[] | null, query = 'toner') {
  const found = await searchDocuments(process, documentAdmin, { query, k: 1_000, collectionNames, filter: '' })
  return found.ok ? { ok: true, value: found.value.hits.map(({ docId }) => docId) } : found
}

async function load(collectionName: string, docId: string, text: string): Promise<void> {
  const loaded = await loadText(deps, documentAdmin, { collectionName, metadata: { doc_id: docId }, text })
  if (!loaded.ok) throw new Error(loaded.error.kind)
}

async function textOf(docId: string): Promise<string> {
  const [row] = await fresh.database.rows(sql<{ text: string }>`
    select c.text from docket_documents.chunk c join docket_documents.document d on d.id = c.document_id
    where d.doc_id = ${docId} and d.removed_position is null`)
  return row?.text ?? ''
}
