import { Readable } from 'node:stream'
import type { Principal } from '../identity/principal.ts'
import type { Problem } from '../kernel/problem.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'
import { sql } from '../kernel/sql.ts'
import type { DocumentDeps } from './document-deps.ts'
import { openStoredFile } from './open-stored-file.ts'
import { readText } from './read-content.ts'
import { readableCollections } from './rights/collection-access.ts'
import { visibleDocuments } from './rights/visible-documents.ts'
import type { BlobPart } from './store/blob-store.ts'

/** The loaded bytes; for a text that was loaded as text, the searched text in UTF-8. */
export interface OriginalFile {
  /** null for a text: neither is known before it is read, and ranges of it are not supported. */
  readonly content: { readonly size: number; readonly sha256: string } | null
  /** @returns an error when the store does not respond */
  open(part: BlobPart | null): Promise<Result<Readable, Problem>>
  readonly fileName: string
  readonly mediaType: string
}

export async function readFile(
  deps: DocumentDeps,
  principal: Principal,
  collectionName: string,
  docId: string,
): Promise<Result<OriginalFile, Problem>> {
  const readable = await readableCollections(deps.database, principal, [collectionName])
  if (!readable.ok) return readable
  const { collections } = readable.value
  const visible = await visibleDocuments(deps.readableRecords, principal, collections)
  const [row] = await deps.database.rows(sql<{
    id: string
    file_name: string | null
    media_type: string
    size: string
    blob_hash: string | null
    chunk_count: number
  }>`
    select d.id, d.file_name, d.media_type, d.size, encode(d.blob_hash, 'hex') as blob_hash, d.chunk_count
    from docket_documents.document d
    where d.collection_id = any (${collections.map(({ id }) => id)}::integer[]) and d.doc_id = ${docId}
      and d.removed_position is null and ${visible ?? sql`true`}`)
  if (row === undefined) return fail({ kind: 'thing-not-found', thing: 'document', name: docId })
  if (row.blob_hash === null) {
    const stored = { id: Number(row.id), chunks: row.chunk_count }
    const open = async () => succeed(Readable.from(readText(deps.database, stored)))
    return succeed({ content: null, open, fileName: `${docId}.txt`, mediaType: `${row.media_type}; charset=utf-8` })
  }
  const sha256 = row.blob_hash
  return succeed({
    content: { size: Number(row.size), sha256 },
    open: (part) => openStoredFile(deps, { sha256, fileName: row.file_name ?? docId }, part),
    fileName: row.file_name ?? docId,
    mediaType: row.media_type,
  })
}
