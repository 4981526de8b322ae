import type { Database } from '../../database/database.ts'
import type { FileProblem } from '../../extraction/rejection.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { BuildProgress } from '../../kernel/index-building.ts'
import type { IndexProgress } from '../../kernel/progress.ts'
import type { Result } from '../../kernel/result.ts'
import type { startThread } from '../../processes/worker-thread.ts'
import type { TablePlace } from '../../search-engine/lancedb/connect-lance.ts'
import type { PackedRanking } from '../../search-engine/ranking/pack-ranking.ts'
import type { QueryTerm } from '../../search-engine/ranking/query-term.ts'
import type { RankOptions } from '../../search-engine/ranking/rank-chunks.ts'
import type { ExportedSegments, ExportPlace, MoveProgress } from '../../search-engine/search-engine.ts'
import type { VisibleIds } from '../../search-engine/segments/index-change.ts'
import type { CollectionSize, CollectionTables } from '../../search-engine/segments/writer-index.ts'
import type { PreparedText, TextToIndex } from './index-texts.ts'
import type { MoveWork } from './move-segments.ts'
import type { SegmentStore } from './stored-segments.ts'
import type { IndexCheck } from './verify-index.ts'

/**
 * The lexical index: this process's copy, or that of the search process of this machine (`shared-index/remote-index.ts`). It follows the database's change log; every search gives the sequence
 * number that it needs.
 */
export interface LexicalIndex {
  /**
   * While `work` runs, every state of the index that the database can name stays searchable. Therefore read the
   * sequence number from the database inside `work`.
   */
  withSnapshot<T>(work: (view: IndexView) => Promise<T>): Promise<T>
  /** Splits a text and computes its terms, off this thread. */
  prepare(text: TextToIndex): Promise<Result<PreparedText, FileProblem>>
  /**
   * The segment that `prepare` built for a document that is now published: it need not be built again when the change
   * is followed.
   */
  offer(documentId: number, prepared: Pick<PreparedText, 'buffer'>): void
  /** Sequence number of the change log of a state that can be searched. */
  position(): number
  /** Resolves when everything committed before this call can be searched. */
  refresh(): Promise<void>
  /** Resolves when every collection can be searched: until then searches of the others throw `IndexBuilding`. */
  whenReady(): Promise<void>
  /** null: every collection can be searched. */
  buildProgress(): BuildProgress | null
  counts(): Promise<IndexCounts>
  /** Compares what searches find with the database, document by document and term by term; searches continue meanwhile. */
  verify(onProgress?: (progress: IndexProgress) => void): Promise<IndexCheck>
  /**
   * Rebuilds the index of a collection (null: of each in turn) from the database while the old index serves searches,
   * and saves it in the folder. For every process at once use `requestReindex`.
   */
  rebuild(collectionId: number | null, onProgress?: (progress: IndexProgress) => void): Promise<void>
  /** Of the collections that this index contains. */
  sizes(): Promise<readonly CollectionSize[]>
  /** Tables of LanceDB with postings of this index. */
  tables(): Promise<readonly CollectionTables[]>
  /** One step at a time: builds and merges wait meanwhile. */
  moveSegments(work: MoveWork): Promise<MoveProgress>
  /**
   * Writes the segments of a collection into files that the caller removes.
   *
   * @returns null: the collection is being built or rebuilt
   */
  exportSegments(place: IndexExport): Promise<ExportedIndex | null>
  close(): Promise<void>
}

export interface IndexExport extends Omit<ExportPlace, 'savedFolder'> {
  /** Whether files of the saved index may be linked instead of written again. */
  readonly mayLink: boolean
}

export interface ExportedIndex extends ExportedSegments {
  /** The history of the database to which the sequence number belongs. */
  readonly historyId: string
}

export interface IndexView {
  /**
   * Waits until a state can be searched.
   *
   * @param waitMs is called only if waiting is necessary; null: waits without a limit
   * @returns the sequence number to search: an earlier one after a timeout
   * @throws IndexBuilding when a collection is not in the index yet
   */
  reach(sequence: number, collectionIds: readonly number[], waitMs: () => Promise<number | null>): Promise<number>
  /**
   * The best chunks of the state at a sequence number of the change log (`unpackRanking`).
   *
   * @throws IndexBuilding when a collection is not in the index yet
   */
  search(position: number, search: IndexSearch): Promise<PackedRanking>
}

export interface IndexSearch {
  readonly collectionIds: readonly number[]
  readonly terms: readonly QueryTerm[]
  readonly options: RankOptions
  /** Absent: every document of the collections is visible to this search. */
  readonly visible?: VisibleIds
}

export interface IndexCounts {
  readonly position: number
  readonly segments: number
  readonly documents: number
  readonly chunks: number
  readonly bytes: number
}

export interface LexicalIndexOptions {
  readonly database: Database
  /** Folder of the saved index; null: it is built from the database at each start. */
  readonly folder: string | null
  /** Where other processes write segments; null or absent: collections are built from the database. */
  readonly segments?: SegmentStore | null
  /** Tables of LanceDB; null or absent: all postings are in memory. */
  readonly tables?: TablePlace | null
  readonly clock: Clock
  /** Threads that search; absent: one. */
  readonly searchThreads?: number
  readonly onError: (error: unknown) => void
  /** Receives the progress of a rebuild that the change log requested. */
  readonly onRebuild?: (progress: IndexProgress) => void
  /** For tests that end the threads which they started. */
  readonly startThread?: typeof startThread
}

/** The state that a search needs, and how long it waits for it. */
export interface ReachOptions {
  readonly sequence: number
  readonly collectionIds: readonly number[]
  /** The state that can be searched in any case. */
  readonly from: number
  readonly waitMs: () => Promise<number | null>
}
