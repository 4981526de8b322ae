import { afterAll, beforeAll, expect, test } from 'vitest'
import { deleteDocument } from '../../src/documents/delete-documents.ts'
import { loadText } from '../../src/documents/load-document.ts'
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
