import type { BlobStore } from '../documents/store/blob-store.ts'
import type { RecordDeps } from '../records/record-deps.ts'

export interface AttachmentServiceDeps {
  readonly records: RecordDeps
  readonly blobs: BlobStore
  /** Where files are stored until they are kept. */
  readonly scratchFolder: string
  /** Per file. */
  readonly maxBytes: number
  /** Called with errors of the file store. */
  readonly onError: (error: unknown) => void
}

/** A row of sys_attachment. */
export interface Attachment {
  readonly sysId: string
  readonly fileName: string
  /** Name of the record's own class. */
  readonly table: string
  readonly recordId: string
  readonly mediaType: string
  /** Bytes. */
  readonly size: number
  /** SHA-256, in hexadecimal. */
  readonly hash: string
}

export const utc = (ms: number): string => new Date(ms).toISOString().slice(0, 23)
