import { blockShift, f64, type Segment, u8, u16, u32 } from '../segments/segment.ts'
import { isBitmap } from '../segments/stop-word-bitmaps.ts'
import { type PartTerm, type Saturation, scoreOfPosting } from './score-part.ts'

/** Adjacent chunks that are scored or skipped together. */
export const rangeShift = 6
export const rangeChunks = 1 << rangeShift
/** A posting has eight bits below its chunk. */
export const rangeOfPosting = rangeShift + 8

/** For each range of a segment, what each term can add at most to the score of a chunk in it. */
export class RangeBounds {
  readonly count: number
  readPostings = 0
  readonly #termCount: number
  /** By range, then by term; 0: the range does not contain the term. */
  readonly #parts: Float32Array
  readonly #sums: Float64Array

  constructor(chunks: number, terms: number) {
    this.count = (chunks + rangeChunks - 1) >>> rangeShift
    this.#termCount = terms
    this.#parts = new Float32Array(this.count * terms)
    this.#sums = new Float64Array(this.count)
  }

  boundOf(range: number): number {
    return f64(this.#sums, range)
  }

  /** What a term can add in a range at most; 0: the range does not contain the term. */
  partOf(range: number, number: number): number {
    return this.#parts[range * this.#termCount + number] as number
  }

  add(segment: Segment, { ordinal, weight }: PartTerm, number: number, saturation: Saturation): void {
    const from = u32(segment.postingStart, ordinal)
    const to = u32(segment.postingStart, ordinal + 1)
    if (isBitmap(segment, ordinal)) this.#addBitmap(segment, from, weight / (1 + saturation.fixed), number)
    else if (to - from < this.count) this.#addPostings(segment, from, to, { weight, number, saturation })
    else this.#addBlocks(segment, from, to, { weight, number, saturation })
  }

  #addBitmap({ postings }: Segment, from: number, max: number, number: number): void {
    // The bitmap of an odd number of words ends in the middle of the last range: what follows it only adds to a bound.
    for (let range = 0; range < this.count; range++)
      if (u32(postings, from + range * 2) !== 0 || postings[from + range * 2 + 1] !== 0) this.#raise(range, max, number)
  }

  /** A term with fewer postings than ranges: each posting is scored. */
  #addPostings(
    { postings, chunkLength }: Segment,
    from: number,
    to: number,
    { weight, number, saturation }: Added,
  ): void {
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
      if (range >= 0) this.#raise(range, max, number)
      range = posting >>> rangeOfPosting
      max = score
    }
    if (range >= 0) this.#raise(range, max, number)
  }

  /** The bound of a block holds for the ranges from its first posting to its last one. */
  #addBlocks(segment: Segment, from: number, to: number, { weight, number, saturation }: Added): void {
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
        this.#raise(range, max, number)
        range = first
        max = bound
      } else if (bound > max) max = bound
      for (; range < last; range++) {
        this.#raise(range, max, number)
        max = bound
      }
    }
    this.#raise(range, max, number)
  }

  #raise(range: number, by: number, number: number): void {
    this.#sums[range] = f64(this.#sums, range) + by
    this.#parts[range * this.#termCount + number] = by
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
  /** Of the term in the query. */
  readonly number: number
  readonly saturation: Saturation
}
