import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { beginHistory } from '../../src/database/database-history.ts'
import { configureCollection } from '../../src/documents/configure-collection.ts'
import { loadText } from '../../src/documents/load-document.ts'
import { searchDocuments } from '../../src/documents/search-documents.ts'
import { sql } from '../../src/kernel/sql.ts'
import { documentAdmin, openDocumentDeps, type TestDocumentDeps } from '../harness/document-deps.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'
import { type ModelStandIn, startModelStandIn } from '../harness/model-stand-in.ts'

let fresh: FreshDatabase
let model: ModelStandIn
let deps: TestDocumentDeps
beforeAll(async () => {
  fresh = await freshDatabase()
  model = await startModelStandIn()
  const address = { url: model.embeddingsUrl, key: null, model: 'stand-in', dimensions: null, textsOfRequest: 32 }
  deps = await openDocumentDeps(fresh, {
    embeddings: { ...address, timeoutMs: 60_000, queryTimeoutMs: 60_000, textPrefix: '', queryPrefix: '' },
  })
})
afterAll(async () => {
  await deps.close()
  await model.stop()
  await fresh.drop()
})

const nearest = async (): Promise<readonly string[]> => {
  const search = { query: 'printer', k: 10, collectionNames: ['kb'], filter: '', mode: 'vector' } as const
  const found = await searchDocuments(deps, documentAdmin, search)
  if (!found.ok) throw new Error(JSON.stringify(found.error))
  return found.value.hits.map(({ docId }) => docId)
}

async function vectorsAreMade(): Promise<void> {
  const made = () => fresh.database.rows(sql`select from docket_documents.chunk_embedding`)
  while ((await made()).length === 0) await pause(10)
}

// A new history of the database skips the sequence numbers of every model (docs/decisions/0026).
test('a search ends where another server became the primary before the model had any vector', async () => {
  await configureCollection(deps, documentAdmin, 'kb', {})
  await beginHistory(fresh.database)
  expect(await nearest()).toEqual([])
  await loadText(deps, documentAdmin, { collectionName: 'kb', metadata: { doc_id: 'a' }, text: 'The printer.' })
  await vectorsAreMade()
  expect(await nearest()).toEqual(['a'])
})
