import type { Database } from '../../database/database.ts'
import { mayRemoveBlobs } from '../../database/keep-blobs.ts'
import { utcTimestamp } from '../../database/utc-timestamp.ts'
import { sql } from '../../kernel/sql.ts'
import type { BlobStore, ReceivedFile } from './blob-store.ts'

/** Inserts the row of the file, then stores its bytes: every file has a row by which cleanup finds it. */
export async function keepBlob(database: Database, blobs: BlobStore, file: ReceivedFile, now: Date): Promise<void> {
  await database.rows(sql`
    insert into docket_documents.blob (hash, size, touched_at) values (${file.hash}, ${file.size}, ${utcTimestamp(now)})
    on conflict (hash) do update set touched_at = excluded.touched_at`)
  await blobs.keep(file)
}

/** Blobs per round. */
const blobsOfTurn = 100

/**
 * Removes files that no document, no load and no manifest of segments refers to any more.
 *
 * The row is locked and deleted before the file. A load that stores the same file meanwhile waits for the row and then
 * writes the file again.
 *
 * @param untouchedSince files with later changes may belong to a load in progress
 */
export async function clearBlobs(database: Database, blobs: BlobStore, untouchedSince: Date): Promise<number> {
  return database.inTransaction(async (session) => {
    if (!(await mayRemoveBlobs(session))) return 0
    const rows = await session.rows(sql<{ hash: string }>`
      delete from docket_documents.blob b where b.hash in (
        select o.hash from docket_documents.blob o
        where o.touched_at < ${utcTimestamp(untouchedSince)}
          and not exists (select from docket_documents.document d where d.blob_hash = o.hash)
          and not exists (select from docket_documents.load l where l.blob_hash = o.hash)
          and not exists (select from docket_documents.segment s where s.hash = o.hash)
        limit ${blobsOfTurn} for update skip locked)
      returning encode(b.hash, 'hex') as hash`)
    for (const { hash } of rows) await blobs.remove(Buffer.from(hash, 'hex'))
    return rows.length
  })
}
