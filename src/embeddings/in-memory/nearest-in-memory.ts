import { readIds } from '../../database/read-ids.ts'
import { sql } from '../../kernel/sql.ts'
import {
  boundOfOthers,
  candidatesFor,
  documentCounts,
  type ExactVectors,
  minCandidates,
  moreCandidates,
  nearestAmong,
  type OtherChunks,
} from '../nearest-exact.ts'
import { passingDocuments } from '../store/passing-documents.ts'
import type { NearChunk, NearSearch } from '../vector-engine.ts'
import { type Candidate, compareCandidates } from './nearest-candidates.ts'
import type { FoundCandidates, VectorSearch } from './vectors-in-memory.ts'

export interface CandidatesInMemory extends ExactVectors {
  /**
   * The chunks whose similarity to the query can be the highest: those with the highest upper bounds.
   *
   * @returns undefined when the query's vector has another length
   */
  search(search: VectorSearch): Promise<FoundCandidates | undefined>
}

/** A search that proposes more than this takes longer than reading the ids of the documents that pass. */
const maxProposed = 5_000
/** More candidates than the share of those that pass suggests: the nearest may pass less often. */
const reserve = 1.3
/** To propose and check a candidate costs as much as to check the metadata of so many documents one after the other. */
const documentsPerCandidate = 8
/** To compare so many vectors takes as long as to check the metadata of one document. */
const vectorsPerDocument = 10

/**
 * The k nearest chunks of documents that existed at the sequence number and meet the condition. The result equals a comparison of
 * everything, unless the caller sees all searched collections whole and one of them is large. The vectors in memory know neither state nor
 * condition. If the documents that pass are known, only these are searched. Otherwise the best candidates are checked against both. If they
 * do not suffice, more are proposed, of a comparison of all vectors: the farther ones of a search by signs are too incomplete. If very many
 * would be needed, or if searches with the same filter have cost as much as reading the documents that pass, these are read.
 */
export async function nearestInMemory(
  held: CandidatesInMemory,
  search: NearSearch,
): Promise<readonly NearChunk[] | undefined> {
  const known = await search.passing?.known()
  if (known !== undefined) return nearestAllowed(held, search, known)
  let count = firstCount(search, search.condition === null)
  for (let mayApproximate = seesAllWhole(search); ; ) {
    const found = await held.search({ ...candidatesOf(search, count, null), mayApproximate })
    if (found === undefined) return undefined
    const left = await countingAmong(held, search, found.candidates)
    const nearest = areEnough(found, left, search)
      ? await nearestAmong(held, search, left, { ...othersOf(found, count, search), minLeft: minLeft(found, search) })
      : undefined
    if (nearest !== undefined) return nearest
    count = Math.max(count * 2, Math.ceil((reserve * 2 * search.k * found.candidates.length) / left.length))
    mayApproximate &&= search.condition === null
    if (count > maxProposed || isReadingCheaper(search, count, found)) break
  }
  return nearestAllowed(held, search, (await search.passing?.read()) ?? (await allowedDocuments(held, search)))
}

/** @param count of the next candidates, which are those of a comparison of all vectors */
function isReadingCheaper({ passing }: NearSearch, count: number, { vectors }: FoundCandidates): boolean {
  const compared = Math.ceil(vectors / vectorsPerDocument / documentsPerCandidate)
  return passing !== undefined && passing.countChecked(count + compared) * documentsPerCandidate > vectors
}

/** @param allowed ids of the documents that pass the filter, ascending */
async function nearestAllowed(
  held: CandidatesInMemory,
  search: NearSearch,
  allowed: Float64Array,
): Promise<readonly NearChunk[] | undefined> {
  for (let count = firstCount(search, true); ; count = moreCandidates(count)) {
    const found = await held.search(candidatesOf(search, count, allowed))
    if (found === undefined) return undefined
    const nearest = await nearestAmong(held, search, found.candidates, othersOf(found, count, search))
    if (nearest !== undefined) return nearest
  }
}

function candidatesOf(search: NearSearch, k: number, allowed: Float64Array | null): VectorSearch {
  const { vector, collectionIds, condition } = search
  // Without a condition, the farther half is there only for deleted documents.
  const complete = condition === null ? Math.ceil(k / 2) : k
  return { vector, k, complete, collectionIds, allowed, mayApproximate: seesAllWhole(search) }
}

/** Otherwise hidden vectors of one collection would decide which ones of another collection are compared. */
function seesAllWhole({ collectionIds, wholeCollectionIds }: NearSearch): boolean {
  return collectionIds.every((id) => wholeCollectionIds.includes(id))
}

/**
 * A hybrid search ranks many more than it returns: of these the first ones have to be complete.
 *
 * @param doAllCount whether hardly any candidate is taken out
 */
function firstCount(search: NearSearch, doAllCount: boolean): number {
  const { k, topK } = search
  return seesAllWhole(search) && doAllCount && topK < k ? Math.max(minCandidates, 2 * k) : candidatesFor(k)
}

/** Without a condition, all but deleted documents count: `nearestAmong` checks those that decide. */
async function countingAmong(
  { database }: CandidatesInMemory,
  search: NearSearch,
  candidates: readonly Candidate[],
): Promise<readonly Candidate[]> {
  if (search.condition === null) return candidates
  const passing = await passingDocuments(database, candidates, documentCounts(search))
  return candidates.filter(({ documentId }) => passing.has(documentId))
}

function othersOf(found: FoundCandidates, requested: number, search: NearSearch): OtherChunks {
  return { others: boundOf(found, requested), certain: certainOf(found, search) }
}

/** In an approximate search, only what was compared has a bound: among so many like candidates, those that are there are the result. */
function boundOf({ candidates, isApproximate, others }: FoundCandidates, requested: number): number {
  if (isApproximate && requested >= maxProposed) return Number.NEGATIVE_INFINITY
  return Math.max(boundOfOthers(candidates, requested), others ?? Number.NEGATIVE_INFINITY)
}

function certainOf({ isApproximate }: FoundCandidates, { k, topK }: NearSearch): number {
  return isApproximate ? Math.min(k, topK) : k
}

/**
 * The farther half of the candidates of an approximate search is less complete: those that have to be complete are in the nearer half. With
 * a condition they are farther from the query than without, so there is a second rule: twice as many of those that pass would have been
 * found if half as many vectors had been compared. Then the signs say which vectors are near, and hardly any is missing.
 */
function areEnough(found: FoundCandidates, left: readonly Candidate[], search: NearSearch): boolean {
  const { candidates, isApproximate } = found
  if (!isApproximate) return true
  const certain = certainOf(found, search)
  const farther = candidates[Math.floor(candidates.length / 2)]
  const nearer = left.filter((each) => farther === undefined || compareCandidates(each, farther) < 0)
  const isLikely =
    search.condition === null || left.slice(0, certain * 2).every(({ isMarginal }) => isMarginal !== true)
  return isLikely && nearer.length >= certain && left.length >= search.k
}

/** As many may be deleted as leave those that have to be complete in the nearer half. */
function minLeft(found: FoundCandidates, search: NearSearch): number {
  if (!found.isApproximate || search.condition !== null) return 0
  return Math.max(search.k, found.candidates.length / 2 + certainOf(found, search))
}

function allowedDocuments({ database }: CandidatesInMemory, search: NearSearch): Promise<Float64Array> {
  return readIds(database, sql`select d.id from docket_documents.document d where ${documentCounts(search)}`)
}
