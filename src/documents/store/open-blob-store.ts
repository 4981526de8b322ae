import type { Clock } from '../../kernel/clock.ts'
import { type BlobStore, diskBlobStore } from './blob-store.ts'
import { type S3Options, s3BlobStore } from './s3-blob-store.ts'

export interface BlobPlaces {
  /** null: files are stored in `fileFolder`. */
  readonly objectStore: S3Options | null
  readonly fileFolder: string
  /** Folder for files of an object store while they are read. */
  readonly scratchFolder: string
  readonly clock: Clock
}

export function openBlobStore({ objectStore, fileFolder, ...rest }: BlobPlaces): BlobStore {
  return objectStore === null ? diskBlobStore(fileFolder) : s3BlobStore({ ...objectStore, ...rest })
}
