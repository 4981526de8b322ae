import type { Database, Session } from '../../database/database.ts'
import { sql } from '../../kernel/sql.ts'
import type { DueDocument } from './due-for-embedding.ts'
import { readVectorLength } from './models.ts'

/** Copies the vectors of equal documents, if there are any. @returns the other documents */
export async function copyEqual(
  database: Database,
  modelId: number,
  due: readonly DueDocument[],
): Promise<readonly DueDocument[]> {
  if (due.length === 0) return due
  return database.inTransaction(async (session) => {
    const hashes = due.map(({ inputsHash }) => Buffer.from(inputsHash, 'hex'))
    // One for each hash: any number of documents may be equal.
    const rows = await session.rows(sql<{ document_id: string; inputs_hash: string }>`
      select one.document_id, encode(w.hash, 'hex') as inputs_hash
      from (select distinct hash from unnest(${hashes}::bytea[]) as h (hash)) as w
      cross join lateral (
        select e.document_id from docket_documents.document_embedding e
        where e.model_id = ${modelId} and e.position is not null and e.inputs_hash = w.hash
        limit 1 for share) as one`)
    const equals = new Map(rows.map(({ document_id, inputs_hash }) => [inputs_hash, Number(document_id)]))
    const copied = due.filter(({ inputsHash }) => equals.has(inputsHash))
    for (const { documentId, inputsHash } of copied)
      await session.rows(sql`
        insert into docket_documents.chunk_embedding (model_id, document_id, first_chunk, vectors)
        select e.model_id, own.document_id, e.first_chunk, e.vectors from docket_documents.chunk_embedding e
        join docket_documents.document_embedding own on own.model_id = ${modelId} and own.document_id = ${documentId}
        where e.model_id = ${modelId} and e.document_id = ${equals.get(inputsHash) ?? null}
        for key share of own
        on conflict (model_id, document_id, first_chunk) do update set vectors = excluded.vectors`)
    await finishDocuments(session, modelId, copied)
    return due.filter(({ inputsHash }) => !equals.has(inputsHash))
  })
}

/** Adjacent chunks whose vectors share one row. Rows always begin at a multiple of it, in every process. */
export const chunksOfRow = 32

export interface InputChunk {
  readonly headingPath: readonly string[]
  readonly text: string
}

/** Chunks of a row, in order; none when the document was deleted. */
export async function readInputs(
  session: Session,
  documentId: number,
  firstChunk: number,
): Promise<readonly InputChunk[]> {
  return session.rows(sql<InputChunk>`
    select c.heading_path as "headingPath", c.text from docket_documents.chunk c
    where c.document_id = ${documentId} and c.chunk_index >= ${firstChunk} and c.chunk_index < ${firstChunk + chunksOfRow}
    order by c.chunk_index`)
}

/** First chunks of the rows that are written: an interrupted document continues from there. */
export async function readWrittenRows(
  session: Session,
  modelId: number,
  documentId: number,
): Promise<ReadonlySet<number>> {
  const rows = await session.rows(sql<{ first_chunk: number }>`
    select e.first_chunk from docket_documents.chunk_embedding e
    where e.model_id = ${modelId} and e.document_id = ${documentId}`)
  return new Set(rows.map(({ first_chunk }) => first_chunk))
}

export interface VectorRow {
  readonly documentId: number
  readonly firstChunk: number
  readonly vectors: readonly Float32Array[]
}

/**
 * Writes vectors and marks the documents as complete whose last vectors these are. Documents that were cleaned up meanwhile are
 * not added again: a document's row is locked until its vectors are written.
 *
 * @returns false, and nothing is written, when the model's vectors have another length
 */
export async function writeVectors(
  database: Database,
  modelId: number,
  rows: readonly VectorRow[],
  whole: readonly DueDocument[],
): Promise<boolean> {
  const length = rows[0]?.vectors[0]?.length
  return database.inTransaction(async (session) => {
    if (length !== undefined) {
      const fitting = await session.rows(sql`
        update docket_documents.embedding_model set vector_length = ${length}
        where id = ${modelId} and vector_length is null returning id`)
      if (fitting.length === 0 && (await readVectorLength(session, modelId)) !== length) return false
      await session.rows(sql`
        insert into docket_documents.chunk_embedding (model_id, document_id, first_chunk, vectors)
        select ${modelId}, r.document_id, r.first_chunk, r.vectors
        from unnest(
          ${rows.map(({ documentId }) => documentId)}::bigint[],
          ${rows.map(({ firstChunk }) => firstChunk)}::integer[],
          ${rows.map(({ vectors }) => bytesOf(vectors))}::bytea[]
        ) as r (document_id, first_chunk, vectors)
        join docket_documents.document_embedding own on own.model_id = ${modelId} and own.document_id = r.document_id
        for key share of own
        on conflict (model_id, document_id, first_chunk) do update set vectors = excluded.vectors`)
    }
    await finishDocuments(session, modelId, whole)
    return true
  })
}

/** Node supports little-endian machines only. */
function bytesOf(vectors: readonly Float32Array[]): Buffer {
  return Buffer.concat(vectors.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength)))
}

async function finishDocuments(session: Session, modelId: number, whole: readonly DueDocument[]): Promise<void> {
  if (whole.length === 0) return
  await session.rows(sql`
    select docket_documents.finish_embeddings(${modelId}, ${whole.map(({ documentId }) => documentId)}::bigint[],
      ${whole.map(({ inputsHash }) => Buffer.from(inputsHash, 'hex'))}::bytea[])`)
}

/**
 * The last statement of the transaction that publishes the document. @returns false when its collection has vectors of another
 * length
 */
export async function keepGivenVector(
  session: Session,
  document: { readonly id: number; readonly collectionId: number; readonly vector: Float32Array },
): Promise<boolean> {
  const { id, collectionId, vector } = document
  const [row] = await session.rows(sql<{ kept: boolean }>`
    select docket_documents.keep_given_vector(${id}::bigint, ${collectionId}::integer, ${bytesOf([vector])}::bytea) as kept`)
  return row?.kept === true
}
