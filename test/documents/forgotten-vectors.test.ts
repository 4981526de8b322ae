import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../src/database/database.ts'
import { deleteCollection, deleteDocument } from '../../src/documents/delete-documents.ts'
import { loadText } from '../../src/documents/load-document.ts'
import { searchDocuments } from '../../src/documents/search-documents.ts'
import { clearCollections, clearDocuments } from '../../src/documents/store/clear-away.ts'
import { sql } from '../../src/kernel/sql.ts'
import { documentAdmin, openDocumentDeps, type TestDocumentDeps } from '../harness/document-deps.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'

const minuteMs = 60_000
let fresh: FreshDatabase
let deps: TestDocumentDeps
let aheadMs = 0
/** Rows of the largest result since it was set to 0. */
let maxRows = 0
beforeAll(async () => {
  fresh = await freshDatabase()
  deps = await openDocumentDeps(
    { ...fresh, database: countingRows(fresh.database) },
    { clock: { nowMs: () => Date.now() + aheadMs } },
  )
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

test('many removed documents are read in steps: by a search that marks them, and when they are forgotten', async () => {
  const index = await deps.givenVectors.index()
  for (const docId of ['stays', 'last']) await load('many', docId)
  await index.follow()
  const { documents } = await index.verify(false)
  const [log] = await fresh.database.rows(sql<{ position: string }>`
    insert into docket_documents.document (id, collection_id, doc_id, version, added_position, removed_position, removed_at,
      metadata, filter_values, media_type, size, characters, chunk_count, content_hash, loaded_at)
    select nextval('docket_documents.document_id'), c.id, 'removed-' || n, 1, log.position, log.position + n, ${new Date(Date.now() + aheadMs).toISOString()}::timestamp,
      '{}', '{}', 'text/plain', 0, 0, 0, '', now()
    from docket_documents.collection c, docket_documents.change_log log, generate_series(1, 25000) as n where c.name = 'many'
    returning removed_position as position`)
  await fresh.database.rows(sql`select docket_documents.reach_position(${Number(log?.position) + 25_000})`)
  await deleteDocument(deps, documentAdmin, 'many', 'last')

  maxRows = 0
  expect(await nearestIn('many')).toEqual(['stays'])
  expect(maxRows).toBeGreaterThan(1_000)
  expect(maxRows).toBeLessThanOrEqual(10_000)
  aheadMs += 2 * minuteMs
  maxRows = 0
  await index.follow()
  expect(maxRows).toBeGreaterThan(1_000)
  expect(maxRows).toBeLessThanOrEqual(10_000)
  expect(await index.verify(false)).toMatchObject({ documents: documents - 1, differences: 0 })
})

// ── what the tests say ──

/** The documents that a search by vectors finds, by their names. */
async function nearestIn(collectionName: string): Promise<readonly string[]> {
  const vector = Float32Array.of(1, 0)
  const request = { query: '', mode: 'vector', vector, k: 10, collectionNames: [collectionName], filter: '' } as const
  const found = await searchDocuments(deps, documentAdmin, request)
  if (!found.ok) throw new Error(JSON.stringify(found.error))
  return found.value.hits.map(({ docId }) => docId)
}

function countingRows(database: Database): Database {
  return {
    ...database,
    async rows(query) {
      const rows = await database.rows(query)
      maxRows = Math.max(maxRows, rows.length)
      return rows
    },
  }
}

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
