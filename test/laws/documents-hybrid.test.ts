import { setTimeout as pause } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { configureCollection } from '../../src/documents/configure-collection.ts'
import { loadText } from '../../src/documents/load-document.ts'
import { type SearchFound, type SearchHit, searchDocuments } from '../../src/documents/search-documents.ts'
import { sql } from '../../src/kernel/sql.ts'
import { callerWith, documentAdmin, openDocumentDeps, type TestDocumentDeps } from '../harness/document-deps.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'
import { type ModelStandIn, startModelStandIn } from '../harness/model-stand-in.ts'

/** Records that the caller may read. */
let readableIds: readonly string[] = []

let fresh: FreshDatabase
let model: ModelStandIn
let rooms: readonly [TestDocumentDeps, TestDocumentDeps]
beforeAll(async () => {
  fresh = await freshDatabase()
  model = await startModelStandIn()
  const options = {
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
  rooms = [await openDocumentDeps(fresh, options), await openDocumentDeps(fresh, options)]
})
afterAll(async () => {
  for (const deps of rooms) await deps.close()
  await model.stop()
  await fresh.drop()
})

const reader = callerWith(['document_reader'])
const words = ['printer', 'принтер', 'router', 'сеть', 'vacation', 'отпуск', 'login', 'ERR-42', 'toner']
/** More documents than candidates that are checked before the search ranks only the allowed documents. */
const documents = Array.from({ length: 260 }, (_, at) => ({
  id: String(1_000 + at),
  metadata: { sys_id: String(1_000 + at), priority: at % 5 },
  text: Array.from({ length: 1 + (at % 6) }, (_, n) => words[(at * 7 + n * n + at * n) % words.length]).join(' '),
}))

/** @param which condition on the documents whose vectors must exist */
async function vectorsAreMade(which = sql`true`): Promise<void> {
  for (;;) {
    const due = await fresh.database.rows(sql`
      select from docket_documents.document_embedding e join docket_documents.document d on d.id = e.document_id
      where e.position is null and ${which}`)
    if (due.length === 0) return
    await pause(10)
  }
}

test('under random rights and filters, a hybrid result is the fusion of what both rankings of the visible documents leave when the filter strikes out others (issue 8, A1)', async () => {
  await configureCollection(rooms[0], documentAdmin, 'bound', { aclTable: 'task' })
  readableIds = documents.map(({ id }) => id)
  for (const { metadata, text } of documents) {
    const loaded = await loadText(rooms[0], documentAdmin, { collectionName: 'bound', metadata, text })
    expect(loaded.ok).toBe(true)
    if (Number(metadata.sys_id) % 7 === 0)
      await loadText(rooms[1], documentAdmin, { collectionName: 'open', metadata, text })
  }
  await vectorsAreMade()
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.subarray(documents.map(({ id }) => id)),
        fc.subarray(
          documents.map(({ id }) => id),
          { maxLength: 5 },
        ),
      ),
      fc.constantFrom('', 'priority=1', 'priority>2', 'priorityNOT IN1,2', 'sys_idENDSWITH7', 'absent=1'),
      fc.subarray(words, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 130 }),
      async (ids, filter, query, k) => {
        const search = {
          query: query.join(' '),
          collectionNames: ['bound', 'open'],
          mode: 'hybrid',
          explain: true,
        } as const
        readableIds = ids
        const all = await found(rooms[0], { ...search, k: 1_000, filter: '' })
        const passing = await found(rooms[0], { ...search, k: 1_000, filter })
        const some = await found(rooms[1], { ...search, k, filter })
        const passes = new Set(passing.hits.map(({ documentId }) => documentId))
        const left = all.hits.filter((hit) => passes.has(hit.documentId))
        const bound = all.hits.filter(({ collectionName }) => collectionName === 'bound')
        expect(bound.map(({ docId }) => docId).sort()).toEqual(ids.toSorted())
        expect(all.hits).toHaveLength(ids.length + documents.filter(({ id }) => Number(id) % 7 === 0).length)
        expect(some).toMatchObject({ mode: 'hybrid', warnings: [] })
        expect(some.hits.map(shortly)).toEqual(fusionOf(left, Math.max(100, k)).slice(0, k))
      },
    ),
    { numRuns: 60 },
  )
})

