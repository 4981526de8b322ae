import { mkdir } from 'node:fs/promises'
import { documentFolders } from '../documents/document-folders.ts'
import { openBlobStore } from '../documents/store/open-blob-store.ts'
import type { S3Options } from '../documents/store/s3-blob-store.ts'
import type { Clock } from '../kernel/clock.ts'
import type { RecordDeps } from '../records/record-deps.ts'
import type { AttachmentServiceDeps } from './attachment-deps.ts'
import type { AttachmentStore } from './keep-files.ts'

export interface AttachmentOptions extends AttachmentPlaces {
  readonly records: RecordDeps
  readonly maxBytes: number
  readonly onError: (error: unknown) => void
}

export interface AttachmentPlaces {
  readonly dataDir: string
  /** null: files are stored in `dataDir`. */
  readonly objectStore: S3Options | null
  readonly clock: Clock
}

export async function openAttachments(options: AttachmentOptions): Promise<AttachmentServiceDeps> {
  const { records, maxBytes, onError } = options
  const { blobs, scratchFolder } = await openAttachmentStore(options)
  return { records, blobs, scratchFolder, maxBytes, onError }
}

/** Separate from the files of documents, because different rows decide which files are still in use. */
export async function openAttachmentStore({ dataDir, objectStore, clock }: AttachmentPlaces): Promise<AttachmentStore> {
  const { attachmentFolder: fileFolder, uploadFolder: scratchFolder } = documentFolders(dataDir)
  await mkdir(fileFolder, { recursive: true })
  const blobs = openBlobStore({
    objectStore: objectStore === null ? null : { ...objectStore, prefix: `${objectStore.prefix}attachments/` },
    fileFolder,
    scratchFolder,
    clock,
  })
  return { blobs, scratchFolder }
}
