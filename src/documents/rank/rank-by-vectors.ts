import { type RawBuilder, sql } from 'kysely'
import type { Session } from '../../database/database.ts'
import type { NearChunk } from '../../embeddings/held-vectors.ts'
import type { VectorIndex } from '../../embeddings/vector-index.ts'

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
 * If too few pass, only documents that pass are searched.
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
  const left = candidates.filter(({ documentId }) => passing.has(documentId)).slice(0, k)
  if (left.length === k || candidates.length < max) return left
  return index.search({ vector, k, collectionIds, allowed: await allowedDocuments(session, search) })
}

function counts({ collectionIds, condition, position }: NearSearch): RawBuilder<boolean> {
  return sql<boolean>`(d.collection_id = any (${collectionIds}::integer[]) and d.added_position <= ${position}
    and (d.removed_position is null or d.removed_position > ${position}) and ${condition ?? sql`true`})`
}

async function passingDocuments(
  session: Session,
  search: NearSearch,
  near: readonly NearChunk[],
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
