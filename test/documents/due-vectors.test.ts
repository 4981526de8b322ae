import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Database, Session } from '../../src/database/database.ts'
import { deleteCollection, deleteDocument } from '../../src/documents/delete-documents.ts'
import { loadText } from '../../src/documents/load-document.ts'
import {
  type DueDocument,
  recordRejection,
  renewLeases,
  returnDue,
  takeDueDocuments,
} from '../../src/embeddings/store/due-for-embedding.ts'
import { useModel } from '../../src/embeddings/store/models.ts'
import { copyEqual, writeVectors } from '../../src/embeddings/store/write-vectors.ts'
import { verifyStoredVectors } from '../../src/embeddings/verify-stored-vectors.ts'
import { openWorker, type Worker } from '../../src/jobs/worker-number.ts'
import { sql } from '../../src/kernel/sql.ts'
import { documentAdmin, openDocumentDeps, type TestDocumentDeps } from '../harness/document-deps.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'

let fresh: FreshDatabase
let deps: TestDocumentDeps
/** A process that lives; nobody has the number of the other one. */
let living: Worker
const lost = 1_000_000
let modelId = 0
beforeAll(async () => {
  fresh = await freshDatabase()
  deps = await openDocumentDeps(fresh)
  living = await openWorker(fresh.database, (error) => {
    throw error
  })
  // A model that no process of the test uses.
  const model = { name: 'stand-in', requestedLength: 2, textPrefix: '' }
  modelId = await useModel(fresh.database, model, { configName: 'stand-in', isDefault: true }, new Date())
})
afterAll(async () => {
  await living.close()
  await deps.close()
  await fresh.drop()
})
beforeEach(async () => {
  for (const table of [sql`document_embedding`, sql`chunk_embedding`])
    await fresh.database.rows(sql`delete from docket_documents.${table} where model_id = ${modelId}`)
})

test('who has lost the lease of documents does not end or renew that of the process that has it now', async () => {
  await load('one', 'toner of a printer')
  const ids = idsOf(await takeDueDocuments(fresh.database, modelId, lost))
  expect(ids).toHaveLength(1)
  // The connection of the first process broke, so another one takes over at once.
  expect(idsOf(await takeDueDocuments(fresh.database, modelId, living.number()))).toEqual(ids)
  await returnDue(fresh.database, modelId, { worker: lost, documentIds: ids })
  expect(await takeDueDocuments(fresh.database, modelId, lost)).toEqual([])
  await recordRejection(fresh.database, modelId, { worker: lost, documentId: ids[0] ?? 0 }, 'too long')
  expect(await takeDueDocuments(fresh.database, modelId, lost)).toEqual([])
  expect(await attemptsOf(ids)).toEqual([0])

  await fresh.database.rows(sql`update docket_documents.document_embedding set leased_until = '2020-01-01'`)
  await renewLeases(fresh.database, modelId, { worker: lost, documentIds: ids })
  expect(idsOf(await takeDueDocuments(fresh.database, modelId, living.number()))).toEqual(ids)
  await returnDue(fresh.database, modelId, { worker: living.number(), documentIds: ids })
  expect(idsOf(await takeDueDocuments(fresh.database, modelId, lost))).toEqual(ids)
})

test('of many documents with the same text, the vectors of one are read for another one', async () => {
  const equal = 20
  for (let at = 0; at < equal; at++) await load(`equal-${at}`, 'the same text')
  const due = await takeDueDocuments(fresh.database, modelId, living.number())
  expect(due).toHaveLength(equal)
  const rows = due.map(({ documentId }) => ({ documentId, firstChunk: 0, vectors: [Float32Array.of(1, 0)] }))
  expect(await writeVectors(fresh.database, modelId, rows, due)).toBe(true)
  await load('equal-again', 'the same text')
  const again = await takeDueDocuments(fresh.database, modelId, living.number())
  expect(again).toHaveLength(1)
  const counts: number[] = []
  expect(await copyEqual(counting(counts), modelId, again)).toEqual([])
  expect(Math.max(...counts)).toBe(1)
  expect(await takeDueDocuments(fresh.database, modelId, living.number())).toEqual([])
})

test('vectors of replaced and deleted documents are not made, however many there are', async () => {
  await load('stays', 'toner of a printer')
  await load('replaced', 'a text that is replaced')
  await load('replaced', 'a text that is there')
  const [first] = await fresh.database.rows(sql<{ id: string }>`
    select id from docket_documents.document where doc_id = 'replaced' and removed_position is not null`)
  // It was interrupted after its first vectors.
  await fresh.database.rows(sql`
    insert into docket_documents.chunk_embedding (model_id, document_id, first_chunk, vectors)
    values (${modelId}, ${first?.id}, 0, decode('0000803f00000000', 'hex'))`)
  // More than are taken at once.
  for (let at = 0; at < 70; at++) await load(`gone-${at}`, `document ${at}`, 'gone')
  await deleteCollection(deps, documentAdmin, 'gone')
  await load('deleted', 'a text that is deleted')
  await deleteDocument(deps, documentAdmin, 'kb', 'deleted')

  const due = await takeDueDocuments(fresh.database, modelId, living.number())
  const names = await fresh.database.rows(sql<{ doc_id: string; version: number }>`
    select doc_id, version from docket_documents.document where id = any (${idsOf(due)}::bigint[]) order by 1`)
  expect(names).toEqual([
    { doc_id: 'replaced', version: 2 },
    { doc_id: 'stays', version: 1 },
  ])
  // Whatever they had is dropped, so that verify finds no vectors without a document.
  expect((await verifyStoredVectors(fresh.database)).orphans).toEqual([])
  expect(await takeDueDocuments(fresh.database, modelId, living.number())).toEqual([])
})

test('a stop ends the search for due documents among removed ones', async () => {
  for (let at = 0; at < 65; at++) await load(`gone-${at}`, `document ${at}`, 'stopped')
  await deleteCollection(deps, documentAdmin, 'stopped')
  const due = () =>
    fresh.database.rows(sql`
    select from docket_documents.document_embedding where model_id = ${modelId}`)
  const before = (await due()).length
  expect(await takeDueDocuments(fresh.database, modelId, living.number(), AbortSignal.abort())).toEqual([])
  expect((await due()).length).toBe(before - 64)
})

// ── what the tests say ──

const idsOf = (due: readonly DueDocument[]): readonly number[] => due.map(({ documentId }) => documentId)

async function load(docId: string, text: string, collectionName = 'kb'): Promise<void> {
  const sent = { collectionName, metadata: { doc_id: docId }, text }
  expect(await loadText(deps, documentAdmin, sent)).toMatchObject({ ok: true })
}

async function attemptsOf(ids: readonly number[]): Promise<readonly number[]> {
  const rows = await fresh.database.rows(sql<{ attempts: number }>`
    select attempts from docket_documents.document_embedding where document_id = any (${ids}::bigint[])`)
  return rows.map(({ attempts }) => attempts)
}

/** Records how many rows each statement of a transaction returns. */
function counting(counts: number[]): Database {
  return {
    ...fresh.database,
    inTransaction: (work, isolation) =>
      fresh.database.inTransaction((session) => {
        const counted: Session = {
          run: (statement, values) => session.run(statement, values),
          async rows(statement) {
            const rows = await session.rows(statement)
            counts.push(rows.length)
            return rows
          },
        }
        return work(counted)
      }, isolation),
  }
}
