import type { Session } from '../../database/database.ts'
import { selectRows, selectStatement } from '../../database/select-statement.ts'
import { utcTimestamp } from '../../database/utc-timestamp.ts'
import { sql } from '../../kernel/sql.ts'
import type { VectorPage } from './vector-page.ts'
import { chunksOfRow } from './write-vectors.ts'

export interface WholeDocument {
  readonly id: number
  readonly docId: string
  readonly collectionId: number
  readonly position: number
}

const documentsOfLook = 500

/** Documents that became complete after a sequence number. */
export interface CompletedDocuments {
  readonly reached: number
  readonly isMore: boolean
  readonly documents: readonly WholeDocument[]
  /** Those of them that were removed since. */
  readonly removedIds: readonly number[]
}

/**
 * Documents that became complete after a sequence number, in their order.
 *
 * @param removedAfter sequence number of the change log: documents that were removed after it, themselves or with their collection, are
 * among them, because searches of the state before need them. null: only documents that exist
 */
export async function readWholeDocuments(
  session: Session,
  modelId: number,
  after: number,
  removedAfter: number | null,
): Promise<CompletedDocuments> {
  const min = removedAfter ?? Number.MAX_SAFE_INTEGER
  const rows = await session.rows(sql<{
    document_id: string
    position: string
    doc_id: string | null
    collection_id: number
    is_removed: boolean
  }>`
    select e.document_id, e.position, d.doc_id, d.collection_id, d.removed_position is not null as is_removed
    from docket_documents.document_embedding e
    left join (docket_documents.document d join docket_documents.collection c on c.id = d.collection_id
      and (c.removed_position is null or c.removed_position > ${min}::bigint))
      on d.id = e.document_id and (d.removed_position is null or d.removed_position > ${min}::bigint)
    where e.model_id = ${modelId} and e.position > ${after}
    order by e.position limit ${documentsOfLook}`)
  return {
    reached: Number(rows.at(-1)?.position ?? after),
    isMore: rows.length === documentsOfLook,
    documents: rows.flatMap(({ document_id, position, doc_id, collection_id }) =>
      doc_id === null
        ? []
        : [{ id: Number(document_id), docId: doc_id, collectionId: collection_id, position: Number(position) }],
    ),
    removedIds: rows.flatMap(({ document_id, is_removed }) => (is_removed ? Number(document_id) : [])),
  }
}

/** For `readWholeDocuments`: every removed document whose vectors are still in the database, which is for some minutes. */
export const beforeAllRemovals = 0

/** Those of the given documents that exist and are complete, up to a sequence number. */
export async function readWholeAmong(
  session: Session,
  modelId: number,
  upTo: number,
  documentIds: readonly number[],
): Promise<readonly WholeDocument[]> {
  const rows = await session.rows(sql<{ id: string; position: string; doc_id: string; collection_id: number }>`
    select d.id, e.position, d.doc_id, d.collection_id
    from docket_documents.document_embedding e
    join docket_documents.document d on d.id = e.document_id and d.removed_position is null
    join docket_documents.collection c on c.id = d.collection_id and c.removed_position is null
    where e.model_id = ${modelId} and e.position <= ${upTo} and e.document_id = any (${documentIds}::bigint[])`)
  return rows.map(({ id, position, doc_id, collection_id }) => ({
    id: Number(id),
    docId: doc_id,
    collectionId: collection_id,
    position: Number(position),
  }))
}

/**
 * Those of the given documents whose vectors may be in memory: they exist, or were removed after a sequence number of the
 * change log.
 */
export async function readHoldable(
  session: Session,
  removedAfter: number,
  documentIds: readonly number[],
): Promise<ReadonlySet<number>> {
  const rows = await session.rows(sql<{ id: string }>`
    select d.id from docket_documents.document d join docket_documents.collection c on c.id = d.collection_id
    where d.id = any (${documentIds}::bigint[])
      and (d.removed_position is null or d.removed_position > ${removedAfter})
      and (c.removed_position is null or c.removed_position > ${removedAfter})`)
  return new Set(rows.map(({ id }) => Number(id)))
}

