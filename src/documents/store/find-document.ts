import { sql } from 'kysely'
import type { Session } from '../../database/database.ts'
import type { Flag } from '../../extraction/extracted-text.ts'
import type { Metadata } from '../filter/filter-values.ts'

/** The current version of a document. */
export interface StoredDocument {
  readonly id: number
  readonly docId: string
  readonly version: number
  /** Sequence number of the change log. */
  readonly addedSequence: number
  readonly metadata: Metadata
  readonly title: string | null
  readonly fileName: string | null
  readonly mediaType: string
  readonly language: string | null
  readonly size: number
  readonly characters: number
  readonly pages: number | null
  readonly chunkCount: number
  readonly flags: readonly Flag[]
  readonly contentHash: Buffer
  readonly blobHash: Buffer | null
  readonly vectorHash: Buffer | null
}

interface DocumentRow {
  readonly id: string
  readonly doc_id: string
  readonly version: number
  readonly added_position: string
  readonly metadata: Metadata
  readonly title: string | null
  readonly file_name: string | null
  readonly media_type: string
  readonly language: string | null
  readonly size: string
  readonly characters: number
  readonly pages: number | null
  readonly chunk_count: number
  readonly flags: readonly Flag[]
  readonly content_hash: string
  readonly blob_hash: string | null
  readonly vector_hash: string | null
}

export async function findDocument(
  session: Session,
  collectionId: number,
  docId: string,
): Promise<StoredDocument | undefined> {
  const [row] = await session.rows(sql<DocumentRow>`
    select d.id, d.doc_id, d.version, d.added_position, d.metadata, d.title, d.file_name, d.media_type, d.language, d.size, d.characters,
           d.pages, d.chunk_count, d.flags, encode(d.content_hash, 'hex') as content_hash, encode(d.blob_hash, 'hex') as blob_hash,
           encode(d.vector_hash, 'hex') as vector_hash
    from docket_documents.document d
    where d.collection_id = ${collectionId} and d.doc_id = ${docId} and d.removed_position is null`)
  if (row === undefined) return undefined
  return {
    id: Number(row.id),
    docId: row.doc_id,
    version: row.version,
    addedSequence: Number(row.added_position),
    metadata: row.metadata,
    title: row.title,
    fileName: row.file_name,
    mediaType: row.media_type,
    language: row.language,
    size: Number(row.size),
    characters: row.characters,
    pages: row.pages,
    chunkCount: row.chunk_count,
    flags: row.flags,
    contentHash: Buffer.from(row.content_hash, 'hex'),
    blobHash: row.blob_hash === null ? null : Buffer.from(row.blob_hash, 'hex'),
    vectorHash: row.vector_hash === null ? null : Buffer.from(row.vector_hash, 'hex'),
  }
}

/** Ids are reserved before the rows are written, because the index is built from them meanwhile. */
export async function nextDocumentIds(session: Session, count: number): Promise<readonly number[]> {
  const rows = await session.rows(sql<{ id: string }>`
    select nextval('docket_documents.document_id') as id from generate_series(1, ${count}::integer)`)
  return rows.map(({ id }) => Number(id))
}

export async function nextDocumentId(session: Session): Promise<number> {
  const [id] = await nextDocumentIds(session, 1)
  if (id === undefined) throw new Error('the database gave no id')
  return id
}
