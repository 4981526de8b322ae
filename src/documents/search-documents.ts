import { sql } from 'kysely'
import type { Principal } from '../identity/principal.ts'
import type { Problem } from '../kernel/problem.ts'
import { type Result, succeed } from '../kernel/result.ts'
import { highlightsOf, type Range } from './answer/highlight.ts'
import type { DocumentRoom } from './document-room.ts'
import { filterCondition } from './filter/read-filter.ts'
import { queryTerms } from './index/query-terms.ts'
import type { QueryTerm } from './index/rank-chunks.ts'
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
}

/** A chunk that was found, and the words in it that the query asked for. */
export interface SearchHit extends FoundChunk {
  readonly highlights: readonly Range[]
}

/** The best chunks for a query among the documents that the caller may read and the filter holds for, best first. */
export async function searchDocuments(
  room: DocumentRoom,
  principal: Principal,
  search: Search,
): Promise<Result<readonly SearchHit[], Problem>> {
  using reading = room.index.begin()
  const filter = filterCondition(search.filter, sql`d.filter_values`)
  if (!filter.ok) return filter
  const readable = await readableCollections(room.database, principal, search.collectionNames)
  if (!readable.ok) return readable
  const { position, collections } = readable.value
  const visible = await visibleDocuments(room.readableRecords, principal, collections)
  const terms = queryTerms(search.query, [...new Set(collections.flatMap(({ languages }) => languages))])
  const { ranked } = await rankVisible(room.database, reading, position, {
    terms,
    k: search.k,
    collectionIds: collections.map(({ id }) => id),
    condition: bothOf(visible, filter.value),
  })
  const chunks = await readChunks(room.database, ranked)
  return succeed(chunks.map((chunk) => withHighlights(chunk, terms)))
}

function withHighlights(chunk: FoundChunk, terms: readonly QueryTerm[]): SearchHit {
  const asked = new Set(terms.map(({ term }) => term))
  return { ...chunk, highlights: highlightsOf(chunk.text, chunk.language, asked) }
}
