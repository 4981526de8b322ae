import { seekPosting } from '../segments/posting-blocks.ts'
import { blockShift, commonTo, f64, type Segment, u8, u16, u32 } from '../segments/segment.ts'
import { hasBit, isBitmap } from '../segments/stop-word-bitmaps.ts'
import {
  type LengthModel,
  type PartOffers,
  type PartTerm,
  type Saturation,
  type SearchedPart,
  type SearchWork,
  saturationOf,
  scoreOfPosting,
} from './score-part.ts'

/** Adjacent chunks that are scored or skipped together. */
const rangeShift = 6
const rangeChunks = 1 << rangeShift
/** A posting has eight bits below its chunk. */
const rangeOfPosting = rangeShift + 8

/** Bounds are sums of rounded numbers: a score may exceed its bound by less than this share. */
const slack = 1 + 1e-9

/**
 * Offers the same k best chunks as `scorePart`, but scores only ranges of chunks that can contain one of them (docs/decisions/0034):
 *
 *  1  For each range, the sum of what each term can add at most is a bound of the scores of its chunks.
 *  2  The ranges with the highest bounds are scored first. The k-th best score is nearly final then.
 *  3  Of the others, only ranges whose bound reaches the k-th best score are scored.
 */
export function scoreRanges(
  searched: SearchedPart,
  terms: readonly PartTerm[],
  model: LengthModel,
  offers: PartOffers,
): void {
  const saturation = saturationOf(model)
  const bounds = new RangeBounds(searched.segment.chunkCount, terms.length)
  for (const [number, term] of terms.entries())
    if (term.ordinal >= 0) bounds.add(searched.segment, term, number, saturation)
  const isAllowed = offers.allowed === undefined ? null : chunksOf(searched.segment, offers.allowed)
  if (isAllowed !== null) bounds.clearWithout(isAllowed)
  const scorer = new RangeScorer(searched, terms, saturation, { ...offers, isAllowed, maxima: bounds.maxima })
  const first = bounds.boundOfBest(rangesAtFirst(offers.best.k))
  scorer.score(bounds, first, Number.POSITIVE_INFINITY)
  scorer.score(bounds, 0, first)
  if (offers.work !== undefined) addWork(offers.work, bounds, scorer)
}

function addWork(work: SearchWork, bounds: RangeBounds, scorer: RangeScorer): void {
  work.postings += bounds.readPostings + scorer.readPostings
  work.ranges += scorer.scoredRanges
  work.skippedRanges += bounds.count - scorer.scoredRanges
}

/** Several chunks of a range may be among the best. */
function rangesAtFirst(k: number): number {
  return Math.max(16, k >> 1)
}

/** @returns 1 for each chunk of the documents */
function chunksOf(segment: Segment, documentIds: Float64Array): Uint8Array {
  const chunks = new Uint8Array(segment.chunkCount)
  for (const document of commonTo(segment.documentIds, documentIds))
    chunks.fill(1, u32(segment.firstChunk, document), u32(segment.firstChunk, document + 1))
  return chunks
}

/** For each range of a segment: the maximum that the terms add to the score of a chunk, and which terms it may contain. */
class RangeBounds {
  readonly count: number
  readPostings = 0
  /** For each term, what it adds to a score at most. */
  readonly maxima: Float64Array
  readonly #sums: Float64Array
  readonly #terms: Uint32Array
  #max = 0

  constructor(chunks: number, terms: number) {
    this.maxima = new Float64Array(terms)
    this.count = (chunks + rangeChunks - 1) >>> rangeShift
    this.#sums = new Float64Array(this.count)
    this.#terms = new Uint32Array(this.count)
  }

