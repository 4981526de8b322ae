import type { Session } from '../../database/database.ts'
import { sql } from '../../kernel/sql.ts'
import { beforeAllRemovals, readWholeDocuments, type WholeDocument } from '../store/read-vectors.ts'
import { storedVectors } from '../store/stored-vectors.ts'
import { type LanceModel, type ListedState, listTable, lockList, readListedState } from './listed-tables.ts'

/** However few documents have so many: each search would read them from the database. */
const manyNewChunks = 5_000
/** Documents of one table at most, and vectors, roughly. */
const documentsOfTable = 20_000
const chunksOfTable = 50_000

/**
 * Copies the vectors of the next documents into new tables, one for each length of vectors. Several processes may call this at once; one
 * works, the others wait. If it dies, its tables are in no list, and are cleared away.
 *
 * @param min with fewer new documents, nothing is done, unless they have many chunks
 */
export async function fillSome(
  { database, modelId, tables }: LanceModel,
  min: number,
): Promise<Pick<ListedState, 'position' | 'newest' | 'vectorLength'> & { readonly isDone: boolean }> {
  return database.inTransaction(async (session) => {
    await lockList(session, modelId)
    const state = await readListedState(session, modelId)
    const { position, newest, vectorLength } = state
    const done = { position, newest, vectorLength, isDone: true }
    if (newest === position || vectorLength === null) return done
    if (newest - position < min && (await countNewChunks(session, modelId, position)) < manyNewChunks) return done
    const { documents, reached, isMore } = await readNext(session, modelId, position)
    // The last sequence numbers may be those of documents that were cleaned up.
    const last = isMore ? reached : Math.max(reached, newest)
    const byLength = await groupByLength(session, modelId, documents, vectorLength)
    for (const [numbers, own] of byLength) {
      const written = await tables.write(storedVectors(session, modelId, own, vectorLength), numbers, 'exact')
      if (written === undefined) continue
      const collectionIds = [...new Set(own.map(({ collectionId }) => collectionId))]
      const range = { afterPosition: position, lastPosition: last }
      await listTable(session, modelId, { ...written, numbers, ownCollectionId: null, collectionIds, ...range })
    }
    await session.rows(sql`update docket_vectors.lance_model set position = ${last} where model_id = ${modelId}`)
    return { position: last, newest, vectorLength, isDone: last >= newest }
  })
}

async function readNext(session: Session, modelId: number, after: number) {
  const documents: WholeDocument[] = []
  let chunks = 0
  for (let reached = after; ; ) {
    const whole = await readWholeDocuments(session, modelId, reached, beforeAllRemovals)
    documents.push(...whole.documents)
    chunks += await countChunks(session, whole.documents)
    reached = whole.reached
    const isFull = documents.length >= documentsOfTable || chunks >= chunksOfTable
    if (!whole.isMore || isFull) return { documents, reached, isMore: whole.isMore }
  }
}

/**
 * Documents that are complete and in no table yet.
 *
 * @param max counts no more than these
 */
export async function countPending(session: Session, modelId: number, after: number, max: number): Promise<number> {
  const [row] = await session.rows(sql<{ documents: string }>`
    select count(*) as documents from (
      select from docket_documents.document_embedding where model_id = ${modelId} and position > ${after} limit ${max}) as pending`)
  return Number(row?.documents ?? 0)
}

async function countNewChunks(session: Session, modelId: number, after: number): Promise<number> {
  const [row] = await session.rows(sql<{ chunks: string }>`
    select coalesce(sum(d.chunk_count), 0) as chunks from docket_documents.document_embedding e
    join docket_documents.document d on d.id = e.document_id
    where e.model_id = ${modelId} and e.position > ${after}`)
  return Number(row?.chunks ?? 0)
}

async function countChunks(session: Session, documents: readonly WholeDocument[]): Promise<number> {
  const [row] = await session.rows(sql<{ chunks: string }>`
    select coalesce(sum(chunk_count), 0) as chunks from docket_documents.document
    where id = any (${documents.map(({ id }) => id)}::bigint[])`)
  return Number(row?.chunks ?? 0)
}

/** Vectors that callers give have one length in each collection. */
async function groupByLength(
  session: Session,
  modelId: number,
  documents: readonly WholeDocument[],
  vectorLength: number,
): Promise<ReadonlyMap<number, readonly WholeDocument[]>> {
  if (vectorLength !== 0) return new Map(documents.length === 0 ? [] : [[vectorLength, documents]])
  const rows = await session.rows(sql<{ id: string; numbers: number }>`
    select document_id as id, octet_length(vectors) / 4 as numbers from docket_documents.chunk_embedding
    where model_id = ${modelId} and document_id = any (${documents.map(({ id }) => id)}::bigint[])`)
  const lengths = new Map(rows.map(({ id, numbers }) => [Number(id), numbers]))
  const known = documents.filter(({ id }) => lengths.has(id))
  return Map.groupBy(known, ({ id }) => lengths.get(id) as number)
}
