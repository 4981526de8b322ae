import type { BlobStore } from '../documents/store/blob-store.ts'
import type { FileStoreName, Totals } from './frames.ts'
import type { Sink } from './write-frames.ts'

/** Where the files lie, and where they are put together before they are kept. */
export type FileStores = Readonly<Record<FileStoreName, BlobStore>> & { readonly scratchFolder: string }

export interface BackupOptions {
  readonly connectionString: string
  readonly stores: FileStores
  readonly sink: Sink
  readonly docketVersion: string
  readonly secretKey: string | undefined
  readonly now: Date
  readonly onProgress: (doing: BackupProgress) => void
}

export type BackupProgress =
  | { readonly kind: 'table'; readonly name: string; readonly rows: number; readonly bytes: number }
  | { readonly kind: 'file'; readonly name: string; readonly bytes: number }

/** The totals while they are counted. */
export type Counted = { -readonly [K in keyof Totals]: Totals[K] }
