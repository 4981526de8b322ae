import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { configureCollection } from '../../src/documents/configure-collection.ts'
import { deleteDocument } from '../../src/documents/delete-documents.ts'
import { loadText } from '../../src/documents/load-document.ts'
import { FilterSets, passingIds } from '../../src/documents/rank/filter-sets.ts'
import { searchDocuments } from '../../src/documents/search-documents.ts'
import { compileSql, type Sql, sql } from '../../src/kernel/sql.ts'
import { documentAdmin, openDocumentDeps, type TestDocumentDeps } from '../harness/document-deps.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'

let fresh: FreshDatabase
let deps: TestDocumentDeps
/** Statements that read metadata of documents to check a filter. */
let checks: string[] = []
beforeAll(async () => {
  fresh = await freshDatabase()
  const rows: FreshDatabase['database']['rows'] = (query) => {
    const { sql: text } = compileSql(query)
    if (text.includes('d.filter_values')) checks.push(text)
    return fresh.database.rows(query)
  }
  deps = await openDocumentDeps({ ...fresh, database: { ...fresh.database, rows } })
  for (let n = 0; n < 30; n++) await load('kb', `doc-${n}`, { even: n % 2 === 0 })
})
afterAll(async () => {
  await deps.close()
  await fresh.drop()
})

test('a filter that comes again and again is checked on new and removed documents only', async () => {
  const expected = Array.from({ length: 15 }, (_, n) => `doc-${2 * n}`).sort()
  const counts: number[] = []
  for (let n = 0; n < 5; n++) {
    expect(await searched('even=true')).toEqual(expected)
    counts.push(checks.length)
  }
  // Twice the best candidates, then all documents, then nothing.
  expect(counts).toEqual([1, 1, 1, 0, 0])

  await load('kb', 'doc-new', { even: true })
  await load('kb', 'doc-0', { even: false })
  await load('kb', 'doc-1', { even: true })
  await deleteDocument(deps, documentAdmin, 'kb', 'doc-2')
  const changed = ['doc-1', 'doc-new', ...expected.filter((id) => id !== 'doc-0' && id !== 'doc-2')].sort()
  expect(await searched('even=true')).toEqual(changed)
  expect(checks).toEqual([expect.stringContaining('is_added')])
  expect(await searched('even=true')).toEqual(changed)
  expect(checks).toEqual([])
})

/** Sets, and how many statements they have run. */
function countingSets(): { readonly sets: FilterSets; readonly statements: () => number } {
  let count = 0
  const sets = new FilterSets({
    rows(query) {
      count++
      return fresh.database.rows(query)
    },
  })
  return { sets, statements: () => count }
}

test('what a ranking by vectors read to search only the documents that pass, both rankings know from then on', async () => {
  await configureCollection(deps, documentAdmin, 'near', { embeddingsModel: 'caller' })
  // More than are compared at first; the one that passes is the farthest.
  for (let n = 0; n < 210; n++) await load('near', `near-${n}`, { n }, [1, n / 100])
  const farthest = { k: 1, collectionNames: ['near'], vector: Float32Array.of(1, 0), mode: 'vector' }
  expect(await searched('n>208', farthest)).toEqual(['near-209'])
  expect(checks.filter((text) => text.includes('string_agg'))).toHaveLength(1)
  expect(await searched('n>208', farthest)).toEqual(['near-209'])
  expect(checks).toEqual([])
})

test('where a ranking by vectors would check more candidates than there are documents to read, these are read and known from then on (issue 14)', async () => {
  const two = { k: 2, collectionNames: ['near'], vector: Float32Array.of(1, 0), mode: 'vector' }
  expect(await searched('n=150^ORn>208', two)).toEqual(['near-150', 'near-209'])
  expect(checks.filter((text) => text.includes('string_agg'))).toHaveLength(1)
  expect(await searched('n=150^ORn>208', two)).toEqual(['near-150', 'near-209'])
  expect(checks).toEqual([])
})

