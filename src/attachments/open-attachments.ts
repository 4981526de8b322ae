import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { openBlobStore } from '../documents/store/open-blob-store.ts'
import type { S3Options } from '../documents/store/s3-blob-store.ts'
import type { RecordRoom } from '../records/record-room.ts'
import type { AttachmentRoom } from './attachment-room.ts'

export interface AttachmentOptions {
  readonly records: RecordRoom
  readonly dataDir: string
  /** null: files lie below `dataDir`. */
  readonly objectStore: S3Options | null
  readonly scratchFolder: string
  readonly maxBytes: number
  readonly onTrouble: (error: unknown) => void
}

/** Beside the files of documents, not among them: each is cleared away by what names it. */
export async function openAttachments(options: AttachmentOptions): Promise<AttachmentRoom> {
  const { records, dataDir, objectStore, scratchFolder, maxBytes, onTrouble } = options
  const fileFolder = join(dataDir, 'attachments')
  await mkdir(fileFolder, { recursive: true })
  const blobs = openBlobStore({
    objectStore: objectStore === null ? null : { ...objectStore, prefix: `${objectStore.prefix}attachments/` },
    fileFolder,
    scratchFolder,
    clock: records.clock,
  })
  return { records, blobs, maxBytes, onTrouble }
}
