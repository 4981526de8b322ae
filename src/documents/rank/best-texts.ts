import type { RankedChunk } from '../../search-engine/ranking/best-chunks.ts'
import { type ChunkKey, keyOf } from '../../search-engine/ranking/fuse-rankings.ts'
import type { FoundChunk } from '../store/read-chunks.ts'
import type { VisibleRanking } from './rank-visible.ts'

/** Texts of some chunks, and the relevance of all that were ranked by words or are among these. */
export interface TextsWithRelevance {
  readonly chunks: readonly FoundChunk[]
  readonly relevance: ReadonlyMap<string, number>
}

/** @param lexical the ranking by words */
type ReadTexts = (chunks: readonly RankedChunk[], lexical: VisibleRanking) => Promise<TextsWithRelevance>

/** More are not read before it is known which of them are the best. */
const maxAheadOfEach = 3

/**
 * Texts of the best chunks. Those of chunks that can be among them are read while their exact ranks are: both are statements, which then
 * do not wait for each other. Chunks that turn out not to be among the best are left out.
 */
export class BestTexts {
  readonly #read: ReadTexts
  #ahead: { readonly keys: ReadonlySet<string>; readonly texts: Promise<TextsWithRelevance> } | null = null

  constructor(read: ReadTexts) {
    this.#read = read
  }

  /**
   * @param possible chunks that can be among the best
   * @param count how many are returned
   */
  readAhead(possible: readonly ChunkKey[], lexical: VisibleRanking, count: number): void {
    if (this.#ahead !== null || possible.length > count * maxAheadOfEach) return
    const texts = this.#read(
      possible.map(({ documentId, chunkIndex }) => ({ documentId, chunkIndex, score: 0, relevance: 0 })),
      lexical,
    )
    // An error matters only if the texts are needed.
    texts.catch(() => undefined)
    this.#ahead = { keys: new Set(possible.map(keyOf)), texts }
  }

  /** With the given scores. */
  async of(best: readonly RankedChunk[], lexical: VisibleRanking): Promise<TextsWithRelevance> {
    const ahead = this.#ahead
    if (ahead === null) return this.#read(best, lexical)
    const others = best.filter((chunk) => !ahead.keys.has(keyOf(chunk)))
    const [known, read] = await Promise.all([ahead.texts, others.length === 0 ? null : this.#read(others, lexical)])
    const scores = new Map(best.map((chunk) => [keyOf(chunk), chunk.score]))
    const chunks = [...known.chunks, ...(read?.chunks ?? [])].flatMap((chunk) => {
      const score = scores.get(keyOf(chunk))
      return score === undefined ? [] : [{ ...chunk, score }]
    })
    return { chunks, relevance: read === null ? known.relevance : new Map([...known.relevance, ...read.relevance]) }
  }

  /** Resolves when nothing is being read for this search any more. */
  async settled(): Promise<void> {
    await this.#ahead?.texts.catch(() => undefined)
  }
}