  boundOf(range: number): number {
    return f64(this.#sums, range)
  }

  /** A bit for each of the first 32 terms. */
  termsOf(range: number): number {
    return u32(this.#terms, range)
  }

  add(segment: Segment, { ordinal, weight }: PartTerm, number: number, saturation: Saturation): void {
    const bit = number < 32 ? 1 << number : 0
    this.#max = 0
    const from = u32(segment.postingStart, ordinal)
    const to = u32(segment.postingStart, ordinal + 1)
    if (isBitmap(segment, ordinal)) this.#addBitmap(segment, from, weight / (1 + saturation.fixed), bit)
    else if (to - from < this.count) this.#addPostings(segment, from, to, { weight, bit, saturation })
    else this.#addBlocks(segment, from, to, { weight, bit, saturation })
    this.maxima[number] = this.#max
  }

  #addBitmap({ postings }: Segment, from: number, max: number, bit: number): void {
    // The bitmap of an odd number of words ends in the middle of the last range: what follows it only adds to a bound.
    for (let range = 0; range < this.count; range++)
      if (u32(postings, from + range * 2) !== 0 || postings[from + range * 2 + 1] !== 0) this.#raise(range, max, bit)
  }

  /** A term with fewer postings than ranges: each posting is scored. */
  #addPostings({ postings, chunkLength }: Segment, from: number, to: number, { weight, bit, saturation }: Added): void {
    this.readPostings += to - from
    let range = -1
    let max = 0
    for (let place = from; place < to; place++) {
      const posting = u32(postings, place)
      const score = scoreOfPosting(weight, posting & 255, u32(chunkLength, posting >>> 8), saturation)
      if (posting >>> rangeOfPosting === range) {
        if (score > max) max = score
        continue
      }
      if (range >= 0) this.#raise(range, max, bit)
      range = posting >>> rangeOfPosting
      max = score
    }
    if (range >= 0) this.#raise(range, max, bit)
  }

  /** The bound of a block holds for the ranges from its first posting to its last one. */
  #addBlocks(segment: Segment, from: number, to: number, { weight, bit, saturation }: Added): void {
    const { postings, blockWeights, blockRatios } = segment
    const { fixed, perUnit } = saturation
    let range = u32(postings, from) >>> rangeOfPosting
    let max = 0
    for (let block = from >>> blockShift; block << blockShift < to; block++) {
      this.readPostings += 2
      const bound = weight / (1 + fixed / u8(blockWeights, block) + perUnit * u16(blockRatios, block))
      const last = u32(postings, Math.min((block + 1) << blockShift, to) - 1) >>> rangeOfPosting
      const first = u32(postings, Math.max(block << blockShift, from)) >>> rangeOfPosting
      if (first > range) {
        this.#raise(range, max, bit)
        range = first
        max = bound
      } else if (bound > max) max = bound
      for (; range < last; range++) {
        this.#raise(range, max, bit)
        max = bound
      }
    }
    this.#raise(range, max, bit)
  }

  #raise(range: number, by: number, bit: number): void {
    this.#sums[range] = f64(this.#sums, range) + by
    this.#terms[range] = u32(this.#terms, range) | bit
    if (by > this.#max) this.#max = by
  }

  /** @param chunks 1 for each chunk that may be found: ranges without one are skipped */
  clearWithout(chunks: Uint8Array): void {
    let next = chunks.indexOf(1)
    for (let range = 0; range < this.count; range++) {
      if (next >= 0 && next < range << rangeShift) next = chunks.indexOf(1, range << rangeShift)
      if (next < 0 || next >>> rangeShift !== range) this.#sums[range] = 0
    }
  }

  /** @returns a bound that about this many ranges reach */
  boundOfBest(ranges: number): number {
    let max = 0
    for (const sum of this.#sums) if (sum > max) max = sum
    const counts = new Uint32Array(steps + 1)
    const perStep = steps / (max || 1)
    for (const sum of this.#sums) {
      const step = Math.floor(sum * perStep)
      counts[step] = u32(counts, step) + 1
    }
    let left = ranges
    for (let step = steps; step > 0; step--) {
      left -= u32(counts, step)
      if (left <= 0) return step / perStep
    }
    return 0
  }
}

const steps = 255

