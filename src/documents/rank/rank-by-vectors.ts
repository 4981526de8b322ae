import { type RawBuilder, sql } from 'kysely'
import type { Session } from '../../database/database.ts'
import { type Candidate, compareChunks } from '../../embeddings/held/nearest.ts'
import type { NearChunk, VectorIndex } from '../../embeddings/vector-index.ts'

export interface NearSearch {
  /** The vector of the query. */
  readonly vector: Float32Array
  readonly k: number
  readonly collectionIds: readonly number[]
  /** Filter and rights, on a row `d` of docket_documents.document. null: every document of the collections. */
  readonly condition: RawBuilder<boolean> | null
  /** Sequence number of the change log: both rankings of a search read the documents of this state. */
  readonly position: number
}

/** Candidates to check before all documents that meet the condition are read from the database. */
const minCandidates = 200
const candidatesPerChunk = 4

/**
 * The k nearest chunks of documents that existed at the sequence number and meet the condition. The result equals a
 * comparison of everything. The index knows neither state nor condition: the best candidates are checked against both.
 * If they do not suffice, only documents that pass are searched.
 *
 * @returns undefined when the query's vector has another length than the documents' vectors
 */
export async function rankByVectors(
  session: Session,
  index: VectorIndex,
  search: NearSearch,
): Promise<readonly NearChunk[] | undefined> {
  const { vector, k, collectionIds } = search
  const max = Math.max(minCandidates, k * candidatesPerChunk)
  const candidates = await index.search({ vector, k: max, collectionIds, allowed: null })
  if (candidates === undefined) return undefined
  const passing = await passingDocuments(session, search, candidates)
  const left = candidates.filter(({ documentId }) => passing.has(documentId))
  const found = await nearestAmong(index, search, left, boundOfOthers(candidates, max))
  if (found !== undefined) return found
  const allowed = await allowedDocuments(session, search)
  for (let count = max; ; count *= candidatesPerChunk) {
    const some = await index.search({ vector, k: count, collectionIds, allowed })
    if (some === undefined) return undefined
    const nearest = await nearestAmong(index, search, some, boundOfOthers(some, count))
    if (nearest !== undefined) return nearest
  }
}

function exactOf({ documentId, chunkIndex, upper }: Candidate): NearChunk {
  return { documentId, chunkIndex, similarity: upper }
}

/** An upper bound of the similarities of all chunks that are not among the candidates. */
function boundOfOthers(candidates: readonly Candidate[], requested: number): number {
  return candidates.length < requested ? Number.NEGATIVE_INFINITY : (candidates.at(-1) as Candidate).upper
}

/**
 * Reads the exact vectors of those candidates that can be among the k nearest.
 *
 * @param others an upper bound of the similarities of all other chunks
 * @returns undefined if one of the others may be among the k nearest
 */
async function nearestAmong(
  index: VectorIndex,
  search: NearSearch,
  candidates: readonly Candidate[],
  others: number,
): Promise<readonly NearChunk[] | undefined> {
  const { vector, k } = search
  if (candidates.every(({ upper, lower }) => upper === lower))
    return candidates.length < k && others !== Number.NEGATIVE_INFINITY
      ? undefined
      : candidates.slice(0, k).map(exactOf)
  const minLower = candidates.map(({ lower }) => lower).sort((one, other) => other - one)[k - 1]
  const possible = minLower === undefined ? candidates : candidates.filter(({ upper }) => upper >= minLower)
  const similarities = await index.similarities(possible, vector)
  // A vector that was deleted meanwhile left its place to one of the others.
  const gone = new Set(possible.filter((_, at) => similarities[at] === null))
  if (gone.size > 0)
    return nearestAmong(
      index,
      search,
      candidates.filter((each) => !gone.has(each)),
      others,
    )
  const nearest = possible
    .map((candidate, at) => ({ ...candidate, similarity: similarities[at] as number }))
    .sort((one, other) => other.similarity - one.similarity || compareChunks(one, other))
    .slice(0, k)
  const last = nearest[k - 1]?.similarity ?? Number.NEGATIVE_INFINITY
  if (last <= others && others !== Number.NEGATIVE_INFINITY) return undefined
  return nearest.map(({ documentId, chunkIndex, similarity }) => ({ documentId, chunkIndex, similarity }))
}

function counts({ collectionIds, condition, position }: NearSearch): RawBuilder<boolean> {
  return sql<boolean>`(d.collection_id = any (${collectionIds}::integer[]) and d.added_position <= ${position}
    and (d.removed_position is null or d.removed_position > ${position}) and ${condition ?? sql`true`})`
}

async function passingDocuments(
  session: Session,
  search: NearSearch,
  near: readonly Candidate[],
): Promise<ReadonlySet<number>> {
  if (near.length === 0) return new Set()
  const ids = [...new Set(near.map(({ documentId }) => documentId))]
  const rows = await session.rows(sql<{ id: string }>`
    select d.id from docket_documents.document d where d.id = any (${ids}::bigint[]) and ${counts(search)}`)
  return new Set(rows.map(({ id }) => Number(id)))
}

async function allowedDocuments(session: Session, search: NearSearch): Promise<Float64Array> {
  const [row] = await session.rows(sql<{ ids: string | null }>`
    select string_agg(d.id::text, ',') as ids from docket_documents.document d where ${counts(search)}`)
  return Float64Array.from(row?.ids ? row.ids.split(',') : [], Number).sort()
}
