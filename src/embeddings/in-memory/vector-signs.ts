import { maxResults as vectorsOfBlock } from './dot-products.ts'
import { signBytesOf, signsOf } from './round-to-bytes.ts'
import { SimilarSigns } from './similar-signs.ts'
import { type VectorBlock, VectorBlocks } from './vector-blocks.ts'

/** Memory for the signs of all collections. */
export function openSignBlocks(): VectorBlocks {
  return new VectorBlocks(vectorsOfBlock)
}

/**
 * A bit for each number of the vectors of a large collection: whether it is negative. They take an eighth of the memory of the rounded
 * vectors, and are compared in a fraction of the time (docs/decisions/0049).
 */
export class VectorSigns {
  readonly #length: number
  readonly #bytes: number
  readonly #memory: VectorBlocks
  readonly #blocks: VectorBlock[] = []

  /** @param length dimensions of a vector */
  constructor(length: number, memory: VectorBlocks) {
    this.#length = length
    this.#bytes = signBytesOf(length)
    this.#memory = memory
  }

  /** @param codes the rounded vector: signs do not depend on what rounding left out */
  set(place: number, codes: Int8Array): void {
    const number = Math.floor(place / vectorsOfBlock)
    this.#blocks[number] ??= this.#memory.allocate(this.#bytes)
    signsOf(codes, this.#at(place))
  }

  move(from: number, to: number): void {
    this.#at(to).set(this.#at(from))
  }

  /** @param count how many vectors are left */
  freeFrom(count: number): void {
    for (const block of this.#blocks.splice(Math.ceil(count / vectorsOfBlock))) this.#memory.free(block, this.#bytes)
  }

  /**
   * The places of about `min` vectors whose signs are the most similar to the query's, ascending.
   *
   * @param count the vectors are at the places before
   * @param isAllowed null: all
   */
  similar(count: number, min: number, isAllowed: ((place: number) => boolean) | null): readonly number[] {
    const similar = new SimilarSigns(this.#length, min)
    for (const [number, { region, from }] of this.#blocks.entries()) {
      const first = number * vectorsOfBlock
      const countOfBlock = Math.min(vectorsOfBlock, count - first)
      const differences = region.differences(from, countOfBlock, this.#bytes)
      for (let at = 0; at < countOfBlock; at++) {
        const difference = differences[at] as number
        if (difference <= similar.max && (isAllowed === null || isAllowed(first + at)))
          similar.add(first + at, difference)
      }
    }
    return similar.places()
  }

  /** A memory that grows has a new buffer: a view is made when it is needed. */
  #at(place: number): Uint8Array {
    const { region, from } = this.#blocks[Math.floor(place / vectorsOfBlock)] as VectorBlock
    return new Uint8Array(region.memory.buffer, from + (place % vectorsOfBlock) * this.#bytes, this.#bytes)
  }
}
