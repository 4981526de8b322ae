import { seekByBlocks } from '../segments/posting-blocks.ts'
import { f64, postingsWith, u8, u32 } from '../segments/segment.ts'
import { hasBit, isBitmap } from '../segments/stop-word-bitmaps.ts'
import { type Saturation, scoreOfPosting } from './bm25.ts'
import { type RangeBounds, rangeChunks, rangeShift } from './range-bounds.ts'
import type { PartOffers, PartTerm, SearchedPart } from './score-part.ts'

/** Ranges that are scored together. Their scores fit into the first cache of a processor. */
const windowRanges = 64
const windowChunks = windowRanges * rangeChunks
const inWindow = windowChunks - 1
const wordsOfRange = rangeChunks / 32

/** Bounds are rounded to 32 bits, and so are not quite exact: a score may exceed its bound by less than this share. */
const slack = 1 + 1e-6

/** Looking up a chunk in a list takes as long as reading this many of its postings one after the other. */
const postingsPerSeek = 48

export interface RangeOffers extends PartOffers {
  /** 1 for each chunk that may be found; null: all. */
  readonly isAllowed: Uint8Array | null
  readonly bounds: RangeBounds
}

/**
 * Scores ranges of one segment. Neighbouring ranges are a window, which is scored term by term: a range has only a few postings of a
 * term, too few to begin a loop for them.
 */
export class WindowScorer {
  readPostings = 0
  scoredRanges = 0
  readonly #searched: SearchedPart
  readonly #terms: readonly PartTerm[]
  readonly #saturation: Saturation
  readonly #offers: RangeOffers
  /** For each term: a place in the postings that is not after the current window. */
  readonly #places: Float64Array
  /** For each term and range of the window, what this and all later terms can add to a score at most, close words included. */
  readonly #rest: Float64Array
  /** Scores of the chunks of the window; zero between two windows. */
  readonly #scores = new Float64Array(windowChunks)
  /** A bit for each chunk of the window that has a score; zero between two windows. */
  readonly #bits = new Int32Array(windowChunks / 32)
  /** Numbers of the ranges of the window that are scored. */
  readonly #ranges = new Uint8Array(windowRanges)
  #rangeCount = 0
  /** 1 for each range of the window in which a chunk without a score so far can be one of the k best. */
  readonly #takesNew = new Uint8Array(windowRanges)
  #taking = 0
  /** Chunks of the window with a score. */
  #candidates = 0
  /** The first range of the window. */
  #first = 0
  readonly #maxOfPairs: number

  constructor(searched: SearchedPart, terms: readonly PartTerm[], saturation: Saturation, offers: RangeOffers) {
    this.#searched = searched
    this.#terms = terms
    this.#saturation = saturation
    this.#offers = offers
    this.#places = new Float64Array(terms.length)
    this.#rest = new Float64Array((terms.length + 1) * windowRanges)
    // Words with the same token as a term count as the term, so a range that lacks a term may have its pairs.
    this.#maxOfPairs = offers.pairs?.max ?? 0
    this.#rest.fill(this.#maxOfPairs, terms.length * windowRanges)
  }

