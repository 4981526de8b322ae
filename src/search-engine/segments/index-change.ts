import type { QueryTerm } from '../ranking/query-term.ts'
import type { RankOptions } from '../ranking/rank-chunks.ts'

/** Segments and removals, with their sequence numbers of the database's change log. */
export interface IndexChange {
  /** The log is applied up to this sequence number. */
  readonly position: number
  /** No search needs an earlier state than this any more. */
  readonly keepFrom: number
  readonly segments: readonly NewSegment[]
  /** Documents of the new segments, with the sequence number at which each was added; only those after `keepFrom` matter. */
  readonly added: readonly DocumentAt[]
  readonly removed: readonly DocumentAt[]
  /** Collections that do not exist for later searches. */
  readonly dropped: readonly { readonly collectionId: number; readonly position: number }[]
  /** The database lost the changes of the latest sequence numbers: no search needs a state before this change. */
  readonly newHistory?: NewHistory
}

export interface NewHistory {
  /** Documents of existing segments whose removal the database lost. */
  readonly restored: readonly { readonly collectionId: number; readonly documentId: number }[]
}

export interface NewSegment {
  readonly collectionId: number
  readonly segmentId: string
  readonly buffer: SharedArrayBuffer
  /** SHA-256 of the buffer, hexadecimal, if it is known. */
  readonly hash?: string
}

export interface DocumentAt {
  readonly collectionId: number
  readonly documentId: number
  readonly position: number
}

/** The same documents in other segments. */
export interface SegmentSwap {
  readonly collectionId: number
  readonly before: readonly string[]
  readonly after: readonly NewSegment[]
  /**
   * `after` was built from the documents of this sequence number, whatever `before` recorded: later removals also apply to it.
   * null: it was built from `before`, and removals recorded there apply.
   */
  readonly at: number | null
  /** Ids of documents of `after` that did not exist at `at`. */
  readonly absent?: readonly number[]
}

export interface LexicalSearch {
  /** The state to search: all changes up to this sequence number and none after it. */
  readonly position: number
  readonly collectionIds: readonly number[]
  readonly terms: readonly QueryTerm[]
  readonly options: RankOptions
  /** Absent: every document of the collections is visible to this search. */
  readonly visible?: VisibleIds
}

/** Documents that exist for a search. Other documents of these collections are neither found nor counted in any statistic. */
export interface VisibleIds {
  /** Collections with hidden documents, or possibly with some. */
  readonly collectionIds: readonly number[]
  /** Ascending. */
  readonly documentIds: Float64Array
  /** Equal keys mean equal ids; absent: nothing is kept for the next search of these documents. */
  readonly key?: number
}
