import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../src/database/database.ts'
import { configureCollection } from '../../src/documents/configure-collection.ts'
import { deleteCollection } from '../../src/documents/delete-documents.ts'
import type { DocumentDeps } from '../../src/documents/document-deps.ts'
import { loadText } from '../../src/documents/load-document.ts'
import { sql } from '../../src/kernel/sql.ts'
import { documentAdmin, openDocumentDeps, type TestDocumentDeps } from '../harness/document-deps.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'

let fresh: FreshDatabase
let deps: TestDocumentDeps
beforeAll(async () => {
  fresh = await freshDatabase()
  deps = await openDocumentDeps(fresh)
})
afterAll(async () => {
  await deps.close()
  await fresh.drop()
})

test('a text is loaded by three statements, the last of which writes and publishes it (issue 9)', async () => {
  await load(deps, 'open', 'doc-1', 'The printer needs toner and paper.')
  const statements: string[] = []
  const database = listing(deps.database, statements)
  expect(await load({ ...deps, database }, 'open', 'doc-2', 'The printer needs paper and toner.')).toBe('created')
  expect(statements).toEqual(['read-collections', 'find-document', 'publish-documents'])
})

test('a long text has all its chunks and its terms, in several statements of one transaction', async () => {
  const text = Array.from({ length: 4_001 }, (_, n) => `printer ${n}`).join(' '.repeat(200))
  const statements: string[] = []
  const database = listing(deps.database, statements)
  await load({ ...deps, database }, 'open', 'doc-1', 'first')
  await configureCollection(deps, documentAdmin, 'open', { chunkUnits: 200, overlapUnits: 0 })
  statements.length = 0
  await load({ ...deps, database }, 'open', 'long', text)
  expect(statements).toEqual(['read-collections', 'find-document', 'transaction'])
  const [kept] = await fresh.database.rows(sql<{ chunks: number; places: string; terms: number }>`
    select d.chunk_count as chunks,
      (select count(*) || ' ' || max(c.chunk_index) from docket_documents.chunk c where c.document_id = d.id) as places,
      (select count(*)::integer from docket_documents.document_terms t where t.document_id = d.id) as terms
    from docket_documents.document d where d.doc_id = 'long'`)
  expect(kept?.chunks).toBeGreaterThan(4_000)
  expect(kept).toMatchObject({ places: `${kept?.chunks} ${Number(kept?.chunks) - 1}`, terms: 1 })
})

test('of equal texts that are loaded at once one is published, and the others leave no chunks behind', async () => {
  const results = await Promise.all([1, 2, 3, 4, 5, 6].map(() => load(deps, 'same', 'doc', 'toner for the printer')))
  expect(results.toSorted()).toEqual(['created', ...Array.from({ length: 5 }, () => 'unchanged')])
  expect(await chunksOfNoDocument()).toBe(0)
})

test('a text whose collection is deleted meanwhile leaves no chunks behind, and is loaded into a new collection', async () => {
  await load(deps, 'gone', 'doc-1', 'paper')
  let deletions = 0
  const prepare: DocumentDeps['index']['prepare'] = async (text) => {
    if (deletions++ === 0) await deleteCollection(deps, documentAdmin, 'gone')
    return deps.index.prepare(text)
  }
  // Methods of the index use its private fields.
  const index = new Proxy(deps.index, {
    get: (target, name) => {
      if (name === 'prepare') return prepare
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  expect(await load({ ...deps, index }, 'gone', 'doc-2', 'toner')).toBe('created')
  expect(deletions).toBe(2)
  expect(await chunksOfNoDocument()).toBe(0)
})

async function load(to: DocumentDeps, collectionName: string, docId: string, text: string): Promise<string> {
  const loaded = await loadText(to, documentAdmin, { collectionName, metadata: { doc_id: docId }, text })
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error))
  return loaded.value.result
}

/** Chunks and terms whose document was never published. */
async function chunksOfNoDocument(): Promise<number> {
  const [row] = await fresh.database.rows(sql<{ count: number }>`
    select count(*)::integer as count
    from (select document_id from docket_documents.chunk union all select document_id from docket_documents.document_terms) as t
    where not exists (select from docket_documents.document d where d.id = t.document_id)`)
  return row?.count ?? 0
}

/** Adds what is sent outside of transactions to `statements`. */
function listing(database: Database, statements: string[]): Database {
  return {
    ...database,
    rows: (query) => {
      statements.push('without a name')
      return database.rows(query)
    },
    run: (statement, values) => {
      statements.push(statement.name)
      return database.run(statement, values)
    },
    inTransaction: (work, isolation) => {
      statements.push('transaction')
      return database.inTransaction(work, isolation)
    },
  }
}
