import { maxResults } from './dot-products.ts'
import { type RoundedBlock, type RoundedBlocks, vectorsOfBlock } from './rounded-blocks.ts'
import type { VectorBlock } from './vector-blocks.ts'
import type { FileBlock } from './vector-file.ts'

/** Reading so many vectors of the file that are not needed costs less than a call of the operating system. */
const maxGap = 8

/** Products with the query, of vectors in their sequence. */
export interface Products {
  /** A view that the next call overwrites, and that may be longer. */
  readonly products: Float64Array
  /** How many vectors were compared. */
  readonly count: number
}

/** The rounded vectors of one collection, by their places. */
export class RoundedVectors {
  readonly #stride: number
  readonly #store: RoundedBlocks
  readonly #blocks: RoundedBlock[] = []
  /** A vector of the file. */
  readonly #one: Int8Array
  readonly #addresses = new Uint32Array(maxResults)

  /** @param stride bytes of a vector */
  constructor(stride: number, store: RoundedBlocks) {
    this.#stride = stride
    this.#store = store
    this.#one = new Int8Array(stride)
  }

  /** @returns where the vector of a place has to be written, before `put` */
  prepare(place: number): Int8Array {
    this.#blocks[Math.floor(place / vectorsOfBlock)] ??= this.#store.allocate(this.#stride)
    const block = this.#blockOf(place)
    return 'region' in block ? this.#viewOf(block, place) : this.#one
  }

  /** @param codes as prepared for the place, or those of another one */
  put(place: number, codes: Int8Array): void {
    const block = this.#blockOf(place)
    if (!('region' in block)) this.#store.window.write(this.#positionIn(block, place), codes)
    else this.#viewOf(block, place).set(codes)
  }

  /** @returns the vector, until the next call */
  at(place: number): Int8Array {
    const block = this.#blockOf(place)
    if ('region' in block) return this.#viewOf(block, place)
    this.#store.window.read(this.#positionIn(block, place), this.#one)
    return this.#one
  }

  /** @param count how many vectors are left */
  freeFrom(count: number): void {
    for (const block of this.#blocks.splice(Math.ceil(count / vectorsOfBlock))) this.#store.free(block, this.#stride)
  }

  /** The vectors from a place to the end of its block, at most `count`. The place is the first one of a block. */
  products(place: number, count: number): Products {
    const block = this.#blockOf(place)
    const compared = Math.min(vectorsOfBlock, count)
    if ('region' in block)
      return { products: block.region.products(block.from, compared, this.#stride), count: compared }
    const { window } = this.#store
    const address = window.load(block.position, 0, compared * this.#stride)
    return { products: window.region.products(address, compared, this.#stride), count: compared }
  }

  /**
   * As many of the vectors at some places as one call compares, at least one.
   *
   * @param places ascending
   * @param from where to begin in the list
   */
  listedProducts(places: readonly number[] | Int32Array, from: number): Products {
    const block = this.#blockOf(places[from] as number)
    return 'region' in block ? this.#inMemory(block, places, from) : this.#inFile(places, from)
  }

  #inMemory({ region }: VectorBlock, places: readonly number[] | Int32Array, from: number): Products {
    let to = from
    for (; to < places.length && to - from < maxResults; to++) {
      const place = places[to] as number
      const block = this.#blockOf(place)
      if (!('region' in block) || block.region !== region) break
      this.#addresses[to - from] = block.from + (place % vectorsOfBlock) * this.#stride
    }
    return { products: region.listedProducts(this.#addresses, to - from, this.#stride), count: to - from }
  }

  #inFile(places: readonly number[] | Int32Array, from: number): Products {
    const { window } = this.#store
    const capacity = Math.min(maxResults, window.capacityFor(this.#stride))
    let [to, loaded] = [from, 0]
    while (to < places.length) {
      const first = places[to] as number
      const block = this.#blockOf(first)
      if ('region' in block) break
      const end = this.#endOfRun(places, to)
      const vectors = (places[end - 1] as number) - first + 1
      if (loaded + vectors > capacity) break
      const position = this.#positionIn(block, first)
      const address = window.load(position, loaded * this.#stride, vectors * this.#stride)
      for (; to < end; to++) this.#addresses[to - from] = address + ((places[to] as number) - first) * this.#stride
      loaded += vectors
    }
    return { products: window.region.listedProducts(this.#addresses, to - from, this.#stride), count: to - from }
  }

  /** After the last one in the list that is read together with the first one: of the same block, and not far from the one before. */
  #endOfRun(places: readonly number[] | Int32Array, from: number): number {
    const first = places[from] as number
    const endOfBlock = first - (first % vectorsOfBlock) + vectorsOfBlock
    let end = from + 1
    for (let last = first; end < places.length; end++) {
      const next = places[end] as number
      if (next >= endOfBlock || next - last > maxGap) break
      last = next
    }
    return end
  }

  #blockOf(place: number): RoundedBlock {
    return this.#blocks[Math.floor(place / vectorsOfBlock)] as RoundedBlock
  }

  #positionIn({ position }: FileBlock, place: number): number {
    return position + (place % vectorsOfBlock) * this.#stride
  }

  /** A memory that grows has a new buffer: a view is made when it is needed. */
  #viewOf({ region, from }: VectorBlock, place: number): Int8Array {
    return new Int8Array(region.memory.buffer, from + (place % vectorsOfBlock) * this.#stride, this.#stride)
  }
}
