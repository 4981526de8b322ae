import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Session } from '../../database/database.ts'
import { utcTimestamp } from '../../database/utc-timestamp.ts'
import type { Flag } from '../../extraction/extracted-text.ts'
import { termsMadeAs } from '../../search-engine/segments/packed-terms.ts'
import type { Chunk } from '../chunk/chunk-text.ts'
import type { FilterValues, Metadata } from '../filter/filter-values.ts'
import { bytesOf } from './kept-terms.ts'

/** A version of a document that is ready to become the current one. */
export interface NewDocument {
  readonly id: number
  readonly collectionId: number
  readonly docId: string
  readonly metadata: Metadata
  readonly filterValues: FilterValues
  readonly recordId: string | null
  readonly title: string | null
  readonly fileName: string | null
  readonly mediaType: string
  readonly language: string | null
  readonly size: number
  readonly characters: number
  readonly pages: number | null
  readonly flags: readonly Flag[]
  readonly contentHash: Buffer
  readonly blobHash: Buffer | null
  /** Given with the text, which is then one chunk. */
  readonly vector: Float32Array | null
  /** Label of the encoding that the caller named. */
  readonly charset: string | null
  /** The `cutSignature` of its sizes. */
  readonly cutAs: string
  readonly loadedAt: Date
  readonly loadedBy: string
  readonly text: string
  readonly chunks: readonly Chunk[]
  /** Packed terms; null: the first process that indexes the text computes them. */
  readonly terms: Uint8Array | null
  /** Ids of versions that this one replaces, besides the one of its doc_id. */
  readonly replaces: readonly number[]
}

export type Published =
  | {
      readonly result: 'created' | 'replaced' | 'unchanged'
      readonly documentId: number
      readonly version: number
      /** Sequence number of the change log of a state with the document. */
      readonly sequence: number
    }
  | { readonly result: 'collection-gone' }

export function vectorHash(vector: Float32Array): Buffer {
  return createHash('sha256')
    .update(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength))
    .digest()
}

/** Chunks per insert statement. */
const chunksOfStatement = 2_000

/** Writes the chunks, then switches to the new version in the last statement. Run it in a transaction. */
export async function publishDocument(session: Session, document: NewDocument): Promise<Published> {
  const [published] = await publishDocuments(session, [document])
  return published ?? { result: 'collection-gone' }
}

/** The same for several documents, in their order. */
export async function publishDocuments(
  session: Session,
  documents: readonly NewDocument[],
): Promise<readonly Published[]> {
  await writeTexts(session, documents)
  const rows = await session.rows(publishing(documents))
  // A version that was not published leaves no chunks behind.
  const unneeded = documents.filter((_, at) => !isNew(rows[at])).map(({ id }) => id)
  if (unneeded.length > 0) await deleteTexts(session, unneeded)
  return rows.map((row) =>
    row.result === 'collection-gone'
      ? { result: 'collection-gone' }
      : {
          result: row.result,
          documentId: Number(row.document_id),
          version: row.document_version,
          sequence: Number(row.reached),
        },
  )
}

const isNew = (row: PublishedRow | undefined): boolean => row?.result === 'created' || row?.result === 'replaced'

interface ChunkRow {
  readonly documentId: number
  readonly chunk: Chunk
  readonly text: string
}

function chunkRowsOf({ id, text, chunks }: NewDocument): readonly ChunkRow[] {
  return chunks.map((chunk) => ({
    documentId: id,
    chunk,
    text: text.slice(chunk.from, chunk.to),
  }))
}

/** Writes chunks, and the terms with the first of them. */
async function writeTexts(session: Session, documents: readonly NewDocument[]): Promise<void> {
  const chunks = documents.flatMap(chunkRowsOf)
  for (let from = 0; from < chunks.length; from += chunksOfStatement)
    await writeChunks(session, chunks.slice(from, from + chunksOfStatement), from === 0 ? documents : [])
}

/** Deletes the chunks of versions that nobody can request. */
export async function deleteTexts(session: Session, documentIds: readonly (number | string)[]): Promise<void> {
  await session.rows(sql`
    with terms as (delete from docket_documents.document_terms where document_id = any (${documentIds}::bigint[]))
    delete from docket_documents.chunk where document_id = any (${documentIds}::bigint[])`)
}

