import type { BuildProgress } from '../kernel/index-building.ts'
import type { IndexProgress } from '../kernel/progress.ts'
import type { Sql } from '../kernel/sql.ts'
import type { VectorCheck } from './verify-vectors.ts'

/** A chunk with the similarity of its vector to the query's. */
export interface NearChunk {
  readonly documentId: number
  readonly chunkIndex: number
  /** Cosine of the angle between the two vectors, from -1 to 1. */
  readonly similarity: number
}

/** The documents that meet the condition of a search. Ids are ascending, possibly with removed ones. */
export interface PassingDocuments {
  /** undefined: they are not known yet. */
  known(): Promise<Float64Array | undefined>
  /** undefined: they are too many. */
  read(): Promise<Float64Array | undefined>
  /** @returns how many candidates searches with the same filter checked in addition, with these, because the documents were not known */
  countChecked(candidates: number): number
}

export interface NearSearch {
  /** The vector of the query. */
  readonly vector: Float32Array
  readonly k: number
  /** As many as the response has. An approximate search may find those after them less completely; at most k. */
  readonly topK: number
  readonly collectionIds: readonly number[]
  /** Those of the collections of which the caller sees every document. */
  readonly wholeCollectionIds: readonly number[]
  /** Filter and rights, on a row `d` of docket_documents.document. null: every document of the collections. */
  readonly condition: Sql<boolean> | null
  /** Absent if there is no filter, or if the engine must read the documents itself. */
  readonly passing?: PassingDocuments
  /** Sequence number of the change log: both rankings of a search read the documents of this state. */
  readonly position: number
  /** How long it waits for vectors that the engine has not read yet (null: without a limit); called only if waiting is necessary. Absent: without a limit. */
  readonly waitMs?: () => Promise<number | null>
  /** Which of the nearest need their exact rank and similarity; absent: all. The others may be in another order. */
  readonly neededOf?: NeededRanks
}

/** A chunk whose rank among the nearest, from 1, lies between two bounds. */
export interface RankBounds {
  readonly documentId: number
  readonly chunkIndex: number
  readonly first: number
  readonly last: number
}

/** @returns those of the chunks whose exact rank is needed */
export type NeededRanks = (near: readonly RankBounds[]) => Promise<ReadonlySet<RankBounds>>

/** A search may not wait until the vectors that were written before it are read, or some of its state are forgotten. */
export class VectorsBehind extends Error {}

/**
 * Ranks the chunks of one model by their vectors. The vectors are in PostgreSQL (`store`); an engine has what makes a search among them
 * fast, and follows them. Engines: built-in (`vector-index.ts`), pgvector (`pgvector/pgvector-engine.ts`) and LanceDB (`lancedb/lancedb-engine.ts`). All have to pass
 * test/laws/vector-engines.test.ts.
 */
export interface VectorEngine {
  readonly modelId: number
  /**
   * The k nearest chunks of documents that existed at the sequence number and meet the condition, of all vectors that were written
   * before this call. Chunks of collections that the caller does not see whole are found as by a comparison with every vector that
   * the caller sees; a search of large collections that the caller sees whole may be approximate. Similarities are those of the vectors
   * in the database, in any engine. Equal ones are ordered by doc_id.
   *
   * @returns undefined when the query's vector has another length than the documents' vectors
   * @throws VectorsBehind after `waitMs`, or if vectors of documents that existed at the sequence number are forgotten
   * @throws IndexBuilding until the vectors that existed at the start can be searched
   */
  nearest(search: NearSearch): Promise<readonly NearChunk[] | undefined>
  /** Resolves when every vector written before can be searched. */
  whenReady(): Promise<void>
  /** null: it is ready. */
  buildProgress(): BuildProgress | null
  /**
   * Reads the vectors up to a sequence number of the model, unless it is still reading those that existed at the start.
   *
   * @returns whether there were new ones
   */
  reach(position: number): Promise<boolean>
  /** Reads the vectors written since, and drops those that no search needs any more. */
  follow(): Promise<void>
  /**
   * Compares the searched vectors with those in the database; searches continue meanwhile.
   *
   * @param repairs whether differing vectors are read again
   */
  verify(repairs: boolean, onProgress?: (progress: IndexProgress) => void): Promise<VectorCheck>
  close(): Promise<void>
}
