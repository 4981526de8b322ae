import { KnownWords } from '../segments/known-words.ts'
import { seekPosting } from '../segments/posting-blocks.ts'
import { findDocument, hashOfBytes, type Segment, u8, u32 } from '../segments/segment.ts'
import { findTerm } from '../segments/sorted-terms.ts'
import { countOfBitmap, hasBit, isBitmap } from '../segments/stop-word-bitmaps.ts'
import { BestChunks, type RankedChunk } from './best-chunks.ts'
import { k1For, type LengthModel, rarityOf, saturationOf, scoreOfPosting } from './bm25.ts'
import { type Correction, correctTerms } from './correct-terms.ts'
import { PhraseFilter, type PhraseTerms } from './phrase-filter.ts'
import type { QueryTerm } from './query-term.ts'
import { RelevanceMeasure } from './relevance.ts'
import { postingsOf, type SearchedPart, type SearchWork, scorePart } from './score-part.ts'
import { scoreRanges } from './score-ranges.ts'
import { PairScorer, type TermPair, weightOfPair } from './term-pairs.ts'

export interface RankOptions {
  readonly k: number
  /**
   * Ids of the documents that may be found, ascending: those that pass the filter. Other documents still count in the
   * statistics, so all documents must be visible to the caller. Absent: all.
   */
  readonly allowed?: Float64Array
  /** Also return what each term adds to each score. */
  readonly explain?: boolean
  /** Terms of the query that raise the score of a chunk if they occur near each other. */
  readonly pairs?: readonly TermPair[]
  /** Chunks that lack one of them are dropped. */
  readonly phrases?: readonly PhraseTerms[]
  /** Segments with at least this many postings of the query are not read as a whole. The ranking does not depend on it. */
  readonly skipFrom?: number
  /** Counts what the search reads, for measurements. */
  readonly work?: SearchWork
}

/** With fewer postings of a query in a segment, computing bounds would cost more than it saves (docs/decisions/0034). */
const defaultSkipFrom = 20_000

/** The statistics behind the scores, to explain them. */
export interface RankStatistics {
  readonly chunks: number
  readonly averageLength: number
  /** The number of chunks with each query term, in the order in which the terms were scored. */
  readonly terms: readonly { readonly term: string; readonly count: number; readonly chunks: number }[]
}

/** The result of one search. */
export interface Ranking {
  readonly ranked: readonly RankedChunk[]
  readonly statistics: RankStatistics
  /** What each term of `statistics` adds to the score of each chunk; null unless requested. */
  readonly explained: readonly (readonly number[])[] | null
  /** Words of the query that no visible chunk contains, and the terms that were searched instead. */
  readonly corrections: readonly Correction[]
}

/**
 * The k best chunks by BM25 over all segments as one collection; equal scores are ordered by doc_id, then by chunk. The order
 * of the segments and the distribution of documents have no effect: sums are always computed in the same order.
 *
 * @param known words of the segments, possibly with others
 */
export function rankChunks(
  parts: readonly SearchedPart[],
  query: readonly QueryTerm[],
  options: RankOptions,
  known = new KnownWords(parts.map(({ segment }) => segment)),
): Ranking {
  const { chunks, averageLength } = sizesOf(parts)
  const { requested, corrections, pairs } = lookUpCorrected(parts, query, options.pairs ?? [], known)
  const terms = requested.filter((term) => term.chunks > 0)
  const k1 = k1For(new Set(terms.map(({ word, term }) => word ?? term)).size)
  const weighted = terms
    .map((term) => weigh(term, chunks, k1))
    .sort((x, y) => y.weight - x.weight || (x.term < y.term ? -1 : 1))
  const model = { k1, averageLength, pairs: pairScorer(weighted, pairs) }
  const phrases = options.phrases?.length ? new PhraseFilter(options.phrases) : null
  const best = new BestChunks(
    parts.map(({ segment }) => segment),
    options.k,
  )
  for (const [part, searched] of parts.entries()) {
    const ordinals = weighted.map(({ weight, ordinals }) => ({ weight, ordinal: ordinals[part] ?? -1 }))
    if (searched.isOnlyCounted === true || ordinals.every(({ ordinal }) => ordinal < 0)) continue
    const { allowed, work, skipFrom = defaultSkipFrom } = options
    const isWhole = postingsOf(searched.segment, ordinals) < skipFrom || searched.chunksWith !== undefined
    const score = isWhole ? scorePart : scoreRanges
    score(searched, ordinals, model, { part, best, pairs: model.pairs, phrases, allowed, work })
  }
  const relevance = new RelevanceMeasure(requested, pairs, chunks)
  const ranked = best.inOrder((segment, chunk) => relevance.of(segment, chunk))
  const explain = (chunk: RankedChunk): readonly number[] => explainChunk(parts, chunk, weighted, model)
  return {
    ranked,
    corrections,
    explained: options.explain === true ? ranked.map(explain) : null,
    statistics: {
      chunks,
      averageLength,
      terms: weighted.map(({ term, count, chunks }) => ({ term, count, chunks })),
    },
  }
}

