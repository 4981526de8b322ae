import { type Segment, tokenOf, u16, u32 } from '../segments/segment.ts'
import { LooseTimes } from './loose-times.ts'
import type { QueryTerm } from './query-term.ts'
import type { TermPair } from './term-pairs.ts'
import { TokenMap } from './token-map.ts'

/** A term of the query and the number of visible chunks that contain it. */
export interface CountedTerm extends QueryTerm {
  readonly hash: number
  readonly chunks: number
}
/** Adds this many chunks without any word of the query: in a small collection every word looks common. */
const imaginedChunks = 1_000
/** Words of a pair count fully if adjacent (with at most one word between them), less within eight words. */
const closeWords = 2
const nearWords = 7
const nearShare = 0.6
/** The `evidence` of a chunk at which four of five chunks answer the question (docs/decisions/0019). */
const evidenceAtHalf = 0.057

/**
 * The probability that a chunk answers the query, from 0 to 1, independent of other results (docs/decisions/0019):
 *
 *  stated      share of the query's words, by their rarity, that the chunk contains; repetitions count more
 *  distinct    rarity of the words of the query
 *  together    share of the query's adjacent words that are close in the chunk
 *  same        share of the query in the chunk times share of the chunk in the query: 1 for equal texts
 */
export class RelevanceMeasure {
  readonly #words: readonly Word[]
  readonly #pairs: readonly Pair[]
  readonly #wordOf: TokenMap
  /** Of all terms of the query: parts of its identifiers, too, that say nothing alone. */
  readonly #searched: TokenMap
  readonly #total: number
  readonly #distinct: number
  readonly #looseTimes = new LooseTimes()
  readonly #pairTotal: number

