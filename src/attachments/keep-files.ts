import { Readable } from 'node:stream'
import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import { type BlobStore, dropFile, receiveFile } from '../documents/store/blob-store.ts'
import { utc } from './attachment-deps.ts'

/** Where the bytes of attachments lie. */
export interface AttachmentStore {
  readonly blobs: BlobStore
  /** Where files lie until they are kept. */
  readonly scratchFolder: string
}

export interface FileToKeep {
  readonly bytes: Buffer
  /** SHA-256 of the bytes. */
  readonly hash: Buffer
}

/** Their flushes to the disk go together. */
const filesAtOnce = 8

/**
 * Keeps files that Docket brings along, durably, before rows of sys_attachment name them. They are named as uploaded ones
 * are, so that those of a start that failed are cleared away.
 *
 * @param database not the transaction that the rows are written in: the names must stay when that fails
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
