import { blockShift, f64, type Segment, u8, u16, u32 } from '../segments/segment.ts'
import { isBitmap } from '../segments/stop-word-bitmaps.ts'
import { type Saturation, scoreOfPosting } from './bm25.ts'
import { type PartTerm, postingsOf } from './score-part.ts'

/** Adjacent chunks that are scored or skipped together. */
export const rangeShift = 6
export const rangeChunks = 1 << rangeShift
/** A posting has eight bits below its chunk. */
const rangeOfPosting = rangeShift + 8

/**
 * A term is rare if it has fewer postings than this for each range: its postings are scored for the bounds, which are exact then. The
 * scores are kept for the ranges that are read later, because the lengths of chunks are far apart in memory.
 */
const scoredPerRange = 2

/** Scores of the postings of rare terms. All searches of a thread share the array, as in `score-part.ts`. */
let scores = new Float64Array(0)

/** For each range of a segment, what each term can add at most to the score of a chunk in it. */
export class RangeBounds {
  readonly count: number
  readPostings = 0
  /** By term, then by range; 0: the range does not contain the term. */
  readonly #parts: readonly Float32Array[]
  readonly #sums: Float64Array
  /** For each term, its first place in `scores`; -1: its postings are not scored. */
  readonly #scoresOf: Int32Array
  #scored = 0

  constructor(segment: Segment, terms: readonly PartTerm[], saturation: Saturation) {
    this.count = (segment.chunkCount + rangeChunks - 1) >>> rangeShift
    this.#parts = terms.map(() => new Float32Array(this.count))
    this.#sums = new Float64Array(this.count)
    this.#scoresOf = new Int32Array(terms.length).fill(-1)
    this.#reserveScores(segment, terms)
    for (const [number, term] of terms.entries()) if (term.ordinal >= 0) this.#add(segment, term, number, saturation)
  }

  #reserveScores(segment: Segment, terms: readonly PartTerm[]): void {
    const rare = terms.filter((term) => term.ordinal >= 0 && this.#isRare(postingsOf(segment, [term])))
    const count = postingsOf(segment, rare)
    if (scores.length < count) scores = new Float64Array(count)
  }

  #isRare(postings: number): boolean {
    return postings < this.count * scoredPerRange
  }

  boundOf(range: number): number {
    return f64(this.#sums, range)
  }

  /** What a term can add in each range at most; 0: the range does not contain the term. */
  partsOf(number: number): Float32Array {
    return this.#parts[number] as Float32Array
  }

  /** What each posting of a term adds; null: it is not known. */
  scoresOf(number: number, postings: number): Float64Array | null {
    const from = this.#scoresOf[number] as number
    return from < 0 ? null : scores.subarray(from, from + postings)
  }

  #add(segment: Segment, { ordinal, weight }: PartTerm, number: number, saturation: Saturation): void {
    const from = u32(segment.postingStart, ordinal)
    const to = u32(segment.postingStart, ordinal + 1)
    if (isBitmap(segment, ordinal)) this.#addBitmap(segment, from, weight / (1 + saturation.fixed), number)
    else if (this.#isRare(to - from)) this.#addPostings(segment, from, to, { weight, number, saturation })
    else this.#addBlocks(segment, from, to, { weight, number, saturation })
  }

  #addBitmap({ postings }: Segment, from: number, max: number, number: number): void {
    // The bitmap of an odd number of words ends in the middle of the last range: what follows it only adds to a bound.
    for (let range = 0; range < this.count; range++)
      if (u32(postings, from + range * 2) !== 0 || postings[from + range * 2 + 1] !== 0) this.#raise(range, max, number)
  }

  /** A rare term: each posting is scored. */
  #addPostings(
    { postings, chunkLength }: Segment,
    from: number,
    to: number,
    { weight, number, saturation }: Added,
  ): void {
    this.readPostings += to - from
    const parts = this.partsOf(number)
    let at = this.#scored
    this.#scoresOf[number] = at
    this.#scored += to - from
    for (let place = from; place < to; place++) {
      const posting = u32(postings, place)
      const score = scoreOfPosting(weight, posting & 255, u32(chunkLength, posting >>> 8), saturation)
      scores[at++] = score
      const range = posting >>> rangeOfPosting
      const before = parts[range] as number
      if (score <= before) continue
      parts[range] = score
      this.#sums[range] = f64(this.#sums, range) + (score - before)
    }
  }

  /** The bound of a block holds for the ranges from its first posting to the first one of the next block. */
  #addBlocks(segment: Segment, from: number, to: number, { weight, number, saturation }: Added): void {
    const { postings, blockFirsts, blockWeights, blockRatios } = segment
    const { fixed, perUnit } = saturation
    const lastBlock = (to - 1) >>> blockShift
    this.readPostings += lastBlock - (from >>> blockShift) + 1
    let range = u32(postings, from) >>> rangeOfPosting
    let max = 0
    for (let block = from >>> blockShift; block <= lastBlock; block++) {
      const bound = weight / (1 + fixed / u8(blockWeights, block) + perUnit * u16(blockRatios, block))
      const next = (block < lastBlock ? u32(blockFirsts, block + 1) : u32(postings, to - 1)) >>> rangeOfPosting
      if (bound > max) max = bound
      for (; range < next; range++) {
        this.#raise(range, max, number)
        max = bound
      }
    }
    this.#raise(range, max, number)
  }

  #raise(range: number, by: number, number: number): void {
    this.#sums[range] = f64(this.#sums, range) + by
    this.partsOf(number)[range] = by
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
    for (let range = 0; range < this.count; range++) if (f64(this.#sums, range) > max) max = f64(this.#sums, range)
    const counts = new Uint32Array(steps + 1)
    const perStep = steps / (max || 1)
    for (let range = 0; range < this.count; range++) {
      const step = Math.floor(f64(this.#sums, range) * perStep)
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
