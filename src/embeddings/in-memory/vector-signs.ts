import { firstSignBytes, type VectorMemory, maxResults as vectorsOfBlock } from './dot-products.ts'
import { signBytesOf, signsOf } from './round-to-bytes.ts'
import { type IsPlace, SimilarSigns } from './similar-signs.ts'
import { type VectorBlock, VectorBlocks } from './vector-blocks.ts'
import { weighSigns } from './weighted-signs.ts'

/** Memory for the signs of all collections. */
export function openSignBlocks(): VectorBlocks {
  return new VectorBlocks(vectorsOfBlock)
}

export interface SelectedPlaces {
  readonly places: Int32Array
  /** In how many signs each of them differs from the query. */
  readonly differences: Uint16Array
  /** The sum of the query's numbers whose signs differ, of each of them. */
  readonly weightedDifferences: Uint32Array
  /** Those that differ in at most so many would have been selected if half as many had been. */
  readonly safeDifferences: number
}

export interface SignSearch {
  /** The vectors are at the places before. */
  readonly count: number
  /** How many are selected at least. */
  readonly min: number
  /** null: all. */
  readonly isAllowed: IsPlace
  /** Vectors that are selected in addition to the others, as near as these; null: none. */
  readonly isRemoved: IsPlace
}

/** The later signs are counted of so many times as many vectors as are selected: those with the most similar first signs. */
const keptByFirstSigns = 8

/** The first signs of one in so many blocks are counted before all. */
const sampledBlocks = 16
/** The sample may be nearer to the query than the rest: its bound is that of so many more vectors. */
const sampleReserve = 1.3

/**
 * A bit for each number of the vectors of a large collection: whether it is negative. They take an eighth of the memory of the rounded
 * vectors, and are compared in a fraction of the time (docs/decisions/0049). The first 256 of each vector are apart: a search reads these
 * of all vectors, and the later ones of few (docs/decisions/0051).
 */
export class VectorSigns {
  readonly #laterBytes: number
  readonly #memory: VectorBlocks
  readonly #first: VectorBlock[] = []
  /** None if no vector has more than the first signs. */
  readonly #later: VectorBlock[] = []
  readonly #similar: SimilarSigns
  /** By the bytes of signs, for the query. */
  readonly #weights: Uint16Array
  readonly #addresses = new Uint32Array(vectorsOfBlock)

  /** @param length dimensions of a vector */
  constructor(length: number, memory: VectorBlocks) {
    this.#similar = new SimilarSigns(Math.max(length, firstSignBytes * 8))
    this.#laterBytes = signBytesOf(length) - firstSignBytes
    this.#weights = new Uint16Array(signBytesOf(length) * 256)
    this.#memory = memory
  }