/** The terms that a search looks up in these segments: those of the query, with corrections instead of words that no chunk contains. */
export function searchedTerms(
  parts: readonly SearchedPart[],
  query: readonly QueryTerm[],
  known: KnownWords,
): readonly string[] {
  return lookUpCorrected(parts, query, [], known).requested.map(({ term }) => term)
}

interface Model extends LengthModel {
  /** null: the query has no adjacent terms that documents contain. */
  readonly pairs: PairScorer | null
}

/** What each term adds to a score. The score of a pair is shared by its terms. */
function explainChunk(
  parts: readonly SearchedPart[],
  { documentId, chunkIndex }: RankedChunk,
  terms: readonly WeightedTerm[],
  model: Model,
): readonly number[] {
  for (const [part, { segment }] of parts.entries()) {
    const document = findDocument(segment, documentId)
    if (document < 0) continue
    const chunk = u32(segment.firstChunk, document) + chunkIndex
    const scores = terms.map((term) => scoreOfTerm(segment, chunk, term, { part, model }))
    for (const [number, added] of (model.pairs?.each(segment, chunk) ?? []).entries()) {
      const pair = model.pairs?.pairs[number]
      for (const term of pair === undefined ? [] : [pair.one, pair.other])
        scores[term] = (scores[term] ?? 0) + added / 2
    }
    return scores
  }
  return terms.map(() => 0)
}

function scoreOfTerm(
  segment: Segment,
  chunk: number,
  { ordinals, weight }: WeightedTerm,
  { part, model }: { readonly part: number; readonly model: Model },
): number {
  const ordinal = ordinals[part] ?? -1
  const times = ordinal < 0 ? 0 : timesIn(segment, ordinal, chunk)
  if (times === 0) return 0
  return scoreOfPosting(weight, times, u32(segment.chunkLength, chunk), saturationOf(model))
}

/** How often a chunk contains a term. */
function timesIn(segment: Segment, ordinal: number, chunk: number): number {
  const { postingStart, postings } = segment
  if (isBitmap(segment, ordinal)) return hasBit(segment, ordinal, chunk) ? 1 : 0
  const to = u32(postingStart, ordinal + 1)
  const place = seekPosting(postings, u32(postingStart, ordinal), to, (chunk << 8) >>> 0)
  const posting = place < to ? u32(postings, place) : 0
  return posting >>> 8 === chunk ? posting & 255 : 0
}

interface RankRequest {
  readonly requested: readonly FoundTerm[]
  readonly pairs: readonly TermPair[]
  readonly corrections: readonly Correction[]
}

/** The weight of a second or third correction relative to the first. */
const guessShare = 0.5

/** Replaces a word that no visible chunk contains by its nearest terms. */
function lookUpCorrected(
  parts: readonly SearchedPart[],
  query: readonly QueryTerm[],
  pairs: readonly TermPair[],
  known: KnownWords,
): RankRequest {
  const requested = query.map((term) => lookUp(parts, term))
  const held = new Set(requested.filter(({ chunks }) => chunks > 0).map(({ word }) => word))
  const missing = requested.filter(({ word, spelling }) => spelling !== undefined && !held.has(word))
  if (missing.length === 0) return { requested, pairs, corrections: [] }
  const corrections = correctTerms(
    parts.map((part) => ({ segment: part.segment, chunksWith: (ordinal: number) => chunksWith(part, ordinal) })),
    missing,
    known,
  )
  const termsOf = new Map(corrections.map(({ word, terms }) => [word, terms]))
  const instead = new Map(missing.map(({ term, word }) => [term, termsOf.get(word ?? 0) ?? [term]]))
  const corrected = new Map<string, FoundTerm>()
  for (const found of requested)
    for (const [guess, term] of (instead.get(found.term) ?? [found.term]).entries())
      if (!corrected.has(term)) corrected.set(term, guessed(parts, found, term, guess))
  const both = (term: string): readonly string[] => instead.get(term) ?? [term]
  return {
    requested: [...corrected.values()],
    corrections,
    pairs: pairs.flatMap(([one, other]) =>
      both(one).flatMap((first) => both(other).map((next) => [first, next] as const)),
    ),
  }
}

