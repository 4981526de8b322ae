import { blockShift, type Segment, u32 } from './segment.ts'
import { isBitmap } from './stop-word-bitmaps.ts'

const maxRatio = 0xff_ff

/**
 * Sorts the postings of each term, and computes what bounds the scores of a block. No score can be stored, because scores depend on
 * the statistics of the visible documents. But a posting of weight w in a chunk of length L adds
 * `rarity / (1 + k1 · (1 - b) / w + k1 · b / averageLength · L / w)`: the largest w and the smallest L / w of a block bound its
 * postings for all statistics.
 *
 * Blocks do not begin at terms, so that a term needs no offset of its blocks.
 */
export function placeBlocks(segment: Segment): void {
  const { postingStart, postings, termCount, blockFirsts } = segment
  const bounds = new BlockBounds(segment)
  for (let term = 0; term < termCount; term++) {
    if (isBitmap(segment, term)) continue
    const from = u32(postingStart, term)
    const to = u32(postingStart, term + 1)
    if (!isSorted(postings, from, to)) postings.subarray(from, to).sort()
    bounds.add(postings, from, to)
  }
  bounds.write()
  for (let at = 0; at < blockFirsts.length; at++) blockFirsts[at] = u32(postings, at * (1 << blockShift))
}

function isSorted(postings: Uint32Array, from: number, to: number): boolean {
  for (let place = from + 1; place < to; place++) if (u32(postings, place - 1) > u32(postings, place)) return false
  return true
}

/** The bounds of the current block. Ratios are compared as fractions: a division for each posting would cost more. */
class BlockBounds {
  readonly #segment: Segment
  readonly #chunkLength: Uint32Array
  #block = -1
  #maxWeight = 0
  #length = 0
  #weight = 1

  constructor(segment: Segment) {
    this.#segment = segment
    this.#chunkLength = segment.chunkLength
  }

  /** All postings of a term. */
  add(postings: Uint32Array, from: number, to: number): void {
    const chunkLength = this.#chunkLength
    let maxWeight = this.#maxWeight
    let length = this.#length
    let weight = this.#weight
    for (let place = from; place < to; place++) {
      const posting = u32(postings, place)
      const ownWeight = posting & 255
      const ownLength = u32(chunkLength, posting >>> 8)
      if (place >>> blockShift !== this.#block) {
        this.#keep(maxWeight, length, weight)
        this.write()
        this.#block = place >>> blockShift
        maxWeight = ownWeight
        length = ownLength
        weight = ownWeight
        continue
      }
      if (ownWeight > maxWeight) maxWeight = ownWeight
      if (ownLength * weight < length * ownWeight) {
        length = ownLength
        weight = ownWeight
      }
    }
    this.#keep(maxWeight, length, weight)
  }

  #keep(maxWeight: number, length: number, weight: number): void {
    this.#maxWeight = maxWeight
    this.#length = length
    this.#weight = weight
  }

  write(): void {
    if (this.#block < 0) return
    this.#segment.blockWeights[this.#block] = this.#maxWeight
    this.#segment.blockRatios[this.#block] = Math.min(Math.floor(this.#length / this.#weight), maxRatio)
  }
}

/**
 * @param from where the search begins; a place near the result is found faster
 * @returns the first place in a sorted range whose posting is not below `min`
 */
export function seekPosting(postings: Uint32Array, from: number, to: number, min: number): number {
  let low = from
  let step = 1
  while (low + step < to && u32(postings, low + step) < min) {
    low += step
    step *= 2
  }
  let high = Math.min(low + step, to)
  while (low < high) {
    const middle = (low + high) >>> 1
    if (u32(postings, middle) < min) low = middle + 1
    else high = middle
  }
  return low
}

/** As `seekPosting` in the postings of a term, but passes over whole blocks. */
export function seekByBlocks({ postings, blockFirsts }: Segment, from: number, to: number, min: number): number {
  const lastBlock = (to - 1) >>> blockShift
  let block = from >>> blockShift
  let step = 1
  while (block + step <= lastBlock && u32(blockFirsts, block + step) < min) {
    block += step
    step *= 2
  }
  for (step >>>= 1; step > 0; step >>>= 1)
    if (block + step <= lastBlock && u32(blockFirsts, block + step) < min) block += step
  let low = Math.max(from, block << blockShift)
  let high = Math.min(to, (block + 1) << blockShift)
  while (low < high) {
    const middle = (low + high) >>> 1
    if (u32(postings, middle) < min) low = middle + 1
    else high = middle
  }
  return low
}
