import type { Database } from '../database/database.ts'
import { mayRemoveBlobs } from '../database/keep-blobs.ts'
import type { BlobStore } from '../documents/store/blob-store.ts'
import { sql } from '../kernel/sql.ts'

/** @param hashes SHA-256 in hexadecimal; files that an attachment still names are kept */
export function removeUnusedFiles(database: Database, blobs: BlobStore, hashes: readonly string[]): Promise<void> {
  return database.inTransaction(async (session) => {
    // A backup may be copying them. They stay for the cleanup.
    if (!(await mayRemoveBlobs(session))) return
    // As in clear-attachments.ts, the row is locked and deleted before the bytes.
    const unused = await session.rows<{ readonly hash: string }>(sql`
      delete from docket_system.attachment_blob b
      where encode(b.hash, 'hex') = any(${[...hashes]}::text[])
        and not exists (select from docket.sys_attachment a where a.hash = encode(b.hash, 'hex'))
        and not exists (select from docket_system.history_export e where e.hash = b.hash and e.path is null)
      returning encode(b.hash, 'hex') as hash`)
    for (const { hash } of unused) await blobs.remove(Buffer.from(hash, 'hex'))
  })
}
