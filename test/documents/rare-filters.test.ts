import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadText } from '../../src/documents/load-document.ts'
import { searchDocuments } from '../../src/documents/search-documents.ts'
import { ExpectedCollections } from '../../src/documents/store/expected-collections.ts'
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
  expect(first).toEqual({ found: ['doc-0', 'doc-160', 'doc-80'], rankings: 2, candidates: [200] })
  expect(await searched('status=rare')).toEqual({ ...first, rankings: 1, candidates: [] })
})

test('documents that pass it from then on are found', async () => {
  await searched('status=new')
  await load('doc-new', { status: 'new' })
  expect(await searched('status=new')).toMatchObject({ found: ['doc-new'], rankings: 1 })
})

test('a filter that many documents pass is checked on the best candidates: fewer when their share is known', async () => {
  expect((await searched('status=common')).candidates).toEqual([200])
  expect((await searched('status=common')).candidates).toEqual([31])
})

test('where the best candidates do not pass this time, more are ranked, with the same result', async () => {
  expect((await searched('status=common^sys_idISEMPTY')).candidates).toEqual([200])
  // The shorter a text, the better it is found.
  for (let n = 0; n < 100; n++) await load(`short-${n}`, { status: 'short' }, 'toner')
  const again = await searched('status=common^sys_idISEMPTY')
  expect(again.candidates).toEqual([31, 200])
  const unknown = await searched('status=common^statusISNOTEMPTY')
  expect(unknown).toEqual({ ...again, candidates: [200], rankings: 1 })
  expect(unknown.found).toHaveLength(10)
})

interface Searched {
  readonly found: readonly string[]
  /** How many times the index ranked. */
  readonly rankings: number
  /** Of each ranking of all documents: how many it was to return. */
  readonly candidates: readonly number[]
}

async function searched(filter: string): Promise<Searched> {
  let rankings = 0
  const candidates: number[] = []
  const withSnapshot: LexicalIndex['withSnapshot'] = (work) =>
    deps.index.withSnapshot((view) =>
      work({
        reach: (...given) => view.reach(...given),
        search(...given) {
          rankings++
          const { options } = given[1]
          if (options.allowed === undefined) candidates.push(options.k)
          return view.search(...given)
        },
      }),
    )
  const index = Object.assign(Object.create(deps.index), { withSnapshot }) as LexicalIndex
  const search = { query: 'toner', k: 10, collectionNames: ['kb'], filter }
  // One that begins with what it expects would rank twice after a change.
  const expectedCollections = new ExpectedCollections()
  const result = await searchDocuments({ ...deps, index, expectedCollections }, documentAdmin, search)
  if (!result.ok) throw new Error(result.error.kind)
  return { found: result.value.hits.map(({ docId }) => docId).sort(), rankings, candidates }
}

async function load(
  docId: string,
  metadata: Readonly<Record<string, string>>,
  text = `toner for printer ${docId}`,
): Promise<void> {
  const loaded = await loadText(deps, documentAdmin, {
    collectionName: 'kb',
    metadata: { ...metadata, doc_id: docId },
    text,
  })
  if (!loaded.ok) throw new Error(loaded.error.kind)
}
