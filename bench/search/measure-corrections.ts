import { termsIn } from '../../src/search-engine/analysis/analyze.ts'
import { canBeMisspelt } from '../../src/search-engine/ranking/correct-terms.ts'
import { queryTerms } from '../../src/search-engine/ranking/query-terms.ts'
import { rankChunks } from '../../src/search-engine/ranking/rank-chunks.ts'
import { type IndexedCollection, indexCollection, type JudgedCollection } from './judged-collections.ts'

/**
 * Original queries whose response has no correction: how many, and how many of them get another response, byte for byte, from an engine
 * without corrections.
 */
export function measureCorrectQueries(collection: JudgedCollection): {
  readonly queries: number
  readonly changed: number
} {
  const { parts, languages } = indexCollection(collection)
  let queries = 0
  let changed = 0
  for (const { text } of collection.queries) {
    const { terms, pairs } = queryTerms(text, languages)
    const options = { k: 100, pairs, explain: true }
    const corrected = rankChunks(parts, terms, options)
    if (corrected.corrections.length > 0) continue
    const plain = terms.map(({ spelling: _, ...term }) => term)
    queries++
    if (JSON.stringify(corrected) !== JSON.stringify(rankChunks(parts, plain, options))) changed++
  }
  return { queries, changed }
}

/** For queries with one generated mistake each: the share with the same best chunk as without the mistake. */
export function measureCorrections(
  collections: readonly JudgedCollection[],
  count: number,
): { readonly queries: number; readonly share: number } {
  const indexed = collections.map((collection) => ({ collection, index: indexCollection(collection) }))
  const next = numbersFrom(11)
  let queries = 0
  let found = 0
  while (queries < count)
    for (const { collection, index } of indexed) {
      const text = collection.queries[next() % collection.queries.length]?.text ?? ''
      const wrong = withMistake(text, next)
      const best = bestOf(index, text)
      if (wrong === undefined || best === undefined || queries === count) continue
      queries++
      if (bestOf(index, wrong) === best) found++
    }
  return { queries, share: found / queries }
}

function bestOf({ parts, languages }: IndexedCollection, query: string): string | undefined {
  const { terms, pairs } = queryTerms(query, languages)
  const [best] = rankChunks(parts, terms, { k: 1, pairs }).ranked
  return best === undefined ? undefined : `${best.documentId} ${best.chunkIndex}`
}

/** A letter added, left out, replaced, or swapped with its neighbour, in one word that is not a stop word. */
function withMistake(text: string, next: () => number): string | undefined {
  const words = termsIn(text).filter(({ from, to }) => canBeMisspelt(text.slice(from, to)) && to - from > 4)
  const word = words[next() % Math.max(words.length, 1)]
  if (word === undefined) return undefined
  const at = word.from + (next() % (word.to - word.from - 1))
  const letter = text[word.from + (next() % (word.to - word.from))] ?? ''
  const [head, one, two, tail] = [text.slice(0, at), text[at] ?? '', text[at + 1] ?? '', text.slice(at + 2)]
  const wrong = [
    head + letter + one + two + tail,
    head + two + tail,
    head + letter + two + tail,
    head + two + one + tail,
  ]
  const made = wrong[next() % wrong.length] ?? text
  return made === text ? undefined : made
}

/** The same random numbers in each run. */
function numbersFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state >>> 8
  }
}
