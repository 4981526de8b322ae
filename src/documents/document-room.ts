import type { Database } from '../database/database.ts'
import type { Clock } from '../kernel/clock.ts'
import type { ExtractionLimits } from './extract/extraction-limits.ts'
import type { ExtractorPool } from './extract/extractor-pool.ts'
import type { LexicalIndex } from './index/lexical-index.ts'
import type { ReadableRecords } from './rights/visible-documents.ts'
import type { BlobStore } from './store/blob-store.ts'

/** What document requests need. Made once, by the app. */
export interface DocumentRoom {
  readonly database: Database
  readonly index: LexicalIndex
  readonly blobs: BlobStore
  readonly extractor: ExtractorPool
  readonly extractionLimits: ExtractionLimits
  readonly readableRecords: ReadableRecords
  readonly clock: Clock
  /** Is told of what failed and will be tried again, by us or by the caller. */
  readonly onTrouble: (error: unknown) => void
}