  constructor(terms: readonly CountedTerm[], pairs: readonly TermPair[], chunks: number) {
    const all = chunks + imaginedChunks
    this.#words = wordsOf(terms, all)
    this.#wordOf = new TokenMap(
      this.#words.flatMap(({ tokens }, index) => tokens.map((token) => [token, index] as const)),
    )
    this.#searched = new TokenMap(
      terms.filter(({ isLoose }) => !isLoose).map(({ hash }) => [tokenOf(hash), 0] as const),
    )
    const counts = this.#words.reduce((sum, { count }) => sum + count, 0)
    this.#total = this.#words.reduce((sum, { count, rarity }) => sum + count * rarity, 0)
    this.#distinct = Math.min(this.#total / Math.max(counts, 1) / Math.log(2 * all), 1)
    this.#pairs = pairsOf(terms, pairs, this.#words)
    this.#pairTotal = this.#pairs.reduce((sum, { weight }) => sum + weight, 0)
  }

  of(segment: Segment, chunk: number): number {
    if (this.#total === 0) return 0
    const { times, aside, closeness, textWords, matched } = this.#read(segment, chunk)
    let stated = 0
    let covered = 0
    for (const [index, { count, rarity, loose }] of this.#words.entries()) {
      let n = (times[index] ?? 0) + 2 * (aside[index] ?? 0)
      for (const term of loose) n += this.#looseTimes.of(term, segment, chunk)
      stated += (count * rarity * n) / (n + 1)
      if (n > 0) covered += count * rarity
    }
    const share = covered / this.#total
    const together =
      this.#pairTotal === 0
        ? share
        : this.#pairs.reduce((sum, { weight }, pair) => sum + weight * (closeness[pair] ?? 0), 0) / this.#pairTotal
    const evidence = (stated / this.#total) ** 3 * this.#distinct ** 2 * (0.2 + 0.8 * together)
    const root = Math.sqrt(evidence)
    const sure = root / (root + Math.sqrt(evidenceAtHalf))
    const same = textWords === 0 ? 0 : share * (matched / textWords)
    return rounded(1 - (1 - sure) * (1 - same ** 4))
  }

  /** One pass over the words of a chunk. Its text is the last field. */
  #read({ tokenStart, tokens }: Segment, chunk: number) {
    const to = u32(tokenStart, chunk + 1)
    const text = textStart(tokens, u32(tokenStart, chunk), to)
    const times = new Uint32Array(this.#words.length)
    const aside = new Uint8Array(this.#words.length)
    const last = new Int32Array(this.#words.length).fill(-1_000)
    const closeness = new Float64Array(this.#pairs.length)
    let matched = 0
    for (let at = u32(tokenStart, chunk); at < to; at++) {
      const token = u16(tokens, at)
      if (token === 0) last.fill(-1_000)
      const word = this.#wordOf.numberOf(token)
      if (word < 0) {
        if (at >= text && this.#searched.numberOf(token) >= 0) matched++
        continue
      }
      if (at >= text) {
        times[word] = (times[word] ?? 0) + 1
        matched++
      } else aside[word] = 1
      this.#recordCloseness(word, at, last, closeness)
      last[word] = at
    }
    return { times, aside, closeness, matched, textWords: to - text }
  }

  #recordCloseness(word: number, at: number, last: Int32Array, closeness: Float64Array): void {
    for (const pair of this.#words[word]?.pairs ?? []) {
      const { one, other } = this.#pairs[pair] as Pair
      const distance = at - (last[one === word ? other : one] ?? -1_000)
      const reached = distance <= closeWords ? 1 : distance <= nearWords ? nearShare : 0
      if (reached > (closeness[pair] ?? 0)) closeness[pair] = reached
    }
  }
}

interface Word {
  readonly count: number
  readonly rarity: number
  readonly tokens: readonly number[]
  /** Terms that are not in the word order of the chunk. */
  readonly loose: readonly string[]
  /** Indexes of the pairs that contain it. */
  readonly pairs: number[]
}

interface Pair {
  readonly one: number
  readonly other: number
  readonly weight: number
}

/** Several terms may be searched for a word of the query: its rarity is that of the most common term. */
function wordsOf(terms: readonly CountedTerm[], all: number): readonly Word[] {
  return [...Map.groupBy(terms, nameOf).values()].map(meantTerms).map((same) => {
    const chunks = Math.max(...same.map((term) => term.chunks))
    return {
      count: Math.max(...same.map(({ count }) => count)),
      rarity: Math.log(1 + (all - chunks + 0.5) / (chunks + 0.5)),
      tokens: same.filter(({ isLoose }) => !isLoose).map(({ hash }) => tokenOf(hash)),
      loose: same.filter(({ isLoose }) => isLoose).map(({ term }) => term),
      pairs: [],
    }
  })
}

/** Of an identifier those with its digits: a chunk with ERR-42 is found by the `err` of ERR-43, and is no answer. */
function meantTerms(same: readonly CountedTerm[]): readonly CountedTerm[] {
  const isIdentifier = same.some(({ term }) => /\p{L}/u.test(term) && /\p{N}/u.test(term))
  return isIdentifier ? same.filter(({ term }) => /\p{N}/u.test(term)) : same
}

function nameOf({ word, term }: QueryTerm): number | string {
  return word ?? term
}

function pairsOf(terms: readonly QueryTerm[], pairs: readonly TermPair[], words: readonly Word[]): readonly Pair[] {
  const names = [...new Set(terms.map(nameOf))]
  const wordOf = new Map(terms.map((term) => [term.term, names.indexOf(nameOf(term))]))
  const found = new Map<string, Pair>()
  for (const [first, second] of pairs) {
    const one = wordOf.get(first)
    const other = wordOf.get(second)
    if (one === undefined || other === undefined || one === other) continue
    const weight = Math.min(words[one]?.rarity ?? 0, words[other]?.rarity ?? 0)
    found.set([one, other].sort().join(' '), { one, other, weight })
  }
  const list = [...found.values()]
  for (const [index, { one, other }] of list.entries()) for (const word of [one, other]) words[word]?.pairs.push(index)
  return list
}

function textStart(tokens: Uint16Array, from: number, to: number): number {
  for (let at = to; at > from; at--) if (u16(tokens, at - 1) === 0) return at
  return from
}

/** NFKC never shortens a text below this share of its length. */
const shortestPlainShare = 1 / 4

/**
 * A text that equals the query is the best result, whatever its words are. @returns a function from a text and the relevance of
 * its words to the relevance of the text
 */
export function relevanceOfTexts(query: string): (text: string, relevance: number) => number {
  const wanted = plain(query)
  return (text, relevance) => {
    if (wanted === '' || isLongerThan(text, wanted.length / shortestPlainShare)) return relevance
    return plain(withSingleSpaces(text)) === wanted ? 1 : relevance
  }
}

/** Whether a text has more characters than this besides white space. Reads only the beginning of most texts. */
function isLongerThan(text: string, max: number): boolean {
  let count = 0
  for (let at = 0; at < text.length && count <= max; at++) if (!isWhiteSpace(text.charCodeAt(at))) count++
  return count > max
}

/** Also some other rare characters. */
function isWhiteSpace(code: number): boolean {
  return code <= 0x20 || code === 0xa0 || (code >= 0x16_80 && code <= 0x30_00) || code === 0xfe_ff
}

function plain(text: string): string {
  return withSingleSpaces(text.normalize('NFKC').toLowerCase())
}

function withSingleSpaces(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

function rounded(relevance: number): number {
  return Math.round(relevance * 10_000) / 10_000
}
