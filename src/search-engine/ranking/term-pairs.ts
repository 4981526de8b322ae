import { type Segment, tokenOf, u8, u16, u32 } from '../segments/segment.ts'
import { lowestBits, TokenMap } from './token-map.ts'

/** Two adjacent words of a query, ignoring stop words. */
export type TermPair = readonly [one: string, other: string]

/** A pair whose terms both occur in documents. */
export interface WeightedPair {
  /** Indexes of the terms in the query. */
  readonly one: number
  readonly other: number
  /** The maximum that the pair adds. */
  readonly weight: number
}

/** Words further apart than this, ignoring stop words, are not close. */
const windowWords = 8
/** What two close words add, as a share of twice the rarity of the more common one (docs/decisions/0018). */
const pairShare = 0.24

export function weightOfPair(rarity: number, otherRarity: number): number {
  return pairShare * Math.min(rarity, otherRarity)
}

/**
 * The addition to a chunk's score for close words: for each pair `weight · n / (n + 1)`, where n counts the occurrences of one
 * word within eight words after the other, in either order.
 */
export class PairScorer {
  /** Upper bound of the addition. */
  readonly max: number
  readonly pairs: readonly WeightedPair[]
  readonly #termOf: TokenMap
  readonly #pairsOf: readonly (readonly number[])[]
  readonly #last: Int32Array
  readonly #counts: Float64Array

  /** @param hashes of the query's terms (`hashOfBytes`) */
  constructor(hashes: readonly number[], pairs: readonly WeightedPair[]) {
    this.pairs = pairs
    this.max = pairs.reduce((sum, { weight }) => sum + weight, 0)
    this.#termOf = new TokenMap(hashes.map((hash, term) => [tokenOf(hash), term]))
    this.#pairsOf = hashes.map((_, term) =>
      pairs.flatMap(({ one, other }, pair) => (one === term || other === term ? pair : [])),
    )
    this.#last = new Int32Array(hashes.length)
    this.#counts = new Float64Array(pairs.length)
  }

  of(segment: Segment, chunk: number): number {
    this.#count(segment, chunk)
    let sum = 0
    for (let pair = 0; pair < this.#counts.length; pair++) sum += this.#scoreOf(pair)
    return sum
  }

  /** What each pair adds. */
  each(segment: Segment, chunk: number): readonly number[] {
    this.#count(segment, chunk)
    return this.pairs.map((_, pair) => this.#scoreOf(pair))
  }

  #scoreOf(pair: number): number {
    const count = this.#counts[pair] as number
    return count === 0 ? 0 : ((this.pairs[pair] as WeightedPair).weight * count) / (count + 1)
  }

  #count({ tokenStart, tokens }: Segment, chunk: number): void {
    const last = this.#last.fill(-windowWords)
    this.#counts.fill(0)
    const { lowest } = this.#termOf
    const from = u32(tokenStart, chunk)
    const to = u32(tokenStart, chunk + 1)
    let gaps = 0
    for (let at = from; at < to; at++) {
      const token = u16(tokens, at)
      // Of a hundred tokens, one or two are words of the query.
      if (token !== 0 && u8(lowest, token & lowestBits) === 0) continue
      // Words of two fields are never near.
      if (token === 0) gaps += windowWords
      const term = this.#termOf.numberOf(token)
      if (term < 0) continue
      const place = at - from + gaps
      this.#countPairs(term, place, last)
      last[term] = place
    }
  }

  #countPairs(term: number, place: number, last: Int32Array): void {
    for (const number of this.#pairsOf[term] as readonly number[]) {
      const { one, other } = this.pairs[number] as WeightedPair
      const before = last[one === term ? other : one] as number
      if (place - before < windowWords) this.#counts[number] = (this.#counts[number] as number) + 1
    }
  }
}