export interface WrittenVectors {
  readonly documentId: number
  readonly firstChunk: number
  readonly numbers: Float32Array
}

/** Bytes of vectors per statement; the transfer takes twice as many. */
const bytesOfLook = 8 * 1024 * 1024

/** Rows with one vector per statement: at most 16,384 dimensions each. */
const rowsOfGiven = 256

const READ_VECTORS = {
  ...selectStatement<{ readonly documentId: string; readonly firstChunk: string; readonly vectors: Buffer }>({
    name: 'read-vectors',
    columns: { documentId: 'e.document_id::text', firstChunk: 'e.first_chunk::text', vectors: 'e.vectors' },
    from: `
      from docket_documents.chunk_embedding e
      join docket_documents.document d on d.id = e.document_id
      where e.model_id = $1 and e.document_id = any ($2::bigint[])
        and ($3::integer = 0 or octet_length(e.vectors) = least(${chunksOfRow}, d.chunk_count - e.first_chunk) * $3::integer * 4)
        and (e.document_id, e.first_chunk) > ($4::bigint, $5::integer)
      order by e.document_id, e.first_chunk limit $6::integer`,
  }),
  bytesAt: 2,
}

/**
 * Rows without a vector of this length for each of their chunks are left out: `verify` reports them.
 *
 * @param page has the numbers until the next ones are read
 */
export async function* readVectors(
  session: Session,
  modelId: number,
  documentIds: readonly number[],
  vectorLength: number,
  page: VectorPage,
): AsyncGenerator<readonly WrittenVectors[]> {
  const max =
    vectorLength === 0 ? rowsOfGiven : Math.max(16, Math.floor(bytesOfLook / (chunksOfRow * vectorLength * 4)))
  let after: readonly [documentId: number, firstChunk: number] = [0, -1]
  for (;;) {
    const rows = await selectRows(session, READ_VECTORS, [modelId, documentIds, vectorLength, ...after, max])
    const numbers = page.put(rows.map(({ vectors }) => vectors))
    const found = rows.map(({ documentId, firstChunk }, at) => ({
      documentId: Number(documentId),
      firstChunk: Number(firstChunk),
      numbers: numbers[at] as Float32Array,
    }))
    const last = found.at(-1)
    if (last === undefined) return
    yield found
    if (found.length < max) return
    after = [last.documentId, last.firstChunk]
  }
}

export interface ChunkReference {
  readonly documentId: number
  readonly chunkIndex: number
}

/** Vectors per statement: 3 KB each at 768 dimensions. */
const chunksOfLook = 1_000

const READ_CHUNK_VECTORS = {
  ...selectStatement<{ readonly number: string; readonly vector: Buffer | null }>({
    name: 'read-chunk-vectors',
    columns: {
      number: 'w.number::text',
      vector: `substring(e.vectors from w.chunk_index % ${chunksOfRow} * $5::integer + 1 for $5::integer)`,
    },
    from: `
      from unnest($2::bigint[], $3::integer[], $4::boolean[]) with ordinality as w (document_id, chunk_index, is_read, number)
      join docket_documents.document d on d.id = w.document_id and d.added_position <= $6::bigint
        and (d.removed_position is null or d.removed_position > $6::bigint)
      left join docket_documents.chunk_embedding e on w.is_read and e.model_id = $1 and e.document_id = w.document_id
        and e.first_chunk = w.chunk_index - w.chunk_index % ${chunksOfRow}`,
  }),
  bytesAt: 1,
}

/** A chunk whose document has to exist, and whether its vector is read. */
export interface CheckedChunk extends ChunkReference {
  readonly isRead: boolean
}

export interface CheckedVectors {
  readonly modelId: number
  readonly vectorLength: number
  /** Sequence number of the change log. */
  readonly position: number
}

/**
 * @returns in the order of the chunks: the vector, or `exists` if it is not read; null: the document did not exist at the sequence number, or
 * the chunk has no vector of this length
 */
