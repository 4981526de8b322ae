import { Readable } from 'node:stream'
import { sql } from 'kysely'
import type { Principal } from '../identity/principal.ts'
import type { Problem } from '../kernel/problem.ts'
import { type Result, refuse, succeed } from '../kernel/result.ts'
import type { DocumentRoom } from './document-room.ts'
import { orUnavailable } from './outside-failure.ts'
import { readText } from './read-content.ts'
import { readableCollections } from './rights/collection-access.ts'
import { visibleDocuments } from './rights/visible-documents.ts'

/** What was loaded, byte by byte; of a text that was loaded as text, the text as it is searched, in UTF-8. */
export interface OriginalFile {
  readonly bytes: Readable
  /** null: not known before it is read. */
  readonly size: number | null
  readonly fileName: string
  readonly mediaType: string
}

export async function readFile(
  room: DocumentRoom,
  principal: Principal,
  collectionName: string,
  docId: string,
): Promise<Result<OriginalFile, Problem>> {
  const readable = await readableCollections(room.database, principal, [collectionName])
  if (!readable.ok) return readable
  const { collections } = readable.value
  const visible = await visibleDocuments(room.readableRecords, principal, collections)
  const [row] = await room.database.rows(sql<{
    id: string
    file_name: string | null
    media_type: string
    size: string
    blob_hash: string | null
  }>`
    select d.id, d.file_name, d.media_type, d.size, encode(d.blob_hash, 'hex') as blob_hash
    from docket_documents.document d
    where d.collection_id = any (${collections.map(({ id }) => id)}::integer[]) and d.doc_id = ${docId}
      and d.removed_position is null and ${visible ?? sql`true`}`)
  if (row === undefined) return refuse({ kind: 'thing-not-found', thing: 'document', name: docId })
  if (row.blob_hash === null) {
    const bytes = Readable.from(readText(room.database, Number(row.id)))
    return succeed({ bytes, size: null, fileName: `${docId}.txt`, mediaType: `${row.media_type}; charset=utf-8` })
  }
  const hash = Buffer.from(row.blob_hash, 'hex')
  const opened = await orUnavailable(async () => succeed(await room.blobs.read(hash)), room.onTrouble)
  if (!opened.ok) return opened
  const bytes = opened.value
  return succeed({ bytes, size: Number(row.size), fileName: row.file_name ?? docId, mediaType: row.media_type })
}
