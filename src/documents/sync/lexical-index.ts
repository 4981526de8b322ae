import type { Database } from '../../database/database.ts'
import type { FileProblem } from '../../extraction/rejection.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { BuildProgress } from '../../kernel/index-building.ts'
import type { IndexProgress } from '../../kernel/progress.ts'
import type { Result } from '../../kernel/result.ts'
import type { startThread } from '../../processes/worker-thread.ts'
import type { QueryTerm } from '../../search-engine/ranking/query-term.ts'
import type { Ranking, RankOptions } from '../../search-engine/ranking/rank-chunks.ts'
import type { VisibleIds } from '../../search-engine/segments/live-segments.ts'
import type { PreparedText, TextToIndex } from './build-thread.ts'
import type { IndexCheck } from './verify-index.ts'

/** This process's copy of the lexical index. It follows the database's change log; every search says how far. */
export interface LexicalIndex {
  /**
   * Holds what a question needs: while `work` runs, every state of the index that the database can name to it stays
   * searchable. So the database is asked for the position inside of it.
   */
  withSnapshot<T>(work: (view: IndexView) => Promise<T>): Promise<T>
  /** Cuts a text and makes its terms, off this thread. */
  prepare(text: TextToIndex): Promise<Result<PreparedText, FileProblem>>
  /** What `prepare` made of a document that is now published: spares making it again when the change is followed. */
  offer(documentId: number, prepared: Pick<PreparedText, 'buffer'>): void
  /** Of the change log: a state that can be searched. */
  position(): number
  /** Resolves when all that was committed before this call can be searched. */
  refresh(): Promise<void>
  /** Resolves when every collection can be searched: until then searches of the others throw `IndexBuilding`. */
  whenReady(): Promise<void>
  /** null: every collection can be searched. */
  buildProgress(): BuildProgress | null
  counts(): Promise<IndexCounts>
  /** Compares what searches find with the database, document by document and term by term; they go on meanwhile. */
  verify(onProgress?: (progress: IndexProgress) => void): Promise<IndexCheck>
  /**
   * Makes the index of a collection (null: of each in turn) anew from the database, while the old one answers, and keeps it
   * in the folder. For every process at once: `requestReindex`.
   */
  rebuild(collectionId: number | null, onProgress?: (progress: IndexProgress) => void): Promise<void>
  close(): Promise<void>
}

export interface IndexView {
  /**
   * Waits until a state can be searched.
   *
   * @param waitMs is asked only if there is something to wait for; null: it waits as long as it takes
   * @returns the sequence number to search: an earlier one when the time is up
   * @throws IndexBuilding when a collection is not in the index yet
   */
  reach(sequence: number, collectionIds: readonly number[], waitMs: () => Promise<number | null>): Promise<number>
  /**
   * The best chunks of the state at a position of the change log.
   *
   * @throws IndexBuilding when a collection is not in the index yet
   */
  search(position: number, search: IndexSearch): Promise<Ranking>
}

export interface IndexSearch {
  readonly collectionIds: readonly number[]
  readonly terms: readonly QueryTerm[]
  readonly options: RankOptions
  /** Absent: every document of the collections exists for this search. */
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
  /** Where the index is kept between starts; null: it is built from the database at each start. */
  readonly folder: string | null
  readonly clock: Clock
  readonly onError: (error: unknown) => void
  /** Is told how a rebuild goes that the change log asked for. */
  readonly onRebuild?: (progress: IndexProgress) => void
  /** Tests end threads that they started themselves. */
  readonly startThread?: typeof startThread
}

/** How far the index has to be before a search, and how long the search waits for it. */
export interface ReachOptions {
  readonly sequence: number
  readonly collectionIds: readonly number[]
  /** What can be searched in any case. */
  readonly from: number
  readonly waitMs: () => Promise<number | null>
}
