/**
 * Dot products of vectors of whole numbers in WebAssembly: sixteen numbers at once, which JavaScript cannot do. The module is so small
 * that it is written here by its instructions (https://webassembly.github.io/spec/core/binary/): no tool and no binary file is needed.
 */

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

/** Memory that the module reads. Its first page is for the query and the results. */
export interface DotMemory {
  readonly memory: Memory
  /**
   * The dot products of the query with adjacent vectors.
   *
   * @param codes where the first vector begins in the memory
   * @param count at most `maxProducts`
   * @param stride bytes of a vector: a multiple of `strideUnit`
   * @returns a view that the next call overwrites
   */
  products(codes: number, count: number, stride: number): Float64Array
  /** Sets the query: whole numbers of at most `maxQueryNumber`, padded with zeros to the stride. */
  setQuery(numbers: Int16Array): void
}

export const strideUnit = 16
export const maxProducts = 64
/** Products of 16,384 dimensions then fit into sums of 32 bits. */
export const maxQueryNumber = 2_047
export const maxDimensions = 16_384
/** The first byte that may hold vectors. */
export const firstCode = 65_536

const queryAt = 0
const productsAt = maxDimensions * 2

/** @param maxPages pages of 64 KB that the memory may have */
export function openDotMemory(maxPages: number): DotMemory {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: maxPages })
  const { exports } = new WebAssembly.Instance(dotModule(), { docket: { memory } })
  const multiply = exports['multiply'] as (
    query: number,
    codes: number,
    count: number,
    stride: number,
    products: number,
  ) => void
  return {
    memory,
    products: (codes, count, stride) => {
      multiply(queryAt, codes, count, stride, productsAt)
      return new Float64Array(memory.buffer, productsAt, count)
    },
    setQuery: (numbers) => new Int16Array(memory.buffer, queryAt, numbers.length).set(numbers),
  }
}

const u32 = 0x7f
const vector = 0x7b
const noResult = 0x40
const [query, codes, count, stride, products, at, low, high, eight] = [0, 1, 2, 3, 4, 5, 6, 7, 8]

const get = (local: number) => [0x20, local]
const set = (local: number) => [0x21, local]
const constant = (number: number) => [0x41, number]
const block = [0x02, noResult]
const loop = [0x03, noResult]
const end = [0x0b]
const leave = (depth: number) => [0x0c, depth]
const leaveIf = (depth: number) => [0x0d, depth]
const isZero = [0x45]
const isLess = [0x49]
const add = [0x6a]
const subtract = [0x6b]
const shiftLeft = [0x74]
const loadVector = (offset: number) => [0xfd, 0x00, 0x00, offset]
const zeroVector = [0xfd, 0x0c, ...new Uint8Array(16)]
const extendLow = [0xfd, 0x87, 0x01]
const extendHigh = [0xfd, 0x88, 0x01]
/** Multiplies eight pairs of 16 bits, and adds adjacent products: four sums of 32 bits. */
const multiplyPairs = [0xfd, 0xba, 0x01]
const addVectors = [0xfd, 0xae, 0x01]
const laneOf = (lane: number) => [0xfd, 0x1b, lane]
const toFloat = [0xb7]
const addFloats = [0xa0]
const storeFloat = [0x39, 0x03, 0x00]

const added = (local: number, sum: readonly number[]) => [...get(local), ...sum, ...addVectors, ...set(local)]
const laneAsFloat = (lane: number) => [...get(low), ...laneOf(lane), ...toFloat]

/** multiply(query, codes, count, stride, products) */
const body: readonly number[] = [
  ...block,
  ...loop,
  ...[...get(count), ...isZero, ...leaveIf(1)],
  ...[...zeroVector, ...set(low), ...zeroVector, ...set(high), ...constant(0), ...set(at)],
  ...loop,
  ...[...get(codes), ...get(at), ...add, ...loadVector(0), ...set(eight)],
  ...added(low, [...get(eight), ...extendLow, ...queryPart(0), ...multiplyPairs]),
  ...added(high, [...get(eight), ...extendHigh, ...queryPart(16), ...multiplyPairs]),
  ...[...get(at), ...constant(strideUnit), ...add, ...set(at)],
  ...[...get(at), ...get(stride), ...isLess, ...leaveIf(0)],
  ...end,
  ...added(low, get(high)),
  ...[...get(products), ...laneAsFloat(0), ...laneAsFloat(1), ...addFloats],
  ...[...laneAsFloat(2), ...addFloats, ...laneAsFloat(3), ...addFloats, ...storeFloat],
  ...[...get(codes), ...get(stride), ...add, ...set(codes)],
  ...[...get(products), ...constant(8), ...add, ...set(products)],
  ...[...get(count), ...constant(1), ...subtract, ...set(count)],
  ...[...leave(0), ...end, ...end, ...end],
]

/** Numbers of the query take two bytes each. */
function queryPart(offset: number): readonly number[] {
  return [...get(query), ...get(at), ...constant(1), ...shiftLeft, ...add, ...loadVector(offset)]
}

function dotModule(): object {
  return new WebAssembly.Module(
    Uint8Array.from([
      ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
      ...section(1, [1, 0x60, 5, u32, u32, u32, u32, u32, 0]),
      ...section(2, [1, ...nameOf('docket'), ...nameOf('memory'), 0x02, 0x00, 1]),
      ...section(3, [1, 0]),
      ...section(7, [1, ...nameOf('multiply'), 0x00, 0]),
      ...section(10, [1, ...sized([2, 1, u32, 3, vector, ...body])]),
    ]),
  )
}

function section(id: number, content: readonly number[]): readonly number[] {
  return [id, ...sized(content)]
}

function sized(content: readonly number[]): readonly number[] {
  return [...lengthOf(content.length), ...content]
}

/** LEB128. */
function lengthOf(length: number): readonly number[] {
  return length < 128 ? [length] : [(length & 127) | 128, ...lengthOf(length >>> 7)]
}

function nameOf(name: string): readonly number[] {
  return [name.length, ...Buffer.from(name)]
}