  /** Scores the ranges with a bound from `min` to below `max` that can contain one of the k best chunks. */
  score(min: number, max: number): void {
    const { segment } = this.#searched
    for (const [number, { ordinal }] of this.#terms.entries())
      this.#places[number] = ordinal < 0 ? 0 : u32(segment.postingStart, ordinal)
    for (this.#first = 0; this.#first < this.#offers.bounds.count; this.#first += windowRanges) {
      this.#chooseRanges(min, max)
      if (this.#rangeCount > 0) this.#scoreWindow()
    }
  }

  #chooseRanges(min: number, max: number): void {
    const { bounds, best } = this.#offers
    const end = Math.min(this.#first + windowRanges, bounds.count)
    const needed = Math.max(min, best.min / slack - this.#maxOfPairs)
    this.#rangeCount = 0
    for (let range = this.#first; range < end; range++) {
      const bound = bounds.boundOf(range)
      if (bound < needed || bound >= max || bound === 0 || !this.#isOpen(range)) continue
      this.#ranges[this.#rangeCount++] = range - this.#first
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
   * others alone cannot reach the k-th best score in a range, only its chunks that still can reach it are looked at.
   */
  #scoreWindow(): void {
    this.scoredRanges += this.#rangeCount
    this.#sumRest()
    this.#openRanges()
    for (let number = 0; number < this.#terms.length; number++) {
      this.#drop(number)
      if (this.#taking === 0 && this.#candidates === 0) return
      if ((this.#terms[number] as PartTerm).ordinal >= 0) this.#addTerm(number)
    }
    this.#offer()
  }

  #sumRest(): void {
    const rest = this.#rest
    for (let number = this.#terms.length - 1; number >= 0; number--) {
      const parts = this.#offers.bounds.partsOf(number)
      const at = number * windowRanges
      for (let each = 0; each < this.#rangeCount; each++) {
        const range = u8(this.#ranges, each)
        rest[at + range] = f64(rest, at + windowRanges + range) + (parts[this.#first + range] as number)
      }
    }
  }

  #openRanges(): void {
    this.#takesNew.fill(0)
    for (let each = 0; each < this.#rangeCount; each++) this.#takesNew[u8(this.#ranges, each)] = 1
    this.#taking = this.#rangeCount
  }

  /** Drops the chunks that cannot reach the k-th best score with what this and all later terms can add. */
  #drop(number: number): void {
    const { min } = this.#offers.best
    const takesNew = this.#takesNew
    for (let each = 0; each < this.#rangeCount; each++) {
      const range = u8(this.#ranges, each)
      const rest = f64(this.#rest, number * windowRanges + range)
      if (rest * slack >= min) continue
      if (u8(takesNew, range) === 1) {
        takesNew[range] = 0
        this.#taking--
      }
      this.#dropIn(range * wordsOfRange, min / slack - rest)
      this.#dropIn(range * wordsOfRange + 1, min / slack - rest)
    }
  }

  #dropIn(word: number, needed: number): void {
    const before = this.#bits[word] as number
    let kept = before
    for (let left = before; left !== 0; left &= left - 1) {
      const at = word * 32 + lowestBit(left)
      if (f64(this.#scores, at) >= needed) continue
      this.#scores[at] = 0
      this.#candidates--
      kept &= ~(left & -left)
    }
    this.#bits[word] = kept
  }

  #addTerm(number: number): void {
    const { segment } = this.#searched
    const { ordinal } = this.#terms[number] as PartTerm
    if (isBitmap(segment, ordinal)) {
      this.#addByRange(number, true)
      return
    }
    const postings = postingsWith(segment, ordinal)
    const perWindow = (postings / segment.chunkCount) * windowChunks
    const perRange = perWindow / windowRanges
    const byRange = this.#taking * (postingsPerSeek + perRange) + this.#candidates * postingsPerSeek
    const scores = this.#offers.bounds.scoresOf(number, postings)
    if (scores === null && byRange < perWindow) this.#addByRange(number, false)
    else this.#addAll(number, scores)
  }

  /** @param known what each posting of the term adds; null: it is computed */
  #addAll(number: number, known: Float64Array | null): void {
    const { postings, postingStart, chunkLength } = this.#searched.segment
    const { ordinal, weight } = this.#terms[number] as PartTerm
    const saturation = this.#saturation
    const first = this.#first << rangeShift
    const start = u32(postingStart, ordinal)
    const to = u32(postingStart, ordinal + 1)
    const from = seekByBlocks(this.#searched.segment, f64(this.#places, number), to, (first << 8) >>> 0)
    let place = from
    for (; place < to; place++) {
      const posting = u32(postings, place)
      const chunk = posting >>> 8
      if (chunk - first >= windowChunks) break
      if (!this.#takes(chunk - first)) continue
      const score =
        known === null
          ? scoreOfPosting(weight, posting & 255, u32(chunkLength, chunk), saturation)
          : f64(known, place - start)
      this.#add(chunk - first, score)
    }
    this.#places[number] = place
    this.readPostings += place - from
  }

  #takes(at: number): boolean {
    return f64(this.#scores, at) !== 0 || u8(this.#takesNew, at >>> rangeShift) === 1
  }

  #addByRange(number: number, isInBitmap: boolean): void {
    const parts = this.#offers.bounds.partsOf(number)
    for (let each = 0; each < this.#rangeCount; each++) {
      const range = u8(this.#ranges, each)
      if (parts[this.#first + range] === 0) continue
      if (u8(this.#takesNew, range) === 0) this.#lookUp(number, range)
      else if (isInBitmap) this.#addBitmap(number, range)
      else this.#addPostings(number, range)
    }
  }

  /** Looks up the chunks of a range that have a score. */
  #lookUp(number: number, range: number): void {
    for (let word = range * wordsOfRange; word < (range + 1) * wordsOfRange; word++)
      for (let left = this.#bits[word] as number; left !== 0; left &= left - 1) {
        const at = word * 32 + lowestBit(left)
        this.#scores[at] = f64(this.#scores, at) + this.#scoreOf((this.#first << rangeShift) + at, number)
      }
  }

  #scoreOf(chunk: number, number: number): number {
    const { segment } = this.#searched
    const { ordinal, weight } = this.#terms[number] as PartTerm
    this.readPostings++
    if (isBitmap(segment, ordinal))
      return hasBit(segment, ordinal, chunk)
        ? scoreOfPosting(weight, 1, u32(segment.chunkLength, chunk), this.#saturation)
        : 0
    const to = u32(segment.postingStart, ordinal + 1)
    const place = seekByBlocks(segment, f64(this.#places, number), to, (chunk << 8) >>> 0)
    this.#places[number] = place
    const posting = place < to ? u32(segment.postings, place) : 0
    if (posting >>> 8 !== chunk || place === to) return 0
    return scoreOfPosting(weight, posting & 255, u32(segment.chunkLength, chunk), this.#saturation)
  }

  #addPostings(number: number, range: number): void {
    const { postings, postingStart, chunkLength } = this.#searched.segment
    const { ordinal, weight } = this.#terms[number] as PartTerm
    const first = (this.#first + range) << rangeShift
    const to = u32(postingStart, ordinal + 1)
    const from = seekByBlocks(this.#searched.segment, f64(this.#places, number), to, (first << 8) >>> 0)
    let place = from
    for (; place < to; place++) {
      const posting = u32(postings, place)
      const chunk = posting >>> 8
      if (chunk >= first + rangeChunks) break
      this.#add(chunk & inWindow, scoreOfPosting(weight, posting & 255, u32(chunkLength, chunk), this.#saturation))
    }
    this.#places[number] = place
    this.readPostings += place - from
  }

  #addBitmap(number: number, range: number): void {
    const { postings, postingStart, chunkLength } = this.#searched.segment
    const { ordinal, weight } = this.#terms[number] as PartTerm
    const first = (this.#first + range) << rangeShift
    const place = u32(postingStart, ordinal) + (first >>> 5)
    const end = u32(postingStart, ordinal + 1)
    for (let word = 0; word < wordsOfRange && place + word < end; word++)
      for (let left = u32(postings, place + word); left !== 0; left &= left - 1) {
        const chunk = first + word * 32 + lowestBit(left)
        this.#add(chunk & inWindow, scoreOfPosting(weight, 1, u32(chunkLength, chunk), this.#saturation))
      }
  }

  /** @param at number of a chunk in the window */
  #add(at: number, score: number): void {
    const before = f64(this.#scores, at)
    if (before === 0) {
      this.#bits[at >>> 5] = (this.#bits[at >>> 5] as number) | (1 << at)
      this.#candidates++
    }
    this.#scores[at] = before + score
  }

  #offer(): void {
    for (let each = 0; each < this.#rangeCount && this.#candidates > 0; each++) {
      const range = u8(this.#ranges, each)
      this.#offerWord(range * wordsOfRange)
      this.#offerWord(range * wordsOfRange + 1)
    }
  }

  #offerWord(word: number): void {
    const { segment } = this.#searched
    const { part, best, pairs, phrases } = this.#offers
    for (let left = this.#bits[word] as number; left !== 0; left &= left - 1) {
      const at = word * 32 + lowestBit(left)
      const score = f64(this.#scores, at)
      this.#scores[at] = 0
      this.#candidates--
      const chunk = (this.#first << rangeShift) + at
      if ((score + this.#maxOfPairs) * slack < best.min || !this.#mayBeFound(chunk)) continue
      if (phrases !== null && !phrases.holds(segment, chunk)) continue
      best.offer(part, chunk, pairs === null ? score : score + pairs.of(segment, chunk))
    }
    this.#bits[word] = 0
  }
}

/** The number of the lowest bit that is set. */
function lowestBit(bits: number): number {
  return 31 - Math.clz32(bits & -bits)
}
