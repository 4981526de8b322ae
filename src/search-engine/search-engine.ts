import type { PackedRanking } from './ranking/pack-ranking.ts'
import type { IndexChange, LexicalSearch, SegmentSwap } from './segments/index-change.ts'
import type { UnbuiltPart } from './segments/save-segments.ts'
import type { CollectionSize, CollectionTables } from './segments/writer-index.ts'

/**
 * Ranks chunks by words. An engine contains only data that PostgreSQL has, too, and does not decide rights: a search lists the
 * documents that exist for it. Only `documents/sync` calls it, following the change log.
 *
 * The built-in engine is `threads/built-in-engine.ts`. Another one implements this interface, and has to pass the same laws
 * (test/laws/documents-*.test.ts, test/documents/index*.test.ts).
 */
export interface SearchEngine extends EngineContents {
  /** Sequence number of the change log: the newest state that can be searched. */
  readonly sequence: number
  /** Whether this state can be searched now. If not: `recover`, then `apply` the missing changes. */
  canSearch(sequence: number): boolean
  /**
   * The best chunks of the state at a sequence number. `visible` and `options.allowed` are the documents that exist for the
   * search: statistics, scores and order depend only on these. For more candidates, increase `k`. With `options.explain` each
   * chunk includes the parts of its score.
   *
   * @returns bytes, which a search process passes on as they are (`unpackRanking`)
   */
  search(search: LexicalSearch): Promise<PackedRanking>
  /** Applies additions, removals and drops of the change log atomically: no search sees a part of them. */
  apply(change: IndexChange): void
  /** The same documents in other segments. */
  replace(swap: SegmentSwap): Promise<void>
  /** Makes the index smaller or faster without changing any response. @returns whether there may be more work */
  compact(keepFrom: number): Promise<boolean>
  /**
   * One step of moving the postings of large segments into tables of LanceDB, without changing which documents they have. Only for
   * collections that every caller sees whole: what others see is counted in postings in memory.
   */
  move(request: MoveRequest): Promise<MoveOutcome>
  /** Drops a table that is not complete: another process writes now. */
  abandonMove(): Promise<void>
  /** Repairs failures. If nothing is left, the engine is empty and notifies its owner. */
  recover(): Promise<void>
  /** How often `recover` repaired something: work that began before has to restart. */
  readonly recoveries: number
  save(place: SavePlace): Promise<void>
  /** Writes the segments of a collection into files, for a store that several processes share. */
  exportSegments(place: ExportPlace): Promise<ExportedSegments>
  /** @returns null: no saved index there belongs to this database */
  load(saved: SavedIndex): Promise<LoadedIndex | null>
  close(): Promise<void>
}

/** The contents of the index, for verification and comparison. */
export interface EngineContents {
  counts(): Promise<EngineCounts>
  collectionIds(): Promise<readonly number[]>
  sizes(): Promise<readonly CollectionSize[]>
  /** Tables that have postings instead of the engine. */
  tables(): Promise<readonly CollectionTables[]>
  /** Ids of the documents that searches find, ascending. */
  foundIds(collectionId: number): Promise<Float64Array>
  /** Ids of the documents that are written and not removed, ascending. */
  writtenIds(collectionId: number): Promise<Float64Array>
  /** Ids of the documents that are removed but still written. */
  removedIds(collectionId: number): Promise<readonly number[]>
  segmentsOf(collectionId: number): Promise<WrittenSegments>
  /** Begins a comparison: computes fingerprints of the documents of a collection. */
  fingerprint(collectionId: number): Promise<void>
  /** @returns ids of the documents of a segment whose fingerprint differs or is missing */
  differing(buffer: SharedArrayBuffer): Promise<readonly number[]>
}

export interface EngineCounts {
  readonly segments: number
  readonly documents: number
  readonly chunks: number
  readonly bytes: number
}

export interface WrittenSegments {
  /** Sequence number of the state to which they belong. */
  readonly position: number
  readonly segmentIds: readonly string[]
}

export interface SavePlace {
  readonly folder: string
  readonly historyId: string
  readonly unbuilt: readonly UnbuiltPart[]
  readonly nowMs: number
}

/**
 * none: there is nothing to move; writing: a table is not complete or not in use yet; moved: one is in use now, there may be more; failed:
 * the collection whose step failed is left out until there is nothing else to move.
 */
export type MoveProgress = 'none' | 'writing' | 'moved' | 'failed'

export interface MoveOutcome {
  readonly progress: MoveProgress
  /** What failed, with the name of the error, which a copied error loses; null: nothing. */
  readonly failure: Pick<Error, 'name' | 'message'> | null
}

export interface MoveRequest {
  readonly collectionIds: readonly number[]
  /** Segments with fewer chunks stay in memory. */
  readonly minChunks: number
  /** No search needs an earlier state than this any more. */
  readonly keepFrom: number
}

export interface ExportPlace {
  readonly collectionId: number
  /** SHA-256, hexadecimal: segments with these bytes are not written. */
  readonly knownHashes: readonly string[]
  /** Each segment becomes a new file there. */
  readonly folder: string
  /** Folder of the saved index, whose files may be linked; null: none. */
  readonly savedFolder: string | null
}

export interface ExportedSegments {
  /** Sequence number of the state to which the segments belong. */
  readonly position: number
  readonly segments: readonly ExportedSegment[]
}

export interface ExportedSegment {
  /** SHA-256, hexadecimal. */
  readonly hash: string
  /** Bytes. */
  readonly size: number
  /** null: known, so not written. */
  readonly path: string | null
  /** The table with its postings; '': they are in the segment. */
  readonly table: string
}

/** Where an index may be saved, and to which database it must belong. */
export interface SavedIndex {
  readonly folder: string
  /** Histories of the database, newest first. */
  readonly historyIds: readonly string[]
  /** Sequence number of the database's change log. */
  readonly position: number
}

export interface LoadedIndex {
  /** Sequence number of the change log. */
  readonly position: number
  readonly historyId: string
  readonly unbuilt: readonly UnbuiltPart[]
}
