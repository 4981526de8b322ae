import { Readable } from 'node:stream'
import type { Database } from '../database/database.ts'
import { type BlobStore, dropFile, receiveFile } from '../documents/store/blob-store.ts'
import { sql } from '../kernel/sql.ts'
import { utc } from './attachment-deps.ts'

/** Where the bytes of attachments are stored. */
export interface AttachmentStore {
  readonly blobs: BlobStore
  /** Where files are stored until they are kept. */
  readonly scratchFolder: string
}

export interface FileToKeep {
  readonly bytes: Buffer
  /** SHA-256 of the bytes. */
  readonly hash: Buffer
}

/** Flushes of these files to the disk are combined. */
const filesAtOnce = 8

/**
 * Durably stores built-in files before rows of sys_attachment name them. They are registered like uploaded files, so that the
 * files of a failed start are removed later.
 *
 * @param database not the transaction that writes the rows: the names must remain if that transaction fails
 */
export async function keepFiles(
  database: Database,
  { blobs, scratchFolder }: AttachmentStore,
  files: readonly FileToKeep[],
  now: Date,
): Promise<void> {
  const unique = [...new Map(files.map((file) => [file.hash.toString('hex'), file])).values()]
  await database.rows(sql`
    insert into docket_system.attachment_blob (hash, size, touched_at)
    select f.hash, f.size, ${utc(now.getTime())}::timestamp
    from unnest(${unique.map(({ hash }) => hash)}::bytea[], ${unique.map(({ bytes }) => bytes.length)}::bigint[]) as f (hash, size)
    on conflict (hash) do update set touched_at = excluded.touched_at`)
  for (let from = 0; from < unique.length; from += filesAtOnce) {
    await Promise.all(
      unique.slice(from, from + filesAtOnce).map(async ({ bytes }) => {
        const received = await receiveFile(Readable.from([bytes]), scratchFolder, bytes.length)
        try {
          await blobs.keep(received)
        } finally {
          await dropFile(received)
        }
      }),
    )
  }
}
