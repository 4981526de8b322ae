import type { Database, Session } from '../../database/database.ts'
import { sql } from '../../kernel/sql.ts'
import type { StoredVectors } from '../in-memory/collection-vectors.ts'
import { unitLength } from '../similarity.ts'
import { beforeAllRemovals, readWholeDocuments, type WholeDocument } from '../store/read-vectors.ts'
import { storedVectors } from '../store/stored-vectors.ts'
import { halfText } from './half-vectors.ts'
import type { PgvectorSql } from './prepare-pgvector.ts'

export interface PgvectorModel {
  readonly database: Database
  readonly modelId: number
  readonly types: PgvectorSql
}

/** How far the vectors of pgvector follow those of a model, by the sequence numbers of documents that became complete. */
export interface FillState {
  readonly position: number
  readonly newest: number
  /** Length of the model's vectors; 0: each collection has its own. null: it has no vectors yet. */
  readonly vectorLength: number | null
}

export async function readFillState(session: Session, modelId: number): Promise<FillState> {
  const [row] = await session.rows(sql<{ position: string; newest: string; vector_length: number | null }>`
    select coalesce(v.position, 0) as position, m.position as newest, m.vector_length
    from docket_documents.embedding_model m left join docket_vectors.model v on v.model_id = m.id
    where m.id = ${modelId}`)
  return {
    position: Number(row?.position ?? 0),
    newest: Number(row?.newest ?? 0),
    vectorLength: row?.vector_length ?? null,
  }
}

/** Copies the vectors of the next documents. Several processes may call this at once; one works, the others wait. */
export async function fillSome({ database, modelId, types }: PgvectorModel): Promise<FillState> {
  return database.inTransaction(async (session) => {
    await session.rows(sql`insert into docket_vectors.model (model_id) values (${modelId}) on conflict do nothing`)
    await session.rows(sql`select from docket_vectors.model where model_id = ${modelId} for update`)
    const { position, newest, vectorLength } = await readFillState(session, modelId)
    if (position >= newest || vectorLength === null) return { position, newest, vectorLength }
    const whole = await readWholeDocuments(session, modelId, position, beforeAllRemovals)
    await writeDocuments({ session, modelId, types }, whole.documents, vectorLength)
    // The last sequence numbers may be those of documents that were cleaned up.
    const reached = whole.isMore ? whole.reached : Math.max(whole.reached, newest)
    await session.rows(sql`update docket_vectors.model set position = ${reached} where model_id = ${modelId}`)
    return { position: reached, newest, vectorLength }
  })
}

export interface VectorWriter extends Omit<PgvectorModel, 'database'> {
  readonly session: Session
}

/** Replaces the vectors of documents by those that are stored now. */
export async function writeDocuments(
  writer: VectorWriter,
  documents: readonly WholeDocument[],
  vectorLength: number,
): Promise<void> {
  await deleteDocuments(
    writer,
    documents.map(({ id }) => id),
  )
  for await (const vectors of storedVectors(writer.session, writer.modelId, documents, vectorLength))
    await insertVectors(writer, vectors, vectorLength)
}

export async function deleteDocuments(
  { session, modelId }: Pick<VectorWriter, 'session' | 'modelId'>,
  documentIds: readonly number[],
): Promise<void> {
  if (documentIds.length === 0) return
  await session.rows(sql`
    delete from docket_vectors.chunk where model_id = ${modelId} and document_id = any (${documentIds}::bigint[])`)
}

/** Documents that were cleaned up meanwhile are not added again: their row is locked until their vectors are written. */
async function insertVectors(
  { session, modelId, types }: VectorWriter,
  vectors: readonly StoredVectors[],
  vectorLength: number,
): Promise<void> {
  const rows = vectors.flatMap((each) => chunkRows(each, vectorLength))
  await session.rows(sql`
    insert into docket_vectors.chunk (model_id, document_id, chunk_index, collection_id, embedding)
    select ${modelId}, r.document_id, r.chunk_index, r.collection_id, r.embedding::${types.halfvec()}
    from unnest(
      ${rows.map(({ documentId }) => documentId)}::bigint[],
      ${rows.map(({ chunkIndex }) => chunkIndex)}::integer[],
      ${rows.map(({ collectionId }) => collectionId)}::integer[],
      ${rows.map(({ text }) => text)}::text[]
    ) as r (document_id, chunk_index, collection_id, embedding)
    join docket_documents.document_embedding own on own.model_id = ${modelId} and own.document_id = r.document_id
    for key share of own`)
}

export interface ChunkRow {
  readonly documentId: number
  readonly chunkIndex: number
  readonly collectionId: number
  /** null: too long for pgvector. */
  readonly text: string | null
}

/** @param vectorLength 0: the row has one vector */
export function chunkRows(
  { collectionId, documentId, firstChunk, numbers }: StoredVectors,
  vectorLength: number,
): readonly ChunkRow[] {
  const length = vectorLength || numbers.length
  return Array.from({ length: Math.floor(numbers.length / length) }, (_, at) => ({
    documentId,
    chunkIndex: firstChunk + at,
    collectionId,
    text: halfText(unitLength(numbers.subarray(at * length, (at + 1) * length))),
  }))
}
