import { afterAll, beforeAll, expect, test } from 'vitest'
import { deleteCollection, deleteDocument } from '../../src/documents/delete-documents.ts'
import { loadText } from '../../src/documents/load-document.ts'
import { clearCollections, clearDocuments } from '../../src/documents/store/clear-away.ts'
import { sql } from '../../src/kernel/sql.ts'
import { documentAdmin, openDocumentDeps, type TestDocumentDeps } from '../harness/document-deps.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'

const minuteMs = 60_000
let fresh: FreshDatabase
let deps: TestDocumentDeps
let aheadMs = 0
beforeAll(async () => {
  fresh = await freshDatabase()
  deps = await openDocumentDeps(fresh, { clock: { nowMs: () => Date.now() + aheadMs } })
})
afterAll(async () => {
  await deps.close()
  await fresh.drop()
})

test('vectors of a document that a server with a fast clock deleted are forgotten, too (issue 14)', async () => {
  for (const [docId, vector] of [
    ['fast', [1, 0]],
    ['slow', [0, 1]],
  ] as const)
    await loadText(deps, documentAdmin, { collectionName: 'kb', metadata: { doc_id: docId }, text: docId, vector })
  const index = await deps.givenVectors.index()
  await index.whenReady()
  // In this order in the log; by the clocks of their servers in the other one.
  for (const [docId, minutes] of [
    ['fast', 5],
    ['slow', -2],
  ] as const) {
    expect(await deleteDocument(deps, documentAdmin, 'kb', docId)).toMatchObject({ ok: true })
    await fresh.database.rows(sql`
      update docket_documents.document set removed_at = removed_at + make_interval(mins => ${minutes}) where doc_id = ${docId}`)
  }
  await index.follow()
  aheadMs = 7 * minuteMs
  expect(await index.verify(false)).toEqual({ documents: 0, vectors: 0, differences: 0, examples: [] })
})

test('vectors of a document whose row is cleared away before this process forgets it are forgotten, too', async () => {
  const index = await deps.givenVectors.index()
  const { documents } = await index.verify(false)
  for (const docId of ['gone', 'there']) await load('cleared', docId)
  await index.follow()
  expect(await index.verify(false)).toMatchObject({ documents: documents + 2, differences: 0 })
  await deleteDocument(deps, documentAdmin, 'cleared', 'gone')
  await clearRemoved()
  await index.follow()
  await expect.poll(() => index.verify(false)).toMatchObject({ documents: documents + 1, differences: 0 })
})

test('vectors that are complete after their collection was deleted and forgotten are not read', async () => {
  const index = await deps.givenVectors.index()
  const { documents } = await index.verify(false)
  await load('deleted', 'late')
  const [late] = await fresh.database.rows(sql<{ model_id: number; document_id: string }>`
    update docket_documents.document_embedding e set position = null from docket_documents.document d
    where d.id = e.document_id and d.doc_id = 'late' returning e.model_id, e.document_id`)
  await deleteCollection(deps, documentAdmin, 'deleted')
  aheadMs += 2 * minuteMs
  await index.follow()
  await fresh.database.rows(sql`
    select docket_documents.finish_embeddings(${late?.model_id}, array[${late?.document_id}::bigint], array[null::bytea])`)
  await index.follow()
  await clearRemoved()
  expect(await index.verify(false)).toMatchObject({ documents, differences: 0 })
})

// ── what the tests say ──

async function load(collectionName: string, docId: string): Promise<void> {
  const sent = { collectionName, metadata: { doc_id: docId }, text: docId, vector: [1, 0] }
  expect(await loadText(deps, documentAdmin, sent)).toMatchObject({ ok: true })
}

/** By a server whose clock is far ahead, or after this process could not read the database for some minutes. */
async function clearRemoved(): Promise<void> {
  const now = new Date(Date.now() + 60 * minuteMs)
  while ((await clearDocuments(fresh.database, now)) > 0) {
    // There may be more work.
  }
  await clearCollections(fresh.database, now)
}
