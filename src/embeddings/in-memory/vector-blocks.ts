import { firstVector, openVectorMemory, type VectorMemory } from './dot-products.ts'

/** Place for some vectors, or for their signs. */
export interface VectorBlock {
  readonly region: VectorMemory
  /** Where it begins in the memory of its region. */
  readonly from: number
}

const pageBytes = 65_536
/** A gigabyte: a WebAssembly memory may have four. */
const pagesOfRegion = 16_384
/**
 * 16 MB, which take no memory before they are written. To V8, memory that has grown is new memory of its whole size, and it collects all
 * garbage of the thread soon afterwards (docs/decisions/0054).
 */
const pagesOfStep = 256

/** Blocks of vectors in memory. Freed blocks are used again by vectors of the same stride. */
export class VectorBlocks {
  readonly #vectorsOfBlock: number
  readonly #regions: { readonly region: VectorMemory; used: number }[] = []
  readonly #free = new Map<number, VectorBlock[]>()

  /** @param vectorsOfBlock how many vectors a block has place for */
  constructor(vectorsOfBlock: number) {
    this.#vectorsOfBlock = vectorsOfBlock
  }

  get regions(): readonly VectorMemory[] {
    return this.#regions.map(({ region }) => region)
  }

  hasFree(stride: number): boolean {
    return (this.#free.get(stride)?.length ?? 0) > 0
  }

  /** @param stride bytes of a vector */
  allocate(stride: number): VectorBlock {
    return this.#free.get(stride)?.pop() ?? this.#cut(stride * this.#vectorsOfBlock)
  }

  free(block: VectorBlock, stride: number): void {
    const free = this.#free.get(stride)
    if (free === undefined) this.#free.set(stride, [block])
    else free.push(block)
  }

  #cut(bytes: number): VectorBlock {
    const last = this.#regions.at(-1)
    const target = last !== undefined && last.used + bytes <= pagesOfRegion * pageBytes ? last : this.#open()
    const from = target.used
    target.used += bytes
    const { memory } = target.region
    const missing = target.used - memory.buffer.byteLength
    if (missing > 0) memory.grow(pagesToGrow(missing, memory.buffer.byteLength))
    return { region: target.region, from }
  }

  #open(): { readonly region: VectorMemory; used: number } {
    const opened = { region: openVectorMemory(pagesOfRegion), used: firstVector }
    this.#regions.push(opened)
    return opened
  }
}

function pagesToGrow(missing: number, bytes: number): number {
  const left = pagesOfRegion - bytes / pageBytes
  return Math.min(left, Math.max(pagesOfStep, Math.ceil(missing / pageBytes)))
}
