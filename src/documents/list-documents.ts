import { sql } from 'kysely'
import type { Principal } from '../identity/principal.ts'
import type { Problem } from '../kernel/problem.ts'
import { type Result, succeed } from '../kernel/result.ts'
import type { DocumentRoom } from './document-room.ts'
import { readableCollections } from './rights/collection-access.ts'
import { visibleDocuments } from './rights/visible-documents.ts'

/** What `details=1` tells of a document. */
export interface DocumentDetails {
  readonly docId: string
  readonly title: string | null
  readonly fileName: string | null
  readonly mediaType: string
  readonly language: string | null
  /** Bytes. */
  readonly size: number
  readonly characters: number
  readonly pages: number | null
  readonly chunks: number
  readonly version: number
  /** ISO 8601. */
  readonly loadedAt: string
}

/** doc_ids of a collection that the caller sees, sorted by their bytes. */
export async function listDocumentNames(
  room: DocumentRoom,
  principal: Principal,
  collectionName: string,
): Promise<Result<readonly string[], Problem>> {
  const seen = await seenIn(room, principal, collectionName)
  if (!seen.ok) return seen
  const rows = await room.database.rows(sql<{ doc_id: string }>`
    select d.doc_id from docket_documents.document d where ${seen.value} order by d.doc_id`)
  return succeed(rows.map(({ doc_id }) => doc_id))
}

interface DetailsRow {
  readonly doc_id: string
  readonly title: string | null
  readonly file_name: string | null
  readonly media_type: string
  readonly language: string | null
  readonly size: string
  readonly characters: number
  readonly pages: number | null
  readonly chunk_count: number
  readonly version: number
  readonly loaded_at: string
}

export async function listDocumentDetails(
  room: DocumentRoom,
  principal: Principal,
  collectionName: string,
): Promise<Result<readonly DocumentDetails[], Problem>> {
  const seen = await seenIn(room, principal, collectionName)
  if (!seen.ok) return seen
  const rows = await room.database.rows(sql<DetailsRow>`
    select d.doc_id, d.title, d.file_name, d.media_type, d.language, d.size, d.characters, d.pages, d.chunk_count, d.version,
           to_char(d.loaded_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as loaded_at
    from docket_documents.document d where ${seen.value} order by d.doc_id`)
  return succeed(
    rows.map((row) => ({
      docId: row.doc_id,
      title: row.title,
      fileName: row.file_name,
      mediaType: row.media_type,
      language: row.language,
      size: Number(row.size),
      characters: row.characters,
      pages: row.pages,
      chunks: row.chunk_count,
      version: row.version,
      loadedAt: row.loaded_at,
    })),
  )
}

async function seenIn(room: DocumentRoom, principal: Principal, collectionName: string) {
  const readable = await readableCollections(room.database, principal, [collectionName])
  if (!readable.ok) return readable
  const { collections } = readable.value
  const visible = await visibleDocuments(room.readableRecords, principal, collections)
  const ids = collections.map(({ id }) => id)
  return succeed(
    sql<boolean>`d.collection_id = any (${ids}::integer[]) and d.removed_position is null and ${visible ?? sql`true`}`,
  )
}
