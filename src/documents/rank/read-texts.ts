import type { Session } from '../../database/database.ts'
import type { RankedChunk } from '../../search-engine/ranking/best-chunks.ts'
import { type ChunkKey, keyOf } from '../../search-engine/ranking/fuse-rankings.ts'
import { unpackRanking } from '../../search-engine/ranking/pack-ranking.ts'
import { readChunks } from '../store/read-chunks.ts'
import type { IndexView } from '../sync/lexical-index.ts'
import type { TextsWithRelevance } from './best-texts.ts'
import type { VisibleRanking, VisibleSearch } from './rank-visible.ts'

/**
 * Chunks of the documents that only vectors found. Other chunks of these documents contain too few words of the query
 * to matter.
 */
const maxChunksOfOthers = 10_000

interface TextSources {
  readonly session: Session
  readonly view: IndexView
}

interface RankedSearch {
  readonly search: VisibleSearch & { readonly query: string }
  readonly lexical: VisibleRanking
}

/** At the same time: the texts from the database, and the relevance from the thread of the words. */
export async function readTexts(
  { session, view }: TextSources,
  chunks: readonly RankedChunk[],
  { search, lexical }: RankedSearch,
): Promise<TextsWithRelevance> {
  const [found, relevance] = await Promise.all([
    readChunks(session, chunks),
    search.query === '' ? new Map<string, number>() : relevanceOf(view, chunks, lexical, search),
  ])
  return { chunks: found, relevance }
}

/**
 * Relevance is the same in every mode: it depends on the words of the chunk. Therefore chunks that vectors found are
 * scored lexically, too.
 */
async function relevanceOf(
  view: IndexView,
  chunks: readonly ChunkKey[],
  lexical: VisibleRanking,
  { terms, pairs, collectionIds, visible }: VisibleSearch,
): Promise<ReadonlyMap<string, number>> {
  const known = new Map(lexical.ranked.map((chunk) => [keyOf(chunk), chunk.relevance]))
  const others = chunks.filter((chunk) => !known.has(keyOf(chunk)))
  if (others.length > 0) {
    const allowed = Float64Array.from(new Set(others.map(({ documentId }) => documentId))).sort()
    const options = { k: maxChunksOfOthers, pairs, allowed }
    const limits = visible === null ? {} : { visible }
    const found = await view.search(lexical.position, { collectionIds, terms, options, ...limits })
    for (const chunk of unpackRanking(found).ranked) known.set(keyOf(chunk), chunk.relevance)
  }
  return known
}
