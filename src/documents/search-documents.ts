import { sql } from 'kysely'
import type { Principal } from '../identity/principal.ts'
import type { Problem } from '../kernel/problem.ts'
import { type Result, succeed } from '../kernel/result.ts'
import { highlightsOf, type Range } from './answer/highlight.ts'
import type { DocumentRoom } from './document-room.ts'
import { filterCondition } from './filter/read-filter.ts'
import { queryTerms } from './index/query-terms.ts'
import type { QueryTerm, Ranking } from './index/rank-chunks.ts'
import { rankVisible } from './rank/rank-visible.ts'
import { readableCollections } from './rights/collection-access.ts'
import { bothOf, visibleDocuments } from './rights/visible-documents.ts'
import { type FoundChunk, readChunks } from './store/read-chunks.ts'

/** A search that was asked for (documents spec, section 4). */
export interface Search {
  readonly query: string
  readonly k: number
  /** null: all that the caller may read. */
  readonly collectionNames: readonly string[] | null
  /** An encoded query over metadata; '' holds for every document. */
  readonly filter: string
  readonly highlight?: boolean
  readonly explain?: boolean
}

export interface SearchHit extends FoundChunk {
  /** Words of the chunk that the query asks for; null unless asked for. */
  readonly highlights: readonly Range[] | null
  /** What the score is made of; null unless asked for. */
  readonly explanation: readonly ExplainedTerm[] | null
}

export interface ExplainedTerm {
  readonly term: string
  /** How often the query says it. */
  readonly weight: number
  /** Chunks of the collections searched that hold it. */
  readonly chunks: number
  readonly score: number
}

/** The best chunks for a query among the documents that the caller may read and the filter holds for, best first. */
export async function searchDocuments(
  room: DocumentRoom,
  principal: Principal,
  search: Search,
): Promise<Result<readonly SearchHit[], Problem>> {
  const filter = filterCondition(search.filter, sql`d.filter_values`)
  if (!filter.ok) return filter
  return room.index.whileReading(async (reading) => {
    const readable = await readableCollections(room.database, principal, search.collectionNames)
    if (!readable.ok) return readable
    const { position, collections } = readable.value
    const visible = await visibleDocuments(room.readableRecords, principal, collections)
    const terms = queryTerms(search.query, [...new Set(collections.flatMap(({ languages }) => languages))])
    const ranking = await rankVisible(room.database, reading, position, {
      terms,
      k: search.k,
      collectionIds: collections.map(({ id }) => id),
      condition: bothOf(visible, filter.value),
      explain: search.explain === true,
    })
    const chunks = await readChunks(room.database, ranking.ranked)
    return succeed(chunks.map((chunk) => hitOf(chunk, { ranking, terms, highlight: search.highlight !== false })))
  })
}

function hitOf(
  chunk: FoundChunk,
  {
    ranking,
    terms,
    highlight,
  }: { readonly ranking: Ranking; readonly terms: readonly QueryTerm[]; readonly highlight: boolean },
): SearchHit {
  const asked = new Set(terms.map(({ term }) => term))
  return {
    ...chunk,
    highlights: highlight ? highlightsOf(chunk.text, chunk.language, asked) : null,
    explanation: explanationOf(ranking, chunk),
  }
}

function explanationOf({ ranked, statistics, explained }: Ranking, chunk: FoundChunk): readonly ExplainedTerm[] | null {
  const at = ranked.findIndex(
    ({ documentId, chunkIndex }) => documentId === chunk.documentId && chunkIndex === chunk.chunkIndex,
  )
  const scores = explained?.[at]
  if (scores === undefined) return null
  return statistics.terms
    .map(({ term, count, chunks }, index) => ({ term, weight: count, chunks, score: scores[index] ?? 0 }))
    .filter(({ score }) => score > 0)
}