async function found(deps: TestDocumentDeps, search: Parameters<typeof searchDocuments>[2]): Promise<SearchFound> {
  const response = await searchDocuments(deps, reader, search)
  if (!response.ok) throw new Error(response.error.kind)
  return response.value
}

interface Short {
  readonly name: string
  readonly score: number
  readonly lexical: number | null
  readonly vector: number | null
}

function shortly({ docId, collectionName, score, ranks }: SearchHit): Short {
  return { name: `${docId} ${collectionName}`, score, lexical: ranks?.lexical ?? null, vector: ranks?.vector ?? null }
}

/** The expected fusion: renumber the remaining places, cut at `depth`, add the scores. */
function fusionOf(left: readonly SearchHit[], depth: number): readonly Short[] {
  const placesIn = (which: 'lexical' | 'vector'): ReadonlyMap<SearchHit, number> => {
    const ranked = left.filter(({ ranks }) => ranks?.[which] != null)
    ranked.sort((one, other) => (one.ranks?.[which] ?? 0) - (other.ranks?.[which] ?? 0))
    return new Map(ranked.slice(0, depth).map((hit, at) => [hit, at + 1]))
  }
  const lexical = placesIn('lexical')
  const vector = placesIn('vector')
  return left
    .filter((hit) => lexical.has(hit) || vector.has(hit))
    .map((hit) => {
      const places = [lexical.get(hit), vector.get(hit)]
      const score = places.reduce<number>((sum, place) => sum + (place === undefined ? 0 : 1 / (60 + place)), 0)
      return { hit, short: { ...shortly(hit), score, lexical: places[0] ?? null, vector: places[1] ?? null } }
    })
    .sort(
      (one, other) =>
        other.short.score - one.short.score ||
        Buffer.compare(Buffer.from(one.hit.docId), Buffer.from(other.hit.docId)) ||
        one.hit.documentId - other.hit.documentId,
    )
    .map(({ short }) => short)
}

test('that vectors are still being made is said only of documents that the caller sees', async () => {
  readableIds = ['1001']
  await fresh.database.rows(sql`
    update docket_documents.document_embedding e set position = null, not_before = 'infinity'
    from docket_documents.document d where d.id = e.document_id and d.doc_id = '1002'`)
  const search = { query: 'printer', collectionNames: ['bound'], filter: '', k: 3, mode: 'hybrid' } as const
  expect((await found(rooms[0], search)).warnings).toEqual([])
  readableIds = ['1001', '1002']
  expect((await found(rooms[0], search)).warnings).toEqual([{ kind: 'vectors-incomplete' }])
  expect((await found(rooms[0], { ...search, filter: 'sys_id=1001' })).warnings).toEqual([])
})

test('while a document is replaced and its vectors are made, every hybrid search finds it once, as it is or was', async () => {
  const load = (n: number) =>
    loadText(rooms[n % 2 === 0 ? 0 : 1], documentAdmin, {
      collectionName: 'hot',
      metadata: { doc_id: 'hot' },
      text: `hot router number ${n}`,
    })
  await load(0)
  let isOver = false
  let newest = 0
  const replacing = (async () => {
    for (let n = 1; n <= 40; n++) {
      await load(n)
      newest = n
    }
    isOver = true
  })()
  const searching = rooms.map(async (deps) => {
    do {
      const atLeast = newest
      const search = { query: 'router', collectionNames: ['hot'], filter: '', k: 5, mode: 'hybrid' } as const
      const { hits, mode } = await found(deps, search)
      expect({ mode, hits: hits.length }).toEqual({ mode: 'hybrid', hits: 1 })
      expect(Number(hits[0]?.text.split(' ').at(-1))).toBeGreaterThanOrEqual(atLeast)
    } while (!isOver)
  })
  await Promise.all([replacing, ...searching])
  await vectorsAreMade(sql`d.doc_id = 'hot' and d.removed_position is null`)
  const [hit] = (await found(rooms[1], { query: 'сеть', collectionNames: ['hot'], filter: '', k: 5, mode: 'hybrid' }))
    .hits
  expect(hit?.text).toBe('hot router number 40')
})
