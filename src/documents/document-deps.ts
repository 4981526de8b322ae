import type { ReadableRecords } from '../acl/readable-records.ts'
import type { Database } from '../database/database.ts'
import type { CallerVectors, Embeddings } from '../embeddings/open-embeddings.ts'
import type { RerankAddress } from '../embeddings/rerank-texts.ts'
import type { ExtractionLimits } from '../extraction/extraction-limits.ts'
import type { ExtractorPool } from '../extraction/process/extractor-pool.ts'
import type { Clock } from '../kernel/clock.ts'
import type { FilterSets } from './rank/filter-sets.ts'
import type { RareFilters } from './rank/rare-filters.ts'
import type { VisibleStates } from './rights/visible-state.ts'
import type { BlobStore } from './store/blob-store.ts'
import type { ExpectedCollections } from './store/expected-collections.ts'
import type { FileStores } from './store/file-stores.ts'
import type { LexicalIndex } from './sync/lexical-index.ts'

/** The dependencies of document requests. The app creates them once. */
export interface DocumentDeps {
  readonly database: Database
  readonly index: LexicalIndex
  readonly blobs: BlobStore
  readonly fileStores: FileStores
  readonly extractor: ExtractorPool
  readonly extractionLimits: ExtractionLimits
  readonly readableRecords: ReadableRecords
  readonly expectedCollections: ExpectedCollections
  readonly visibleStates: VisibleStates
  readonly filterSets: FilterSets
  readonly rareFilters: RareFilters
  /** null: no embeddings address is configured, and searches are lexical. */
  readonly embeddings: Embeddings | null
  /** All configured models, by the names by which collections choose them. */
  readonly models: ReadonlyMap<string, Embeddings>
  readonly givenVectors: CallerVectors
  readonly reranker: RerankAddress | null
  readonly clock: Clock
  /** How long a search waits for changes of other processes; null: without a limit. */
  readonly searchWaitMs: () => Promise<number | null>
  /** Receives errors that are retried later, by us or by the caller. */
  readonly onError: (error: unknown) => void
}