interface Added {
  readonly weight: number
  readonly bit: number
  readonly saturation: Saturation
}

interface RangeOffers extends PartOffers {
  /** 1 for each chunk that may be found; null: all. */
  readonly isAllowed: Uint8Array | null
  /** For each term, what it adds to a score at most. */
  readonly maxima: Float64Array
}

/** For so few chunks of a range, looking up their postings is faster than reading those of the range. */
const maxLookedUp = 4

/** Scores ranges of one segment. */
class RangeScorer {
  readPostings = 0
  scoredRanges = 0
  readonly #searched: SearchedPart
  readonly #terms: readonly PartTerm[]
  readonly #saturation: Saturation
  readonly #offers: RangeOffers
  /** For each term: a place in the postings that is not after the current range. */
  readonly #places: Float64Array
  /** For each term, what it and all later ones add to a score at most. */
  readonly #rest: Float64Array
  /** Scores of the chunks of the current range; zero between two ranges. */
  readonly #scores = new Float64Array(rangeChunks)

  constructor(searched: SearchedPart, terms: readonly PartTerm[], saturation: Saturation, offers: RangeOffers) {
    this.#searched = searched
    this.#terms = terms
    this.#saturation = saturation
    this.#offers = offers
    this.#places = new Float64Array(terms.length)
    this.#rest = new Float64Array(terms.length + 1)
    for (let number = terms.length - 1; number >= 0; number--)
      this.#rest[number] = f64(this.#rest, number + 1) + f64(offers.maxima, number)
  }

