import { seekPosting } from '../segments/posting-blocks.ts'
import { commonTo, f64, type Segment, u8, u32 } from '../segments/segment.ts'
import { hasBit, isBitmap } from '../segments/stop-word-bitmaps.ts'
import { RangeBounds, rangeChunks, rangeOfPosting, rangeShift } from './range-bounds.ts'
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

const halfRange = rangeChunks / 2

/** Bounds are rounded to 32 bits, and so are not quite exact: a score may exceed its bound by less than this share. */
const slack = 1 + 1e-6

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
  const scorer = new RangeScorer(searched, terms, saturation, { ...offers, isAllowed, bounds })
  const first = bounds.boundOfBest(rangesAtFirst(offers.best.k))
  scorer.score(first, Number.POSITIVE_INFINITY)
  scorer.score(0, first)
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

interface RangeOffers extends PartOffers {
  /** 1 for each chunk that may be found; null: all. */
  readonly isAllowed: Uint8Array | null
  readonly bounds: RangeBounds
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
  /** For each term, what it and all later ones add at most to a score in the current range. */
  readonly #rest: Float64Array
  /** Scores of the chunks of the current range; zero between two ranges. */
  readonly #scores = new Float64Array(rangeChunks)
  /** A bit for each chunk of the current range that has a score: the first half of the range, and the second. */
  #low = 0
  #high = 0

  constructor(searched: SearchedPart, terms: readonly PartTerm[], saturation: Saturation, offers: RangeOffers) {
    this.#searched = searched
    this.#terms = terms
    this.#saturation = saturation
    this.#offers = offers
    this.#places = new Float64Array(terms.length)
    this.#rest = new Float64Array(terms.length + 1)
  }

