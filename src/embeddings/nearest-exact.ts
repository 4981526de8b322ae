import type { Session } from '../database/database.ts'
import { type Sql, sql } from '../kernel/sql.ts'
import { type Candidate, compareChunks } from './in-memory/nearest-candidates.ts'
import { similarityOf, unitLength } from './similarity.ts'
import { type ChunkReference, readChunkVectors } from './store/read-vectors.ts'
import type { NearChunk, NearSearch } from './vector-engine.ts'

/** Candidates of a search before more are needed. */
const minCandidates = 200
const candidatesPerChunk = 4

/** How many candidates an engine proposes at first. If they do not suffice, four times as many are tried. */
export function candidatesFor(k: number): number {
  return Math.max(minCandidates, k * candidatesPerChunk)
}

export function moreCandidates(count: number): number {
  return count * candidatesPerChunk
}

/** An upper bound of the similarities of all chunks that are not among the candidates. */
export function boundOfOthers(candidates: readonly Candidate[], requested: number): number {
  return candidates.length < requested ? Number.NEGATIVE_INFINITY : (candidates.at(-1) as Candidate).upper
}

/** Whether a row `d` of docket_documents.document counts for a search. */
export function documentCounts({
  collectionIds,
  condition,
  position,
}: Pick<NearSearch, 'collectionIds' | 'condition' | 'position'>): Sql<boolean> {
  return sql<boolean>`(d.collection_id = any (${collectionIds}::integer[]) and d.added_position <= ${position}
    and (d.removed_position is null or d.removed_position > ${position}) and ${condition ?? sql`true`})`
}

/** The vectors in the database. */
export interface ExactVectors {
  readonly database: Session
  readonly modelId: number
}

/**
 * Reads the exact vectors of those candidates that can be among the k nearest.
 *
 * @param candidates highest upper bounds first
 * @param others an upper bound of the similarities of all other chunks
 * @param certain how many of the nearest none of the others may precede
 * @returns undefined if one of the others may
 */
export async function nearestAmong(
  exact: ExactVectors,
  search: Pick<NearSearch, 'vector' | 'k'>,
  candidates: readonly Candidate[],
  others: number,
  certain = search.k,
): Promise<readonly NearChunk[] | undefined> {
  const { vector, k } = search
  if (candidates.every(({ upper, lower }) => upper === lower))
    return candidates.length < k && others !== Number.NEGATIVE_INFINITY
      ? undefined
      : candidates.slice(0, k).map(exactOf)
  const minLower = candidates.map(({ lower }) => lower).sort((one, other) => other - one)[k - 1]
  const possible = minLower === undefined ? candidates : candidates.filter(({ upper }) => upper >= minLower)
  const similarities = await readSimilarities(exact, possible, vector)
  // A vector that was deleted meanwhile left its place to one of the others.
  const gone = new Set(possible.filter((_, at) => similarities[at] === null))
  if (gone.size > 0) {
    const left = candidates.filter((each) => !gone.has(each))
    return nearestAmong(exact, search, left, others, certain)
  }
  const nearest = possible
    .map((candidate, at) => ({ ...candidate, similarity: similarities[at] as number }))
    .sort((one, other) => other.similarity - one.similarity || compareChunks(one, other))
    .slice(0, k)
  const last = nearest[certain - 1]?.similarity ?? Number.NEGATIVE_INFINITY
  if (last <= others && others !== Number.NEGATIVE_INFINITY) return undefined
  return nearest.map(({ documentId, chunkIndex, similarity }) => ({ documentId, chunkIndex, similarity }))
}

function exactOf({ documentId, chunkIndex, upper }: Candidate): NearChunk {
  return { documentId, chunkIndex, similarity: upper }
}

/** The similarities of chunks to the query's vector; null: the chunk has no vector any more. */
async function readSimilarities(
  { database, modelId }: ExactVectors,
  chunks: readonly ChunkReference[],
  vector: Float32Array,
): Promise<readonly (number | null)[]> {
  const query = unitLength(vector)
  const vectors = await readChunkVectors(database, modelId, chunks, vector.length)
  return vectors.map((each) => (each === null ? null : similarityOf(unitLength(each), query)))
}
