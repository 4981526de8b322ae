import { firstSignBytes, strideUnit, vectorModule, weightBytes } from './vector-module.ts'

/** What is used of it: TypeScript describes WebAssembly only for browsers. */
interface Memory {
  readonly buffer: ArrayBuffer
  grow(pages: number): number
}
declare const WebAssembly: {
  readonly Memory: new (limits: { readonly initial: number; readonly maximum: number }) => Memory
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (
    module: object,
    imports: { readonly docket: { readonly memory: Memory } },
  ) => { readonly exports: Record<string, unknown> }
}

/** Memory that the module reads. Its first pages are for the query and the results. */
export interface VectorMemory {
  readonly memory: Memory
  /**
   * The dot products of the query with adjacent vectors.
   *
   * @param codes where the first vector begins in the memory
   * @param count at most `maxResults`
   * @param stride bytes of a vector: a multiple of `strideUnit`
   * @returns a view that the next call overwrites, and that may be longer
   */
  products(codes: number, count: number, stride: number): Float64Array
  /**
   * The dot products of the query with vectors anywhere in the memory.
   *
   * @param addresses where each vector begins
   * @param count how many of the addresses; at most `maxResults`
   */
  listedProducts(addresses: Uint32Array, count: number, stride: number): Float64Array
  /**
   * In how many of the signs after the first ones vectors anywhere in the memory differ from the query.
   *
   * @param addresses where these signs of each vector begin
   * @param count how many of the addresses; at most `maxResults`
   * @param bytes of these signs of a vector: a multiple of `strideUnit`
   * @returns a view that the next call overwrites, and that may be longer
   */
  laterDifferences(addresses: Uint32Array, count: number, bytes: number): Uint16Array
  /**
   * The vectors that differ from the query in at most `max` of their first signs (`firstSignBytes`), of adjacent ones.
   *
   * @param signs where the first signs of the first vector begin in the memory
   * @param count at most `maxResults`
   * @returns for each of them: its number among the adjacent ones, and 65,536 times its difference. A view that the next call overwrites
   */
  nearFirstSigns(signs: number, count: number, max: number): Uint32Array
  /**
   * The sums of weights by the signs of vectors anywhere in the memory.
   *
   * @param addresses where signs of each vector begin
   * @param count how many of the addresses; at most `maxResults`
   * @param first the number of the first of these bytes of signs, of which the weights are
   * @param bytes of these signs of a vector: a multiple of `strideUnit`
   * @returns a view that the next call overwrites, and that may be longer
   */
  weights(addresses: Uint32Array, count: number, first: number, bytes: number): Uint32Array
  /** @param table for each byte of signs 256 weights */
  setWeights(table: Uint16Array): void
  /** Sets the query: whole numbers of at most `maxQueryNumber`, padded with zeros to the stride. */
  setQuery(numbers: Int16Array): void
  /** @param signs padded with zeros, at least `firstSignBytes` */
  setQuerySigns(signs: Uint8Array): void
}

export { firstSignBytes, strideUnit, weightBytes }
export const maxResults = 4_096
/** Products of 16,384 dimensions then fit into sums of 32 bits. */
export const maxQueryNumber = 2_047
export const maxDimensions = 16_384

const queryAt = 0
const querySignsAt = queryAt + maxDimensions * 2
const weightsAt = querySignsAt + maxDimensions / 8
const listAt = weightsAt + (maxDimensions / 8) * weightBytes
const resultsAt = listAt + maxResults * 4
const pageBytes = 65_536
/** The first byte that may hold vectors. */
export const firstVector = Math.ceil((resultsAt + maxResults * 8) / pageBytes) * pageBytes

/** Compares the query with vectors. */
type Comparison<T = void> = (query: number, source: number, count: number, stride: number, results: number) => T

interface Comparisons {
  readonly multiply: Comparison
  readonly multiplyListed: Comparison
  readonly differListed: Comparison
  readonly nearFirst: Comparison<number>
  readonly weighListed: Comparison
}

/** @param maxPages pages of 64 KB that the memory may have */
export function openVectorMemory(maxPages: number): VectorMemory {
  const memory = new WebAssembly.Memory({ initial: firstVector / pageBytes, maximum: maxPages })
  const module = new WebAssembly.Module(vectorModule())
  const { exports } = new WebAssembly.Instance(module, { docket: { memory } })
  const { multiply, multiplyListed, differListed, nearFirst, weighListed } = exports as unknown as Comparisons
  let views = viewsOf(memory)
  const currentViews = (): Views => {
    // A memory that grows has a new buffer.
    if (views.products.buffer !== memory.buffer) views = viewsOf(memory)
    return views
  }
  return {
    memory,
    products: (codes, count, stride) => {
      multiply(queryAt, codes, count, stride, resultsAt)
      return currentViews().products
    },
    listedProducts: (addresses, count, stride) => {
      const { list, products } = currentViews()
      list.set(addresses.subarray(0, count))
      multiplyListed(queryAt, listAt, count, stride, resultsAt)
      return products
    },
    laterDifferences: (addresses, count, bytes) => {
      const { list, differences } = currentViews()
      list.set(addresses.subarray(0, count))
      differListed(querySignsAt + firstSignBytes, listAt, count, bytes, resultsAt)
      return differences
    },
    nearFirstSigns: (signs, count, max) => {
      const end = nearFirst(querySignsAt, signs, count, max, resultsAt)
      return currentViews().entries.subarray(0, (end - resultsAt) / 4)
    },
    weights: (addresses, count, first, bytes) => {
      const { list, entries } = currentViews()
      list.set(addresses.subarray(0, count))
      weighListed(weightsAt + first * weightBytes, listAt, count, bytes, resultsAt)
      return entries
    },
    setWeights: (table) => new Uint16Array(memory.buffer, weightsAt, table.length).set(table),
    setQuery: (numbers) => new Int16Array(memory.buffer, queryAt, numbers.length).set(numbers),
    setQuerySigns: (signs) => new Uint8Array(memory.buffer, querySignsAt, signs.length).set(signs),
  }
}

interface Views {
  readonly list: Uint32Array
  readonly products: Float64Array
  readonly differences: Uint16Array
  readonly entries: Uint32Array
}

function viewsOf({ buffer }: Memory): Views {
  return {
    list: new Uint32Array(buffer, listAt, maxResults),
    products: new Float64Array(buffer, resultsAt, maxResults),
    differences: new Uint16Array(buffer, resultsAt, maxResults),
    entries: new Uint32Array(buffer, resultsAt, maxResults),
  }
}