  /** Scores the ranges with a bound from `min` to below `max` that can contain one of the k best chunks. */
  score(min: number, max: number): void {
    const { segment } = this.#searched
    const { best, pairs, bounds } = this.#offers
    // Words with the same token as a term count as the term, so a range that lacks a term may have its pairs.
    const maxOfPairs = pairs?.max ?? 0
    for (const [number, { ordinal }] of this.#terms.entries())
      this.#places[number] = ordinal < 0 ? 0 : u32(segment.postingStart, ordinal)
    for (let range = 0; range < bounds.count; range++) {
      const bound = bounds.boundOf(range)
      if (bound < min || bound >= max || bound === 0 || (bound + maxOfPairs) * slack < best.min) continue
      if (!this.#isOpen(range)) continue
      this.scoredRanges++
      this.#scoreRange(range, maxOfPairs)
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
  #scoreRange(range: number, maxOfPairs: number): void {
    const { bounds, best } = this.#offers
    const count = this.#terms.length
    this.#rest[count] = maxOfPairs
    for (let number = count - 1; number >= 0; number--)
      this.#rest[number] = f64(this.#rest, number + 1) + bounds.partOf(range, number)
    for (let number = 0; number < count; number++) {
      if (bounds.partOf(range, number) === 0) continue
      const rest = f64(this.#rest, number)
      if (rest * slack < best.min) {
        this.#low = this.#keepChunks(this.#low, 0, rest)
        this.#high = this.#keepChunks(this.#high, halfRange, rest)
        if (bitCount(this.#low) + bitCount(this.#high) <= maxLookedUp) {
          this.#low = this.#lookUpRest(this.#low, 0, range, number)
          this.#high = this.#lookUpRest(this.#high, halfRange, range, number)
          return
        }
      }
      const term = this.#terms[number] as PartTerm
      if (isBitmap(this.#searched.segment, term.ordinal)) this.#addBitmap(range, term)
      else this.#addPostings(range, term, number)
    }
  }

  /** Drops the chunks of a half that cannot reach the k-th best score with what can still be added. @returns the bits of the others */
  #keepChunks(bits: number, first: number, rest: number): number {
    const { min } = this.#offers.best
    let kept = bits
    for (let left = bits; left !== 0; left &= left - 1) {
      const at = first + lowestBit(left)
      if ((f64(this.#scores, at) + rest) * slack >= min) continue
      this.#scores[at] = 0
      kept &= ~(left & -left)
    }
    return kept
  }

  /** Adds a term and all later ones to chunks of a half, as far as they can reach the k-th best score. @returns the bits of those that can */
  #lookUpRest(bits: number, first: number, range: number, from: number): number {
    const { min } = this.#offers.best
    let kept = bits
    for (let left = bits; left !== 0; left &= left - 1) {
      const at = first + lowestBit(left)
      const score = this.#lookUpChunk((range << rangeShift) + at, f64(this.#scores, at), from, min)
      this.#scores[at] = score
      if (score === 0) kept &= ~(left & -left)
    }
    return kept
  }

  /** @returns the score of a chunk with a term and all later ones; 0: it cannot reach `min` */
  #lookUpChunk(chunk: number, scoreBefore: number, from: number, min: number): number {
    const { bounds } = this.#offers
    const range = chunk >>> rangeShift
    let score = scoreBefore
    for (let number = from; number < this.#terms.length; number++) {
      if ((score + f64(this.#rest, number)) * slack < min) return 0
      if (bounds.partOf(range, number) !== 0) score += this.#scoreOf(chunk, number)
    }
    return score
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
    let low = this.#low
    let high = this.#high
    let place = from
    for (; place < to; place++) {
      const posting = u32(postings, place)
      if (posting >>> rangeOfPosting !== range) break
      const chunk = posting >>> 8
      const at = chunk & (rangeChunks - 1)
      scores[at] = f64(scores, at) + scoreOfPosting(weight, posting & 255, u32(chunkLength, chunk), saturation)
      if (at < halfRange) low |= 1 << at
      else high |= 1 << at
    }
    this.#low = low
    this.#high = high
    this.#places[number] = place
    this.readPostings += place - from
  }

  #addBitmap(range: number, { ordinal, weight }: PartTerm): void {
    const { postings, postingStart, chunkLength } = this.#searched.segment
    const scores = this.#scores
    const first = range << rangeShift
    const place = u32(postingStart, ordinal) + (first >>> 5)
    const end = u32(postingStart, ordinal + 1)
    for (let half = 0; half < 2 && place + half < end; half++) {
      const bits = u32(postings, place + half)
      for (let left = bits; left !== 0; left &= left - 1) {
        const at = half * halfRange + lowestBit(left)
        scores[at] = f64(scores, at) + scoreOfPosting(weight, 1, u32(chunkLength, first + at), this.#saturation)
      }
      if (half === 0) this.#low |= bits
      else this.#high |= bits
    }
  }

  #offerRange(range: number, maxOfPairs: number): void {
    this.#offerHalf(this.#low, range, 0, maxOfPairs)
    this.#offerHalf(this.#high, range, halfRange, maxOfPairs)
    this.#low = 0
    this.#high = 0
  }

  #offerHalf(bits: number, range: number, first: number, maxOfPairs: number): void {
    const { segment } = this.#searched
    const { part, best, pairs, phrases } = this.#offers
    for (let left = bits; left !== 0; left &= left - 1) {
      const at = first + lowestBit(left)
      const score = f64(this.#scores, at)
      this.#scores[at] = 0
      const chunk = (range << rangeShift) + at
      if ((score + maxOfPairs) * slack < best.min || !this.#mayBeFound(chunk)) continue
      if (phrases !== null && !phrases.holds(segment, chunk)) continue
      best.offer(part, chunk, pairs === null ? score : score + pairs.of(segment, chunk))
    }
  }
}

/** The number of the lowest bit that is set. */
function lowestBit(bits: number): number {
  return 31 - Math.clz32(bits & -bits)
}

function bitCount(bits: number): number {
  let count = 0
  for (let left = bits; left !== 0; left &= left - 1) count++
  return count
}
