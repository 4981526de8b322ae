import type { ReadableRecords } from '../acl/readable-records.ts'
import type { Database } from '../database/database.ts'
import type { CallerVectors, Embeddings } from '../embeddings/open-embeddings.ts'
import type { RerankAddress } from '../embeddings/rerank-texts.ts'
import type { ExtractionLimits } from '../extraction/extraction-limits.ts'
import type { ExtractorPool } from '../extraction/process/extractor-pool.ts'
import type { Clock } from '../kernel/clock.ts'
import type { VisibleStates } from './rights/visible-state.ts'
import type { BlobStore } from './store/blob-store.ts'
import type { FileStores } from './store/file-stores.ts'
import type { LexicalIndex } from './sync/lexical-index.ts'

/** What document requests need. Made once, by the app. */
export interface DocumentDeps {
  readonly database: Database
  readonly index: LexicalIndex
  readonly blobs: BlobStore
  readonly fileStores: FileStores
  readonly extractor: ExtractorPool
  readonly extractionLimits: ExtractionLimits
  readonly readableRecords: ReadableRecords
  readonly visibleStates: VisibleStates
  /** null: no embeddings address is configured, and searches are by words. */
  readonly embeddings: Embeddings | null
  /** All models of the configuration, by the names that collections choose them by. */
  readonly models: ReadonlyMap<string, Embeddings>
  readonly givenVectors: CallerVectors
  readonly reranker: RerankAddress | null
  readonly clock: Clock
  /** How long a search waits for what other processes loaded; null: as long as it takes. */
  readonly searchWaitMs: () => Promise<number | null>
  /** Is told of what failed and will be tried again, by us or by the caller. */
  readonly onError: (error: unknown) => void
}
