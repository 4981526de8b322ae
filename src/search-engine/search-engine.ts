import type { Ranking } from './ranking/rank-chunks.ts'
import type { IndexChange, LexicalSearch, SegmentSwap } from './segments/live-segments.ts'
import type { UnbuiltPart } from './segments/save-segments.ts'

/**
 * What ranks chunks by words. An engine holds nothing that PostgreSQL does not have, and decides no rights: a search names the
 * documents that exist for it. `documents/sync` drives it by the change log, and is the only caller.
 *
 * The built-in engine is `threads/built-in-engine.ts`. Another one implements this interface, and has to pass the same laws
 * (test/laws/documents-*.test.ts, test/documents/index*.test.ts).
 */
export interface SearchEngine extends EngineContents {
  /** Sequence number of the change log: the newest state that can be searched. */
  readonly sequence: number
  /** Whether this state can be searched now. If not: `recover`, then `apply` what is missing. */
  canSearch(sequence: number): boolean
  /**
   * The best chunks of the state at a sequence number. `visible` and `options.allowed` are the documents that exist for the
   * search: statistics, scores and order come from these alone. Candidates come in pages by a larger `k`. With
   * `options.explain` each chunk says what its score is made of.
   */
  search(search: LexicalSearch): Promise<Ranking>
  /** Adds, removes and drops what the change log says, at once: no search sees a part of it. */
  apply(change: IndexChange): void
  /** The same documents in other segments. */
  replace(swap: SegmentSwap): Promise<void>
  /** Makes the index smaller or faster without changing any response. @returns whether there may be more to do */
  compact(keepFrom: number): Promise<boolean>
  /** Repairs what failed. When nothing is left, the engine is empty, and says so to whoever opened it. */
  recover(): Promise<void>
  /** How often `recover` had something to do: work that was begun before has to begin again. */
  readonly recoveries: number
  save(place: SavePlace): Promise<void>
  /** @returns null: nothing is saved there that belongs to this database */
  load(saved: SavedIndex): Promise<LoadedIndex | null>
  close(): Promise<void>
}

/** What verifying and comparing ask. */
export interface EngineContents {
  counts(): Promise<EngineCounts>
  collectionIds(): Promise<readonly number[]>
  /** Ids of the documents that searches find, ascending. */
  foundIds(collectionId: number): Promise<Float64Array>
  /** Ids of the documents that are written and not removed, ascending. */
  writtenIds(collectionId: number): Promise<Float64Array>
  /** Ids of the documents that are removed, and still written. */
  removedIds(collectionId: number): Promise<readonly number[]>
  segmentsOf(collectionId: number): Promise<WrittenSegments>
  /** Begins a comparison: makes fingerprints of the documents of a collection. */
  fingerprint(collectionId: number): Promise<void>
  /** @returns ids of the documents of a segment whose fingerprint is another one, or which were not there */
  differing(buffer: SharedArrayBuffer): Promise<readonly number[]>
}

export interface EngineCounts {
  readonly segments: number
  readonly documents: number
  readonly chunks: number
  readonly bytes: number
}

export interface WrittenSegments {
  /** Of the state that they belong to. */
  readonly position: number
  readonly segmentIds: readonly string[]
}

export interface SavePlace {
  readonly folder: string
  readonly historyId: string
  readonly unbuilt: readonly UnbuiltPart[]
  readonly nowMs: number
}

/** Where an index may be saved, and what it must belong to. */
export interface SavedIndex {
  readonly folder: string
  /** Of the database: the newest and those before it. */
  readonly historyIds: readonly string[]
  /** Of the database's change log. */
  readonly position: number
}

export interface LoadedIndex {
  /** Of the change log. */
  readonly position: number
  readonly historyId: string
  readonly unbuilt: readonly UnbuiltPart[]
}
