import type { IndexProgress } from '../../kernel/progress.ts'
import { sql } from '../../kernel/sql.ts'
import { readWholeAmong, readWholeDocuments, type WholeDocument } from '../store/read-vectors.ts'
import { storedVectors } from '../store/stored-vectors.ts'
import { maxExamples, suspectsAtOnce, type VectorCheck, type VectorDifference } from '../verify-vectors.ts'
import {
  type ChunkRow,
  chunkRows,
  type PgvectorModel,
  readFillState,
  type VectorWriter,
  writeDocuments,
} from './fill-pgvector.ts'

/**
 * Compares the vectors of pgvector with the stored ones. Differences are checked again while no process copies vectors: documents that
 * are added or removed meanwhile are not differences. Rows of documents that do not exist cannot be there (foreign keys).
 */
export async function verifyPgvector(
  model: PgvectorModel,
  repairs: boolean,
  onProgress: (progress: IndexProgress) => void,
): Promise<VectorCheck> {
  const { database, modelId, types } = model
  const { position: upTo, vectorLength } = await readFillState(database, modelId)
  const suspects: number[] = []
  let documents = 0
  let vectors = 0
  for (let after = -1, isMore = vectorLength !== null; isMore && after < upTo; ) {
    const whole = await readWholeDocuments(database, modelId, after, null)
    const compared = await compareDocuments({ session: database, modelId, types }, whole.documents, vectorLength ?? 0)
    suspects.push(...compared.differences.map(({ documentId }) => documentId))
    documents += whole.documents.length
    vectors += compared.vectors
    onProgress({ documents, of: documents })
    after = whole.reached
    isMore = whole.isMore
  }
  const differences = await settle(model, suspects, repairs)
  return { documents, vectors, differences: differences.length, examples: differences.slice(0, maxExamples) }
}

async function settle(
  { database, modelId, types }: PgvectorModel,
  suspects: readonly number[],
  repairs: boolean,
): Promise<readonly VectorDifference[]> {
  const found: VectorDifference[] = []
  for (let from = 0; from < suspects.length; from += suspectsAtOnce) {
    const some = suspects.slice(from, from + suspectsAtOnce)
    const differences = await database.inTransaction(async (session) => {
      const writer = { session, modelId, types }
      await session.rows(sql`select from docket_vectors.model where model_id = ${modelId} for update`)
      const { position, vectorLength } = await readFillState(session, modelId)
      const whole = await readWholeAmong(session, modelId, position, some)
      if (repairs) await writeDocuments(writer, whole, vectorLength ?? 0)
      return (await compareDocuments(writer, whole, vectorLength ?? 0)).differences
    })
    found.push(...differences)
  }
  return found
}

interface ComparedDocuments {
  readonly vectors: number
  readonly differences: readonly VectorDifference[]
}

async function compareDocuments(
  writer: VectorWriter,
  documents: readonly WholeDocument[],
  vectorLength: number,
): Promise<ComparedDocuments> {
  const { session, modelId } = writer
  const left = await countChunks(
    writer,
    documents.map(({ id }) => id),
  )
  const wrong = new Map<number, VectorDifference['kind']>()
  let vectors = 0
  for await (const stored of storedVectors(session, modelId, documents, vectorLength)) {
    const rows = stored.flatMap((each) => chunkRows(each, vectorLength))
    vectors += rows.length
    for (const { documentId } of rows) left.set(documentId, (left.get(documentId) ?? 0) - 1)
    for (const documentId of await readDiffering(writer, rows)) wrong.set(documentId, 'different')
  }
  const counts = await countChunks(
    writer,
    [...left.keys()].filter((id) => left.get(id) !== 0),
  )
  // More or fewer chunks than there are vectors.
  for (const [documentId, count] of left)
    if (count !== 0) wrong.set(documentId, counts.has(documentId) ? 'different' : 'missing')
  return { vectors, differences: [...wrong].map(([documentId, kind]) => ({ kind, documentId })) }
}

async function countChunks(
  { session, modelId }: VectorWriter,
  documentIds: readonly number[],
): Promise<Map<number, number>> {
  const rows = await session.rows(sql<{ document_id: string; count: string }>`
    select document_id, count(*) as count from docket_vectors.chunk
    where model_id = ${modelId} and document_id = any (${documentIds}::bigint[]) group by document_id`)
  return new Map(rows.map(({ document_id, count }) => [Number(document_id), Number(count)]))
}

/** Compared as texts: the operators of pgvector need not be in the search path. @returns documents with other vectors */
async function readDiffering(
  { session, modelId, types }: VectorWriter,
  rows: readonly ChunkRow[],
): Promise<readonly number[]> {
  const found = await session.rows(sql<{ document_id: string }>`
    select distinct r.document_id
    from unnest(
      ${rows.map(({ documentId }) => documentId)}::bigint[],
      ${rows.map(({ chunkIndex }) => chunkIndex)}::integer[],
      ${rows.map(({ collectionId }) => collectionId)}::integer[],
      ${rows.map(({ text }) => text)}::text[]
    ) as r (document_id, chunk_index, collection_id, embedding)
    join docket_vectors.chunk c
      on c.model_id = ${modelId} and c.document_id = r.document_id and c.chunk_index = r.chunk_index
    where c.collection_id <> r.collection_id
      or c.embedding::text is distinct from r.embedding::${types.halfvec()}::text`)
  return found.map(({ document_id }) => Number(document_id))
}