async function writeChunks(
  session: Session,
  rows: readonly ChunkRow[],
  documents: readonly NewDocument[],
): Promise<void> {
  const kept = documents.flatMap(({ id, terms }) => (terms === null ? [] : { documentId: id, bytes: terms }))
  await session.rows(sql`
    with kept as (
      insert into docket_documents.document_terms (document_id, made_as, terms)
      select k.document_id, ${termsMadeAs}, k.terms
      from unnest(${kept.map(({ documentId }) => documentId)}::bigint[], ${kept.map(bytesOf)}::bytea[]) as k (document_id, terms)
    )
    insert into docket_documents.chunk (document_id, chunk_index, from_unit, to_unit, page, page_to, heading_path, text, repeated)
    select c.document_id, c.chunk_index, c.from_unit, c.to_unit, c.page, c.page_to,
           array(select jsonb_array_elements_text(c.heading_path)), c.text, c.repeated
    from unnest(
      ${rows.map(({ documentId }) => documentId)}::bigint[],
      ${rows.map(({ chunk }) => chunk.index)}::integer[],
      ${rows.map(({ chunk }) => chunk.from)}::integer[],
      ${rows.map(({ chunk }) => chunk.to)}::integer[],
      ${rows.map(({ chunk }) => chunk.page ?? null)}::integer[],
      ${rows.map(({ chunk }) => chunk.pageTo ?? null)}::integer[],
      ${rows.map(({ chunk }) => JSON.stringify(chunk.headingPath))}::jsonb[],
      ${rows.map(({ text }) => text)}::text[],
      ${rows.map(({ chunk }) => chunk.repeated ?? null)}::text[]
    ) as c (document_id, chunk_index, from_unit, to_unit, page, page_to, heading_path, text, repeated)`)
}

interface PublishedRow {
  readonly result: 'created' | 'replaced' | 'unchanged' | 'collection-gone'
  readonly document_id: string
  readonly document_version: number
  readonly reached: string
}

function publishing(documents: readonly NewDocument[]) {
  return sql<PublishedRow>`
    select p.result, p.document_id, p.document_version, p.reached
    from jsonb_array_elements(${JSON.stringify(documents.map(documentRowOf))}::jsonb) with ordinality as new (row, place)
    cross join lateral docket_documents.publish(
      jsonb_populate_record(null::docket_documents.document, new.row),
      array(select jsonb_array_elements_text(new.row -> 'replaces')::bigint)) p
    order by new.place`
}

function documentRowOf(document: NewDocument) {
  return {
    id: document.id,
    collection_id: document.collectionId,
    doc_id: document.docId,
    metadata: document.metadata,
    filter_values: document.filterValues,
    record_id: document.recordId,
    title: document.title,
    file_name: document.fileName,
    media_type: document.mediaType,
    language: document.language,
    size: document.size,
    characters: document.characters,
    pages: document.pages,
    chunk_count: document.chunks.length,
    flags: document.flags,
    content_hash: `\\x${document.contentHash.toString('hex')}`,
    blob_hash: document.blobHash === null ? null : `\\x${document.blobHash.toString('hex')}`,
    vector_hash: document.vector === null ? null : `\\x${vectorHash(document.vector).toString('hex')}`,
    charset: document.charset,
    cut_as: document.cutAs,
    loaded_at: utcTimestamp(document.loadedAt),
    loaded_by: document.loadedBy,
    replaces: document.replaces,
  }
}

/**
 * Replaces the chunks of a document; it stays the same version. Run it in a transaction.
 *
 * @param before id of the version whose chunks are replaced
 * @returns false, and nothing is written, when that version does not exist any more
 */
export async function replaceChunks(session: Session, document: NewDocument, before: number): Promise<boolean> {
  await writeTexts(session, [document])
  const [row] = await session.rows(sql<{ done: boolean }>`
    select docket_documents.replace_chunks(
      jsonb_populate_record(null::docket_documents.document, ${JSON.stringify(documentRowOf(document))}::jsonb),
      ${before}::bigint) as done`)
  if (row?.done === true) return true
  await deleteTexts(session, [document.id])
  return false
}
