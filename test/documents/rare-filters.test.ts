import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadText } from '../../src/documents/load-document.ts'
import { searchDocuments } from '../../src/documents/search-documents.ts'
import type { LexicalIndex } from '../../src/documents/sync/lexical-index.ts'
import { documentAdmin, openDocumentDeps, type TestDocumentDeps } from '../harness/document-deps.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'

let fresh: FreshDatabase
let deps: TestDocumentDeps
beforeAll(async () => {
  fresh = await freshDatabase()
  deps = await openDocumentDeps(fresh)
  for (let n = 0; n < 240; n++) await load(`doc-${n}`, { status: n % 80 === 0 ? 'rare' : 'common' })
})
afterAll(async () => {
  await deps.close()
  await fresh.drop()
})

test('a filter that few documents passed lists them first when it comes again, with the same result', async () => {
  const first = await searched('status=rare')
  expect(first).toEqual({ found: ['doc-0', 'doc-160', 'doc-80'], rankings: 2 })
  expect(await searched('status=rare')).toEqual({ ...first, rankings: 1 })
})

test('documents that pass it from then on are found', async () => {
  await searched('status=new')
  await load('doc-new', { status: 'new' })
  expect(await searched('status=new')).toEqual({ found: ['doc-new'], rankings: 1 })
})

test('a filter that many documents pass is checked on the best candidates', async () => {
  expect((await searched('status=common')).rankings).toBe(1)
  expect((await searched('status=common')).rankings).toBe(1)
})

/** @returns the documents that are found, and how many rankings of the index it took */
async function searched(filter: string): Promise<{ readonly found: readonly string[]; readonly rankings: number }> {
  let rankings = 0
  const withSnapshot: LexicalIndex['withSnapshot'] = (work) =>
    deps.index.withSnapshot((view) =>
      work({
        reach: (...given) => view.reach(...given),
        search(...given) {
          rankings++
          return view.search(...given)
        },
      }),
    )
  const index = Object.assign(Object.create(deps.index), { withSnapshot }) as LexicalIndex
  const search = { query: 'toner', k: 10, collectionNames: ['kb'], filter }
  const result = await searchDocuments({ ...deps, index }, documentAdmin, search)
  if (!result.ok) throw new Error(result.error.kind)
  return { found: result.value.hits.map(({ docId }) => docId).sort(), rankings }
}

async function load(docId: string, metadata: Readonly<Record<string, string>>): Promise<void> {
  const text = `toner for printer ${docId}`
  const loaded = await loadText(deps, documentAdmin, {
    collectionName: 'kb',
    metadata: { ...metadata, doc_id: docId },
    text,
  })
  if (!loaded.ok) throw new Error(loaded.error.kind)
}