test('who needs more ids than another reads at the same time takes those if they are all (issue 14)', async () => {
  const { sets, statements } = countingSets()
  const set = sets.of(await now('kb', sql<boolean>`true`), true)
  const [one, other] = await Promise.all([set.read(1_000), set.read(100_000)])
  expect(one).toEqual(other)
  expect(statements()).toBe(1)
  const another = sets.of(await now('kb', sql<boolean>`d.filter_values @> '{"even": [true]}'`), true)
  const [some, all] = await Promise.all([another.read(3), another.read(100)])
  expect([some.isAll, all.isAll]).toEqual([false, true])
})

test('two rankings that read the same documents at the same time read them once', async () => {
  const { sets, statements } = countingSets()
  const set = sets.of(await now('kb', sql<boolean>`true`), true)
  const [one, other] = await Promise.all([set.read(100), set.read(100)])
  expect(one).toEqual(other)
  expect(statements()).toBe(1)
})

test('whatever is loaded, replaced and deleted, a kept set leads to the documents that pass (law)', async () => {
  const sets = new FilterSets(fresh.database)
  const filters = [sql<boolean>`d.filter_values @> '{"n": [1]}'`, sql<boolean>`d.filter_values @> '{"even": [true]}'`]
  const change = fc.record({
    kind: fc.constantFrom('load', 'load', 'delete', 'wait'),
    id: fc.integer({ min: 0, max: 6 }).map((n) => `law-${n}`),
    n: fc.integer({ min: 0, max: 1 }),
    filter: fc.constantFrom(...filters),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 5, maxLength: 12 }), async (changes) => {
      for (const { kind, id, n, filter } of changes) {
        if (kind === 'load') await load('law', id, { n, even: n === 1 })
        if (kind === 'delete') await deleteDocument(deps, documentAdmin, 'law', id)
        const filtered = await now('law', filter)
        const [kept, read] = await Promise.all([sets.of(filtered, true).read(100), sets.of(filtered, true).read(100)])
        expect(kept).toEqual(await passingIds(fresh.database, filtered, null))
        expect(read).toEqual(kept)
      }
    }),
    { numRuns: 8 },
  )
})

test('a search of an earlier state does not take the set of a later one', async () => {
  const sets = new FilterSets(fresh.database)
  const filter = sql<boolean>`d.filter_values @> '{"early": [true]}'`
  await load('kb', 'early-1', { early: true })
  const before = await now('kb', filter)
  await load('kb', 'early-2', { early: true })
  const after = await now('kb', filter)
  expect((await sets.of(after, true).read(100)).ids).toHaveLength(2)
  expect(await sets.of(before, true).known()).toBeUndefined()
  expect((await sets.of(before, true).read(100)).ids).toHaveLength(1)
  expect((await sets.of(after, true).read(100)).ids).toHaveLength(2)
})

test('of a filter that more documents pass than were asked for, nothing is kept', async () => {
  const sets = new FilterSets(fresh.database)
  const filtered = await now('kb', sql<boolean>`true`)
  expect((await sets.of(filtered, true).read(3)).isAll).toBe(false)
  expect((await sets.of(filtered, true).read(1_000)).isAll).toBe(true)
})

async function now(collection: string, filter: Sql<boolean>) {
  const [row] = await fresh.database.rows(sql<{ position: string; id: number | null }>`
    select log.position, c.id from docket_documents.change_log log
    left join docket_documents.collection c on c.name = ${collection} and c.removed_position is null`)
  return { filter, position: Number(row?.position), collectionIds: [row?.id ?? 0] }
}

/** @returns the doc_ids that were found */
async function searched(filter: string, more: object = {}): Promise<readonly string[]> {
  checks = []
  const search = { query: 'toner', k: 30, collectionNames: ['kb'], filter, ...more }
  const result = await searchDocuments(deps, documentAdmin, search)
  if (!result.ok) throw new Error(JSON.stringify(result.error))
  return result.value.hits.map(({ docId }) => docId).sort()
}

async function load(
  collectionName: string,
  docId: string,
  metadata: Readonly<Record<string, boolean | number>>,
  vector?: readonly number[],
): Promise<void> {
  const given = vector === undefined ? {} : { vector }
  const loaded = await loadText(deps, documentAdmin, {
    collectionName,
    metadata: { ...metadata, doc_id: docId },
    text: `toner for printer ${docId}`,
    ...given,
  })
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error))
}