function guessed(parts: readonly SearchedPart[], found: FoundTerm, term: string, guess: number): FoundTerm {
  if (term === found.term) return found
  const { count, word } = found
  return lookUp(parts, {
    term,
    count: guess === 0 ? count : count * guessShare,
    ...(word === undefined ? {} : { word }),
  })
}

interface FoundTerm extends QueryTerm {
  readonly hash: number
  /** The number of chunks that contain it. */
  readonly chunks: number
  /** In each segment, or -1. */
  readonly ordinals: readonly number[]
}

interface WeightedTerm extends FoundTerm {
  readonly rarity: number
  readonly weight: number
}

function pairScorer(terms: readonly WeightedTerm[], pairs: readonly TermPair[]): PairScorer | null {
  const indexes = new Map(terms.map(({ term }, index) => [term, index]))
  const weighted = pairs.flatMap(([first, second]) => {
    const one = indexes.get(first)
    const other = indexes.get(second)
    if (one === undefined || other === undefined) return []
    return [{ one, other, weight: weightOfPair(terms[one]?.rarity ?? 0, terms[other]?.rarity ?? 0) }]
  })
  if (weighted.length === 0) return null
  return new PairScorer(
    terms.map(({ hash }) => hash),
    weighted,
  )
}

function lookUp(parts: readonly SearchedPart[], queryTerm: QueryTerm): FoundTerm {
  const bytes = Buffer.from(queryTerm.term)
  const ordinals = parts.map(({ segment }) => findTerm(segment, bytes))
  const chunks = ordinals.reduce((sum, ordinal, part) => {
    const searched = parts[part]
    return ordinal < 0 || searched === undefined ? sum : sum + chunksWith(searched, ordinal)
  }, 0)
  return { ...queryTerm, hash: hashOfBytes(bytes, 0, bytes.length), chunks, ordinals }
}

/** Looking up a chunk in a list takes as long as reading this many of its postings. */
const postingsPerSeek = 8

function chunksWith({ segment, hidden, few = null, chunksWith: counted }: SearchedPart, ordinal: number): number {
  if (counted !== undefined) return counted(ordinal)
  if (isBitmap(segment, ordinal)) return countOfBitmap(segment, ordinal, hidden)
  const { postingStart, postings } = segment
  const from = u32(postingStart, ordinal)
  const to = u32(postingStart, ordinal + 1)
  if (hidden === null) return to - from
  if (few !== null && few.chunks.length * postingsPerSeek < to - from) {
    const common = commonChunks(postings, from, to, few.chunks)
    return few.areHidden ? to - from - common : common
  }
  let count = 0
  for (let place = from; place < to; place++) count += 1 - u8(hidden, u32(postings, place) >>> 8)
  return count
}

/** @param chunks ascending */
function commonChunks(postings: Uint32Array, from: number, to: number, chunks: Uint32Array): number {
  let count = 0
  let place = from
  for (const chunk of chunks) {
    place = seekPosting(postings, place, to, (chunk << 8) >>> 0)
    if (place === to) return count
    if (u32(postings, place) >>> 8 === chunk) count++
  }
  return count
}

function sizesOf(parts: readonly SearchedPart[]): { readonly chunks: number; readonly averageLength: number } {
  const chunks = parts.reduce((sum, part) => sum + part.chunks, 0)
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  // Texts with only stop words have no length.
  return { chunks, averageLength: length / Math.max(chunks, 1) || 1 }
}

function weigh(term: FoundTerm, chunks: number, k1: number): WeightedTerm {
  const rarity = rarityOf(term.chunks, chunks)
  return { ...term, rarity, weight: term.count * (k1 + 1) * rarity }
}
