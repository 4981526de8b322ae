import { sql } from 'kysely'
import type { Session } from '../../database/database.ts'
import type { Chunk } from '../chunk/chunk-text.ts'
import type { Flag } from '../extract/extracted-text.ts'
import type { FilterValues, Metadata } from '../filter/filter-values.ts'
import { momentOf } from './collections.ts'

/** A version of a document that is ready to be the one that is there. */
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
  readonly loadedAt: Date
  readonly loadedBy: string
  readonly text: string
  readonly chunks: readonly Chunk[]
  /** One for each chunk; null without a provider. */
  readonly embeddings: readonly Buffer[] | null
}

export type Published =
  | { readonly result: 'created' | 'replaced' | 'unchanged'; readonly documentId: number; readonly version: number }
  | { readonly result: 'collection-gone' }

/** Chunks that one statement writes. */
const chunksOfStatement = 2_000

/** Writes the chunks, then switches to the new version in the transaction's last statement. Run it in a transaction. */
export async function publishDocument(session: Session, document: NewDocument): Promise<Published> {
  for (let from = 0; from < document.chunks.length; from += chunksOfStatement)
    await writeChunks(session, document, from, Math.min(from + chunksOfStatement, document.chunks.length))
  const [row] = await session.rows(publishing(document))
  // A version that did not come to be leaves no chunks behind.
  if (row?.result === 'collection-gone' || row?.result === 'unchanged')
    await session.rows(sql`delete from docket_documents.chunk where document_id = ${document.id}`)
  if (row === undefined || row.result === 'collection-gone') return { result: 'collection-gone' }
  return { result: row.result, documentId: Number(row.document_id), version: row.document_version }
}

async function writeChunks(session: Session, document: NewDocument, from: number, to: number): Promise<void> {
  const chunks = document.chunks.slice(from, to)
  await session.rows(sql`
    insert into docket_documents.chunk (document_id, chunk_index, from_unit, to_unit, page, heading_path, text, embedding)
    select ${document.id}, c.chunk_index, c.from_unit, c.to_unit, c.page,
           array(select jsonb_array_elements_text(c.heading_path)), c.text, c.embedding
    from unnest(
      ${chunks.map(({ index }) => index)}::integer[],
      ${chunks.map((chunk) => chunk.from)}::integer[],
      ${chunks.map((chunk) => chunk.to)}::integer[],
      ${chunks.map(({ page }) => page ?? null)}::integer[],
      ${chunks.map(({ headingPath }) => JSON.stringify(headingPath))}::jsonb[],
      ${chunks.map((chunk) => document.text.slice(chunk.from, chunk.to))}::text[],
      ${chunks.map((_, at) => document.embeddings?.[from + at] ?? null)}::bytea[]
    ) as c (chunk_index, from_unit, to_unit, page, heading_path, text, embedding)`)
}

interface PublishedRow {
  readonly result: 'created' | 'replaced' | 'unchanged' | 'collection-gone'
  readonly document_id: string
  readonly document_version: number
}

function publishing(document: NewDocument) {
  const row = {
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
    loaded_at: momentOf(document.loadedAt),
    loaded_by: document.loadedBy,
  }
  return sql<PublishedRow>`
    select p.result, p.document_id, p.document_version
    from docket_documents.publish(
      jsonb_populate_record(null::docket_documents.document, ${JSON.stringify(row)}::jsonb)) p`
}
