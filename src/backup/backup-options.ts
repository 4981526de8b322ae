import type { BlobStore } from '../documents/store/blob-store.ts'
import type { FileStoreName, Totals } from './frames.ts'
import type { Sink } from './write-frames.ts'

/** Where files are stored, and where they are assembled before they are stored. */
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

/** Totals so far. */
export type Counted = { -readonly [K in keyof Totals]: Totals[K] }
