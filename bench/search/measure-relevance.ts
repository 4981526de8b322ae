import { queryTerms } from '../../src/search-engine/ranking/query-terms.ts'
import { rankChunks } from '../../src/search-engine/ranking/rank-chunks.ts'
import { relevanceOfTexts } from '../../src/search-engine/ranking/relevance.ts'
import { quantile } from '../measure/figures.ts'
import { type IndexedCollection, indexCollection, type JudgedCollection } from './judged-collections.ts'

export interface RelevanceFigures {
  readonly name: string
  /** Minimum relevance of a chunk for its own text. */
  readonly equalText: number
  /** 95th percentile of the relevance of a random chunk for a query. */
  readonly random95: number
  readonly chunksAtHalf: number
  /** Share of these whose document was judged relevant. */
  readonly precisionAtHalf: number
}

/** One of this many chunks is searched by its own text. */
const equalTextStep = 7

export function measureRelevance(collection: JudgedCollection): RelevanceFigures {
  const indexed = indexCollection(collection)
  const names = new Map(indexed.texts.map(({ id, docId }) => [id, docId]))
  const random: number[] = []
  const checked: boolean[] = []
  for (const [at, { id, text }] of collection.queries.entries()) {
    const ranked = rank(indexed, text, 100_000)
    random.push(...randomRelevances(indexed, ranked, at))
    for (const { documentId, relevance } of ranked.slice(0, 10))
      if (relevance >= 0.5) checked.push((collection.judgements.get(id)?.get(names.get(documentId) ?? '') ?? 0) > 0)
  }
  return {
    name: collection.name,
    equalText: minOfEqualTexts(indexed),
    random95: quantile(random, 0.95),
    chunksAtHalf: checked.length,
    precisionAtHalf: checked.filter((isRelevant) => isRelevant).length / Math.max(checked.length, 1),
  }
}

function rank({ parts, languages }: IndexedCollection, query: string, k: number) {
  const { terms, pairs } = queryTerms(query, languages)
  return rankChunks(parts, terms, { k, pairs }).ranked
}

/** A sample of chunks, the same in each run; those without a word of the query have 0. */
function randomRelevances(
  { parts }: IndexedCollection,
  ranked: ReturnType<typeof rank>,
  query: number,
): readonly number[] {
  const chunks = parts.reduce((sum, part) => sum + part.chunks, 0)
  return Array.from({ length: 200 }, (_, number) => {
    const place = (query * 7_919 + number * 104_729) % chunks
    return ranked[place]?.relevance ?? 0
  })
}

/** A text of stop words only has no term. */
function minOfEqualTexts(indexed: IndexedCollection): number {
  let min = 1
  for (const { id, chunks } of indexed.texts)
    for (const [chunkIndex, { text }] of chunks.entries()) {
      if ((id + chunkIndex) % equalTextStep !== 0) continue
      const own = rank(indexed, text, 1_000).find((chunk) => chunk.documentId === id && chunk.chunkIndex === chunkIndex)
      min = Math.min(min, relevanceOfTexts(text)(text, own?.relevance ?? 0))
    }
  return min
}
