import type { Session } from '../database/database.ts'
import { type Sql, sql } from '../kernel/sql.ts'
import { type Candidate, compareChunks } from './in-memory/nearest-candidates.ts'
import { decidingAmong } from './rank-bounds.ts'
import { similarityOf, unitLength } from './similarity.ts'
import { type CheckedChunk, readChunkVectors } from './store/read-vectors.ts'
import type { NearChunk, NearSearch } from './vector-engine.ts'

/** Candidates of a search before more are needed. */
export const minCandidates = 200
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

/** What is known of the chunks that are no candidates. */
export interface OtherChunks {
  /** An upper bound of their similarities. */
  readonly others: number
  /** How many of the nearest none of them may precede; absent: k. */
  readonly certain?: number
  /** At least so many candidates have to count; absent: 0. */
  readonly minLeft?: number
}

type SearchAmong = Pick<NearSearch, 'vector' | 'k' | 'position' | 'neededOf'>

/**
 * Ranks the candidates by their exact vectors, of which it reads those that decide. Candidates of documents that do not exist at the
 * sequence number are taken out.
 *
 * @param candidates highest upper bounds first
 * @returns undefined if one of the others may be among the nearest
 */
export async function nearestAmong(
  exact: ExactVectors,
  search: SearchAmong,
  candidates: readonly Candidate[],
  known: OtherChunks,
): Promise<readonly NearChunk[] | undefined> {
  const isExact = candidates.every(({ upper, lower }) => upper === lower)
  const left = await withoutOpen(exact, search, candidates)
  const nearest = nearestOf(left, search.k)
  if (isComplete(nearest, left.length, { ...known, isExact, k: search.k })) return nearest.map(foundOf)
  const { neededOf, ...all } = search
  return neededOf === undefined || isExact ? undefined : nearestAmong(exact, all, candidates, known)
}

interface Completeness extends OtherChunks {
  /** The bounds of the candidates and of all others are exact: others that are equally near follow in the order of their names. */
  readonly isExact: boolean
  readonly k: number
}

function isComplete(nearest: readonly Candidate[], left: number, known: Completeness): boolean {
  const { others, minLeft = 0, isExact, k, certain = k } = known
  if (others === Number.NEGATIVE_INFINITY) return true
  if (left < minLeft) return false
  return isExact ? left >= k : (nearest[certain - 1]?.lower ?? others) > others
}

function nearestOf(candidates: readonly Candidate[], k: number): readonly Candidate[] {
  return candidates.toSorted((one, other) => middleOf(other) - middleOf(one) || compareChunks(one, other)).slice(0, k)
}

const middleOf = ({ upper, lower }: Candidate): number => (upper === lower ? upper : (upper + lower) / 2)

function foundOf(candidate: Candidate): NearChunk {
  const { documentId, chunkIndex } = candidate
  return { documentId, chunkIndex, similarity: middleOf(candidate) }
}

/** The candidates after nothing is open: exact similarities are both bounds. */
async function withoutOpen(
  exact: ExactVectors,
  search: SearchAmong,
  candidates: readonly Candidate[],
): Promise<readonly Candidate[]> {
  const existing = new Set<Candidate>()
  for (let left = candidates; ; ) {
    const { open, above } = await decidingAmong(left, search)
    const isToRead = (each: Candidate): boolean => open.has(each) && each.upper !== each.lower
    const toCheck = above.filter((each) => isToRead(each) || !existing.has(each))
    if (toCheck.length === 0) return left
    const read = await readSimilarities(
      exact,
      search,
      toCheck.map((each) => ({ ...each, isRead: isToRead(each) })),
    )
    const found = new Map(toCheck.map((each, at) => [each, narrowed(each, read[at] ?? null)]))
    for (const each of found.values()) if (each !== null) existing.add(each)
    left = left.flatMap((each) => (found.has(each) ? (found.get(each) ?? []) : each))
  }
}

/** @param similarity null: it does not count */
function narrowed(candidate: Candidate, similarity: number | 'exists' | null): Candidate | null {
  if (similarity === null) return null
  return similarity === 'exists' ? candidate : { ...candidate, upper: similarity, lower: similarity }
}

/** The similarities of chunks to the query's vector; null: the document does not exist, or the chunk has no vector any more. */
async function readSimilarities(
  { database, modelId }: ExactVectors,
  { vector, position }: SearchAmong,
  chunks: readonly CheckedChunk[],
): Promise<readonly (number | 'exists' | null)[]> {
  const query = unitLength(vector)
  const vectors = await readChunkVectors(database, chunks, { modelId, vectorLength: vector.length, position })
  return vectors.map((each) => (each instanceof Float32Array ? similarityOf(unitLength(each), query) : each))
}