export async function readChunkVectors(
  session: Session,
  chunks: readonly CheckedChunk[],
  { modelId, vectorLength, position }: CheckedVectors,
): Promise<readonly (Float32Array | 'exists' | null)[]> {
  const bytes = vectorLength * 4
  const read: (Float32Array | 'exists' | null)[] = chunks.map(() => null)
  for (let from = 0; from < chunks.length; from += chunksOfLook) {
    const some = chunks.slice(from, from + chunksOfLook)
    const columns = [
      some.map((each) => each.documentId),
      some.map((each) => each.chunkIndex),
      some.map((each) => each.isRead),
    ]
    const rows = await selectRows(session, READ_CHUNK_VECTORS, [modelId, ...columns, bytes, position])
    for (const { number, vector } of rows) {
      const at = from + Number(number) - 1
      if (chunks[at]?.isRead === false) read[at] = 'exists'
      // Numbers begin at a multiple of four bytes only in a copy.
      else if (vector?.length === bytes) read[at] = new Float32Array(new Uint8Array(vector).buffer)
    }
  }
  return read
}

/** Removals per statement: each is only a few numbers. */
const removalsOfLook = 10_000

/** Documents removed after a sequence number of the change log up to another one, in steps. */
export async function* readRemoved(
  session: Pick<Session, 'rows'>,
  after: number,
  upTo: number,
): AsyncGenerator<readonly number[]> {
  for (let reached = after; ; ) {
    const rows = await session.rows(sql<{ id: string; position: string }>`
      select d.id, d.removed_position as position from docket_documents.document d
      where d.removed_position > ${reached} and d.removed_position <= ${upTo}
      order by d.removed_position fetch first ${removalsOfLook} rows with ties`)
    if (rows.length > 0) yield rows.map(({ id }) => Number(id))
    if (rows.length < removalsOfLook) return
    reached = Number(rows.at(-1)?.position)
  }
}

/** Documents and collections removed after a sequence number of the change log, long enough ago that no search needs them. */
export interface ForgottenSince {
  readonly position: number
  readonly documentIds: readonly number[]
  /** By collection: the sequence number of the last of these documents that was removed. */
  readonly lastOf: ReadonlyMap<number, number>
  readonly collectionIds: readonly number[]
  /** Documents that were removed up to here may have no row any more. */
  readonly clearedPosition: number
  /** There may be more after `position`. */
  readonly isMore: boolean
}

/** The first of them: as many as one step takes. */
export async function readForgotten(
  session: Pick<Session, 'rows'>,
  after: number,
  removedBefore: Date,
): Promise<ForgottenSince> {
  const before = utcTimestamp(removedBefore)
  // The clocks of servers differ: a removal before the sequence number must not be left out for ever.
  const rows = await session.rows(sql<{
    cleared_position: string
    position: string | null
    document: string | null
    collection: number | null
    of_collection: number | null
  }>`
    with removed as (
      (select d.removed_position as position, d.removed_at, d.id as document, null::integer as collection, d.collection_id as of_collection
       from docket_documents.document d where d.removed_position > ${after}
       order by d.removed_position fetch first ${removalsOfLook} rows with ties)
      union all
      (select c.removed_position, c.removed_at, null, c.id, null from docket_documents.collection c
       where c.removed_position > ${after}
       order by c.removed_position fetch first ${removalsOfLook} rows with ties)
      order by position fetch first ${removalsOfLook} rows with ties
    )
    select log.cleared_position, removed.position, removed.document, removed.collection, removed.of_collection
    from docket_documents.change_log log left join removed
      on removed.position < coalesce((select min(position) from removed where removed_at >= ${before}), ${Number.MAX_SAFE_INTEGER}::bigint)`)
  const lastOf = new Map<number, number>()
  for (const { position, of_collection: id } of rows)
    if (id !== null) lastOf.set(id, Math.max(lastOf.get(id) ?? 0, Number(position)))
  return {
    clearedPosition: Number(rows[0]?.cleared_position ?? 0),
    position: rows.reduce((newest, { position }) => Math.max(newest, Number(position ?? 0)), after),
    documentIds: rows.flatMap(({ document }) => (document === null ? [] : Number(document))),
    lastOf,
    collectionIds: rows.flatMap(({ collection }) => collection ?? []),
    isMore: rows.length >= removalsOfLook,
  }
}
