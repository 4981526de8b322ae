import { sql } from 'kysely'
import { readIds } from '../../database/read-ids.ts'
import {
  boundOfOthers,
  candidatesFor,
  documentCounts,
  type ExactVectors,
  moreCandidates,
  nearestAmong,
} from '../nearest-exact.ts'
import { passingDocuments } from '../store/passing-documents.ts'
import type { NearChunk, NearSearch } from '../vector-engine.ts'
import type { VectorSearch } from './held-vectors.ts'
import type { Candidate } from './nearest.ts'

export interface HeldCandidates extends ExactVectors {
  /**
   * The chunks whose similarity to the query can be the highest: those with the highest upper bounds, the highest first.
   *
   * @returns undefined when the query's vector has another length
   */
  search(search: VectorSearch): Promise<readonly Candidate[] | undefined>
}

/**
 * The k nearest chunks of documents that existed at the sequence number and meet the condition. The result equals a
 * comparison of everything. The vectors in memory know neither state nor condition: the best candidates are checked against both.
 * If they do not suffice, only documents that pass are searched.
 */
export async function nearestHeld(held: HeldCandidates, search: NearSearch): Promise<readonly NearChunk[] | undefined> {
  const { vector, k, collectionIds } = search
  const max = candidatesFor(k)
  const candidates = await held.search({ vector, k: max, collectionIds, allowed: null })
  if (candidates === undefined) return undefined
  const passing = await passingDocuments(held.database, candidates, documentCounts(search))
  const left = candidates.filter(({ documentId }) => passing.has(documentId))
  const found = await nearestAmong(held, search, left, boundOfOthers(candidates, max))
  if (found !== undefined) return found
  const allowed = await allowedDocuments(held, search)
  for (let count = max; ; count = moreCandidates(count)) {
    const some = await held.search({ vector, k: count, collectionIds, allowed })
    if (some === undefined) return undefined
    const nearest = await nearestAmong(held, search, some, boundOfOthers(some, count))
    if (nearest !== undefined) return nearest
  }
}

function allowedDocuments({ database }: HeldCandidates, search: NearSearch): Promise<Float64Array> {
  return readIds(database, sql`select d.id from docket_documents.document d where ${documentCounts(search)}`)
}