  /** Scores the ranges with a bound from `min` to below `max` that can contain one of the k best chunks. */
  score(bounds: RangeBounds, min: number, max: number): void {
    const { segment } = this.#searched
    const { best, pairs } = this.#offers
    // Words with the same token as a term count as the term, so a range that lacks a term may have its pairs.
    const maxOfPairs = pairs?.max ?? 0
    for (const [number, { ordinal }] of this.#terms.entries())
      this.#places[number] = ordinal < 0 ? 0 : u32(segment.postingStart, ordinal)
    for (let range = 0; range < bounds.count; range++) {
      const bound = bounds.boundOf(range)
      if (bound < min || bound >= max || bound === 0 || (bound + maxOfPairs) * slack < best.min) continue
      if (!this.#isOpen(range)) continue
      this.scoredRanges++
      this.#scoreRange(range, bounds.termsOf(range), maxOfPairs)
      this.#offerRange(range, maxOfPairs)
    }
  }

  /** Whether a chunk of the range may be found. */
  #isOpen(range: number): boolean {
    const from = range << rangeShift
    const to = Math.min(from + rangeChunks, this.#searched.segment.chunkCount)
    for (let chunk = from; chunk < to; chunk++) if (this.#mayBeFound(chunk)) return true
    return false
  }

  #mayBeFound(chunk: number): boolean {
    const { hidden } = this.#searched
    const { isAllowed } = this.#offers
    return (hidden === null || u8(hidden, chunk) === 0) && (isAllowed === null || u8(isAllowed, chunk) === 1)
  }

  /**
   * Adds in the order of the terms, as `scorePart` does: another order would give other last digits. Rare terms come first. As soon as the
   * others alone cannot reach the k-th best score, only chunks that still can reach it are looked at.
   */
  #scoreRange(range: number, held: number, maxOfPairs: number): void {
    const { min } = this.#offers.best
    for (let number = 0; number < this.#terms.length; number++) {
      if (!this.#isHeld(number, held)) continue
      const rest = f64(this.#rest, number) + maxOfPairs
      if (rest * slack < min) {
        const left = this.#keepChunks(min, rest)
        if (left <= maxLookedUp) {
          if (left > 0) this.#lookUpRest(range, held, number)
          return
        }
      }
      const term = this.#terms[number] as PartTerm
      if (isBitmap(this.#searched.segment, term.ordinal)) this.#addBitmap(range, term)
      else this.#addPostings(range, term, number)
    }
  }

  #isHeld(number: number, held: number): boolean {
    return (this.#terms[number] as PartTerm).ordinal >= 0 && (number >= 32 || ((held >>> number) & 1) === 1)
  }

  /** Drops the chunks that cannot reach a score with what can still be added. @returns the number of others */
  #keepChunks(min: number, rest: number): number {
    const scores = this.#scores
    let left = 0
    for (let at = 0; at < rangeChunks; at++) {
      const score = f64(scores, at)
      if (score === 0) continue
      if ((score + rest) * slack < min) scores[at] = 0
      else left++
    }
    return left
  }

  /** Adds a term and all later ones to the chunks that are left. */
  #lookUpRest(range: number, held: number, from: number): void {
    const scores = this.#scores
    for (let at = 0; at < rangeChunks; at++) {
      if (f64(scores, at) === 0) continue
      for (let number = from; number < this.#terms.length; number++)
        if (this.#isHeld(number, held)) scores[at] = f64(scores, at) + this.#scoreOf((range << rangeShift) + at, number)
    }
  }

  #scoreOf(chunk: number, number: number): number {
    const { segment } = this.#searched
    const { ordinal, weight } = this.#terms[number] as PartTerm
    const length = u32(segment.chunkLength, chunk)
    this.readPostings++
    if (isBitmap(segment, ordinal))
      return hasBit(segment, ordinal, chunk) ? scoreOfPosting(weight, 1, length, this.#saturation) : 0
    const to = u32(segment.postingStart, ordinal + 1)
    const place = seekPosting(segment.postings, f64(this.#places, number), to, (chunk << 8) >>> 0)
    this.#places[number] = place
    const posting = place < to ? u32(segment.postings, place) : 0
    if (place === to || posting >>> 8 !== chunk) return 0
    return scoreOfPosting(weight, posting & 255, length, this.#saturation)
  }

  #addPostings(range: number, { ordinal, weight }: PartTerm, number: number): void {
    const { postings, postingStart, chunkLength } = this.#searched.segment
    const saturation = this.#saturation
    const scores = this.#scores
    const to = u32(postingStart, ordinal + 1)
    const from = seekPosting(postings, f64(this.#places, number), to, (range << rangeOfPosting) >>> 0)
    let place = from
    for (; place < to; place++) {
      const posting = u32(postings, place)
      if (posting >>> rangeOfPosting !== range) break
      const chunk = posting >>> 8
      const at = chunk & (rangeChunks - 1)
      scores[at] = f64(scores, at) + scoreOfPosting(weight, posting & 255, u32(chunkLength, chunk), saturation)
    }
    this.#places[number] = place
    this.readPostings += place - from
  }

  #addBitmap(range: number, { ordinal, weight }: PartTerm): void {
    const { postings, postingStart, chunkLength, chunkCount } = this.#searched.segment
    const from = u32(postingStart, ordinal)
    const scores = this.#scores
    const first = range << rangeShift
    for (let chunk = first; chunk < Math.min(first + rangeChunks, chunkCount); chunk++) {
      if (((u32(postings, from + (chunk >>> 5)) >>> (chunk & 31)) & 1) === 0) continue
      const at = chunk - first
      scores[at] = f64(scores, at) + scoreOfPosting(weight, 1, u32(chunkLength, chunk), this.#saturation)
    }
  }

  #offerRange(range: number, maxOfPairs: number): void {
    const { segment } = this.#searched
    const { part, best, pairs, phrases } = this.#offers
    const scores = this.#scores
    const first = range << rangeShift
    for (let at = 0; at < rangeChunks; at++) {
      const score = f64(scores, at)
      if (score === 0) continue
      scores[at] = 0
      const chunk = first + at
      if ((score + maxOfPairs) * slack < best.min || !this.#mayBeFound(chunk)) continue
      if (phrases !== null && !phrases.holds(segment, chunk)) continue
      best.offer(part, chunk, pairs === null ? score : score + pairs.of(segment, chunk))
    }
  }
}
