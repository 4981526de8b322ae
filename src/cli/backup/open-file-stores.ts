import { mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { openAttachmentStore } from '../../attachments/open-attachments.ts'
import type { FileStores } from '../../backup/backup-options.ts'
import { objectStoreOf } from '../../config/object-store-of.ts'
import type { Settings } from '../../config/settings.ts'
import { documentFolders } from '../../documents/document-folders.ts'
import { openBlobStore } from '../../documents/store/open-blob-store.ts'
import { systemClock } from '../../kernel/clock.ts'

/** Where a server with these settings keeps the files of records and documents. */
export async function openFileStores(settings: Settings): Promise<FileStores> {
  const dataDir = resolve(settings.dataDir)
  const objectStore = objectStoreOf(settings)
  const { fileFolder } = documentFolders(dataDir)
  if (objectStore === null) await mkdir(fileFolder, { recursive: true, mode: 0o700 })
  const { blobs, scratchFolder } = await openAttachmentStore({ dataDir, objectStore, clock: systemClock })
  return {
    documents: openBlobStore({ objectStore, fileFolder, scratchFolder, clock: systemClock }),
    attachments: blobs,
    scratchFolder,
  }
}
