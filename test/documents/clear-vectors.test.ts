import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deleteDocument } from '../../src/documents/delete-documents.ts'
import { loadText } from '../../src/documents/load-document.ts'
import { clearDocuments } from '../../src/documents/store/clear-away.ts'
import { clearModels } from '../../src/embeddings/store/models.ts'
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

const counted = async () => {
  const [row] = await fresh.database.rows(sql<{ models: number; documents: number; rows: number }>`
    select (select count(*)::int from docket_documents.embedding_model where not is_caller) as models,
           (select count(*)::int from docket_documents.document_embedding) as documents,
           (select count(*)::int from docket_documents.chunk_embedding) as rows`)
  return row
}

test('vectors go with their document, and all of a model that nobody uses go with it', async () => {
  for (const doc_id of ['a', 'b', 'c'])
    await loadText(deps, documentAdmin, { collectionName: 'kb', metadata: { doc_id }, text: `The printer ${doc_id}.` })
  while ((await counted())?.rows !== 3) await pause(10)
  expect(await counted()).toEqual({ models: 1, documents: 3, rows: 3 })

  await deleteDocument(deps, documentAdmin, 'kb', 'a')
  const later = new Date(Date.UTC(2100, 0, 1))
  expect(await clearDocuments(fresh.database, later)).toBe(1)
  expect(await counted()).toEqual({ models: 1, documents: 2, rows: 2 })

  await clearModels(fresh.database, new Date(0))
  expect(await counted()).toEqual({ models: 1, documents: 2, rows: 2 })
  await clearModels(fresh.database, later)
  expect(await counted()).toEqual({ models: 0, documents: 0, rows: 0 })
})
