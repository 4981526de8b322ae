import { type RawBuilder, sql } from 'kysely'
import type { Session } from '../../database/database.ts'
import type { Reading } from '../index/lexical-index.ts'
import type { RankedChunk } from '../index/ranking/best-chunks.ts'
import type { QueryTerm, Ranking } from '../index/ranking/rank-chunks.ts'

export interface VisibleSearch {
  readonly terms: readonly QueryTerm[]
  readonly k: number
  readonly collectionIds: readonly number[]
  /** On a row `d` of docket_documents.document: filter and rights. null: every document of the collections. */
  readonly condition: RawBuilder<boolean> | null
  readonly explain: boolean
}

export interface VisibleRanking extends Ranking {
  /** Of the change log: the state that was searched. */
  readonly position: number
}

/** Candidates looked at before the database is asked for all documents that the condition holds for. */
const leastCandidates = 200
const candidatesPerChunk = 8
/** So many ids cross from the database to the index in some milliseconds; more are not worth it before other ways failed. */
const mostIdsAtFirst = 20_000
const secondCandidates = 10_000

/**
 * The k best chunks of documents that the condition holds for: exactly those that would be left of a ranking of everything.
 *
 * Most conditions hold for many documents, so the best candidates of all are ranked first and the condition decides about
 * these few. When too few of them pass, the condition is rare: the database names the documents it holds for, and only
 * those are ranked. A condition that is common, and yet holds for none of the best thousands, costs both.
 *
 * @param position of the change log that the collections were read at
 */
export async function rankVisible(
  session: Session,
  reading: Reading,
  position: number,
  search: VisibleSearch,
): Promise<VisibleRanking> {
  const { condition, k, terms, collectionIds, explain } = search
  const rank = async (at: number, most: number, allowed?: Float64Array): Promise<VisibleRanking> => {
    const options = { k: most, explain, ...(allowed === undefined ? {} : { allowed }) }
    return { ...(await reading.search(at, { collectionIds, terms, options })), position: at }
  }
  if (condition === null) return rank(position, k)

  /** undefined when the best of all do not decide it. */
  const amongBest = async (most: number): Promise<VisibleRanking | undefined> => {
    const { ranked, statistics, explained } = await rank(position, most)
    const passing = await passingDocuments(session, condition, ranked)
    const left = [...ranked.keys()].filter((at) => passing.has(ranked[at]?.documentId ?? 0)).slice(0, k)
    if (left.length < k && ranked.length === most) return undefined
    const kept = <T>(list: readonly T[]): readonly T[] => left.flatMap((at) => list.slice(at, at + 1))
    return { ranked: kept(ranked), statistics, explained: explained === null ? null : kept(explained), position }
  }
  const first = await amongBest(Math.max(leastCandidates, k * candidatesPerChunk))
  if (first !== undefined) return first
  const some = await allowedDocuments(session, search, mostIdsAtFirst)
  if (some.isAll) return rank(some.position, k, some.ids)
  const second = await amongBest(Math.max(secondCandidates, k * candidatesPerChunk))
  if (second !== undefined) return second
  const all = await allowedDocuments(session, search, null)
  return rank(all.position, k, all.ids)
}

async function passingDocuments(
  session: Session,
  condition: RawBuilder<boolean>,
  ranked: readonly RankedChunk[],
): Promise<ReadonlySet<number>> {
  if (ranked.length === 0) return new Set()
  const ids = [...new Set(ranked.map(({ documentId }) => documentId))]
  const rows = await session.rows(sql<{ id: string }>`
    select d.id from docket_documents.document d where d.id = any (${ids}::bigint[]) and ${condition}`)
  return new Set(rows.map(({ id }) => Number(id)))
}

interface Allowed {
  readonly position: number
  readonly ids: Float64Array
  readonly isAll: boolean
}

/** The position comes with them, from one snapshot: a document that was replaced in between counts once. */
async function allowedDocuments(
  session: Session,
  { collectionIds, condition }: VisibleSearch,
  most: number | null,
): Promise<Allowed> {
  const [row] = await session.rows(sql<{ position: string; ids: string }>`
    select log.position, (
      select coalesce(string_agg(found.id::text, ','), '') from (
        select d.id from docket_documents.document d
        where d.collection_id = any (${collectionIds}::integer[]) and d.removed_position is null and ${condition ?? sql`true`}
        limit ${most === null ? null : most + 1}
      ) as found
    ) as ids
    from docket_documents.change_log log`)
  const text = row?.ids ?? ''
  const ids = Float64Array.from(text === '' ? [] : text.split(','), Number).sort()
  return { position: Number(row?.position ?? 0), ids, isAll: most === null || ids.length <= most }
}