  /** @param codes the rounded vector: signs do not depend on what rounding left out */
  set(place: number, codes: Int8Array): void {
    const number = Math.floor(place / vectorsOfBlock)
    this.#first[number] ??= this.#memory.allocate(firstSignBytes)
    signsOf(codes.subarray(0, firstSignBytes * 8), this.#firstAt(place))
    if (this.#laterBytes === 0) return
    this.#later[number] ??= this.#memory.allocate(this.#laterBytes)
    signsOf(codes.subarray(firstSignBytes * 8), this.#laterAt(place))
  }

  move(from: number, to: number): void {
    this.#firstAt(to).set(this.#firstAt(from))
    if (this.#laterBytes > 0) this.#laterAt(to).set(this.#laterAt(from))
  }

  /** @param count how many vectors are left */
  freeFrom(count: number): void {
    const blocks = Math.ceil(count / vectorsOfBlock)
    for (const block of this.#first.splice(blocks)) this.#memory.free(block, firstSignBytes)
    for (const block of this.#later.splice(blocks)) this.#memory.free(block, this.#laterBytes)
  }

  /**
   * The places of about `min` vectors whose signs are the most similar to the query's, ascending.
   *
   * @param query its numbers; its signs are in the memory already
   */
  similar(query: Int16Array, { count, min, isAllowed, isRemoved }: SignSearch): SelectedPlaces {
    const similar = this.#similar
    similar.isRemoved = isRemoved
    if (this.#laterBytes === 0) this.#findByFirst(count, min, isAllowed)
    else {
      this.#findByFirst(count, min * keptByFirstSigns, isAllowed)
      this.#addLater()
      similar.keepNearest(min)
    }
    const places = similar.places.slice(0, similar.count)
    return {
      places,
      differences: similar.differences.slice(0, similar.count),
      weightedDifferences: this.#weightedAt(places, query),
      safeDifferences: similar.differencesOfLast(Math.ceil(min / 2)) ?? 0,
    }
  }

  #weightedAt(places: Int32Array, query: Int16Array): Uint32Array {
    weighSigns(query, this.#weights)
    for (const region of this.#memory.regions) region.setWeights(this.#weights)
    const found = new Uint32Array(places.length)
    const add = (region: VectorMemory, from: number, to: number, first: number, bytes: number): void => {
      const weights = region.weights(this.#addresses, to - from, first, bytes)
      for (let at = from; at < to; at++) found[at] = (found[at] as number) + (weights[at - from] as number)
    }
    this.#eachListed(this.#first, firstSignBytes, places, places.length, (region, from, to) =>
      add(region, from, to, 0, firstSignBytes),
    )
    if (this.#laterBytes > 0)
      this.#eachListed(this.#later, this.#laterBytes, places, places.length, (region, from, to) =>
        add(region, from, to, firstSignBytes, this.#laterBytes),
      )
    return found
  }

  /** A bound that some blocks suggest saves most of the list, and never changes the result. */
  #findByFirst(count: number, min: number, isAllowed: IsPlace): void {
    const blocks = [...this.#first.keys()]
    const sample = blocks.filter((number) => number % sampledBlocks === 0)
    this.#countFirst(sample, count, isAllowed)
    const sampled = Math.min(count, sample.length * vectorsOfBlock)
    const max = this.#similar.differencesOfLast(Math.ceil((min * sampleReserve * sampled) / count))
    this.#countFirst(blocks, count, isAllowed, max)
    if (max !== undefined && this.#similar.differencesOfLast(min) === undefined)
      this.#countFirst(blocks, count, isAllowed)
    this.#similar.keepNearest(min)
  }

  #countFirst(blocks: readonly number[], count: number, isAllowed: IsPlace, max = firstSignBytes * 8): void {
    const similar = this.#similar
    similar.count = 0
    for (const number of blocks) {
      const { region, from } = this.#first[number] as VectorBlock
      const place = number * vectorsOfBlock
      const entries = region.nearFirstSigns(from, Math.min(vectorsOfBlock, count - place), max)
      similar.reserve(entries.length)
      for (let at = 0; at < entries.length; at++) {
        const entry = entries[at] as number
        const here = place + (entry & 0xffff)
        if (isAllowed === null || isAllowed(here)) similar.add(here, entry >>> 16)
      }
    }
  }

  #addLater(): void {
    const { places, differences, count } = this.#similar
    this.#eachListed(this.#later, this.#laterBytes, places, count, (region, from, to) => {
      const later = region.laterDifferences(this.#addresses, to - from, this.#laterBytes)
      for (let at = from; at < to; at++) differences[at] = (differences[at] as number) + (later[at - from] as number)
    })
  }

  /**
   * Calls `work` for parts of a list, with the addresses of their signs in `#addresses`: as many as one call takes, of one region.
   *
   * @param count how many of the places
   */
  #eachListed(
    blocks: readonly VectorBlock[],
    bytes: number,
    places: Int32Array,
    count: number,
    work: (region: VectorMemory, from: number, to: number) => void,
  ): void {
    for (let from = 0; from < count; ) {
      const { region } = blocks[Math.floor((places[from] as number) / vectorsOfBlock)] as VectorBlock
      let to = from
      for (; to < count && to - from < vectorsOfBlock; to++) {
        const place = places[to] as number
        const block = blocks[Math.floor(place / vectorsOfBlock)] as VectorBlock
        if (block.region !== region) break
        this.#addresses[to - from] = block.from + (place % vectorsOfBlock) * bytes
      }
      work(region, from, to)
      from = to
    }
  }

  /** A memory that grows has a new buffer: a view is made when it is needed. */
  #firstAt(place: number): Uint8Array {
    return viewAt(this.#first, place, firstSignBytes)
  }

  #laterAt(place: number): Uint8Array {
    return viewAt(this.#later, place, this.#laterBytes)
  }
}

function viewAt(blocks: readonly VectorBlock[], place: number, bytes: number): Uint8Array {
  const { region, from } = blocks[Math.floor(place / vectorsOfBlock)] as VectorBlock
  return new Uint8Array(region.memory.buffer, from + (place % vectorsOfBlock) * bytes, bytes)
}
