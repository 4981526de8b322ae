import { type DotMemory, firstCode, maxProducts, openDotMemory } from './dot-products.ts'

/** Place for the rounded vectors of `maxProducts` chunks. */
export interface CodeBlock {
  readonly region: DotMemory
  /** Where it begins in the memory of its region. */
  readonly from: number
}

const pageBytes = 65_536
/** A gigabyte: a WebAssembly memory may have four. */
const pagesOfRegion = 16_384

/** Blocks of rounded vectors. Freed blocks are used again by vectors of the same stride. */
export class CodeMemory {
  readonly #regions: { readonly region: DotMemory; used: number }[] = []
  readonly #free = new Map<number, CodeBlock[]>()

  get regions(): readonly DotMemory[] {
    return this.#regions.map(({ region }) => region)
  }

  allocate(stride: number): CodeBlock {
    return this.#free.get(stride)?.pop() ?? this.#cut(stride * maxProducts)
  }

  free(block: CodeBlock, stride: number): void {
    const free = this.#free.get(stride)
    if (free === undefined) this.#free.set(stride, [block])
    else free.push(block)
  }

  #cut(bytes: number): CodeBlock {
    const last = this.#regions.at(-1)
    const target = last !== undefined && last.used + bytes <= pagesOfRegion * pageBytes ? last : this.#open()
    const from = target.used
    target.used += bytes
    const { memory } = target.region
    const missing = target.used - memory.buffer.byteLength
    if (missing > 0) memory.grow(Math.ceil(missing / pageBytes))
    return { region: target.region, from }
  }

  #open(): { readonly region: DotMemory; used: number } {
    const opened = { region: openDotMemory(pagesOfRegion), used: firstCode }
    this.#regions.push(opened)
    return opened
  }
}
