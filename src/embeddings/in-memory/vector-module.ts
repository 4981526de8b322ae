/**
 * The WebAssembly module that compares vectors: sixteen numbers or 128 signs at once, which JavaScript cannot do. The module is so small
 * that it is written here by its instructions (https://webassembly.github.io/spec/core/binary/): no tool and no binary file is needed.
 */

/** Bytes that a loop of the module reads at once: vectors and their signs take multiples of it. */
export const strideUnit = 16

/** Bytes of the weights of each byte of signs. */
export const weightBytes = 512

/** Bytes of the first signs of a vector: 256 of them. */
export const firstSignBytes = 32

const u32 = 0x7f
const u64 = 0x7e
const vector = 0x7b
const noResult = 0x40
/** Parameters: `source` is the first vector, or a list of addresses of vectors. */
const [query, source, count, stride, results] = [0, 1, 2, 3, 4]
/** Of all functions: where in the vector, and where the vector begins. */
const [at, codes] = [5, 6]
const [low, high, eight] = [7, 8, 9]
const sum = 7
const weight = 8
/** Of the function that compares the first signs: the signs of the query in four parts, and what is counted. */
const [max, parts, turn, difference] = [3, [5, 6, 7, 8], 9, 10]

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
const isAtMost = [0x4d]
const isAtLeast = [0x4f]
const add = [0x6a]
const subtract = [0x6b]
const shiftLeft = [0x74]
const or = [0x72]
const loadAddress = [0x28, 0x02, 0x00]
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
const zeroSum = [0x42, 0x00]
const loadSigns = (offset: number) => [0x29, 0x03, offset]
const differing = [0x85]
const countBits = [0x7b]
const addSums = [0x7c]
const toU32 = [0xa7]
const storeCount = [0x3b, 0x01, 0x00]
const storeEntry = [0x36, 0x02, 0x00]
const storeSum = [0x37, 0x03, 0x00]
const zero = [0x41, 0x00]
const loadByte = (offset: number) => [0x2d, 0x00, ...lengthOf(offset)]
const loadWeight = (offset: number) => [0x2f, 0x01, ...lengthOf(offset)]

const plus = (local: number, increment: readonly number[]) => [...get(local), ...increment, ...add, ...set(local)]
const added = (local: number, term: readonly number[]) => [...get(local), ...term, ...addVectors, ...set(local)]
const laneAsFloat = (lane: number) => [...get(low), ...laneOf(lane), ...toFloat]

interface Source {
  /** Where the next vector begins. */
  readonly next: readonly number[]
  readonly advance: readonly number[]
}
const adjacent: Source = { next: get(source), advance: plus(source, get(stride)) }
const listed: Source = { next: [...get(source), ...loadAddress], advance: plus(source, constant(4)) }

interface VectorLoop {
  readonly source: Source
  /** Sets the sums to zero. */
  readonly begin: readonly number[]
  /** The work on `strideUnit` bytes. */
  readonly each: readonly number[]
  /** Writes the result. */
  readonly write: readonly number[]
  readonly resultBytes: number
}

function bodyOf({ source, begin, each, write, resultBytes }: VectorLoop): readonly number[] {
  return [
    ...block,
    ...loop,
    ...[...get(count), ...isZero, ...leaveIf(1)],
    ...[...begin, ...constant(0), ...set(at), ...source.next, ...set(codes)],
    ...loop,
    ...each,
    ...plus(at, constant(strideUnit)),
    ...[...get(at), ...get(stride), ...isLess, ...leaveIf(0)],
    ...end,
    ...write,
    ...source.advance,
    ...plus(results, constant(resultBytes)),
    ...[...get(count), ...constant(1), ...subtract, ...set(count)],
    ...[...leave(0), ...end, ...end, ...end],
  ]
}

/** Numbers of the query take two bytes each. */
function queryPart(offset: number): readonly number[] {
  return [...get(query), ...get(at), ...constant(1), ...shiftLeft, ...add, ...loadVector(offset)]
}

function differences(offset: number): readonly number[] {
  const signsAt = (local: number) => [...get(local), ...get(at), ...add, ...loadSigns(offset)]
  return [...signsAt(query), ...signsAt(codes), ...differing, ...countBits, ...addSums]
}

const products = (source: Source): readonly number[] =>
  bodyOf({
    source,
    begin: [...zeroVector, ...set(low), ...zeroVector, ...set(high)],
    each: [
      ...[...get(codes), ...get(at), ...add, ...loadVector(0), ...set(eight)],
      ...added(low, [...get(eight), ...extendLow, ...queryPart(0), ...multiplyPairs]),
      ...added(high, [...get(eight), ...extendHigh, ...queryPart(16), ...multiplyPairs]),
    ],
    write: [
      ...added(low, get(high)),
      ...[...get(results), ...laneAsFloat(0), ...laneAsFloat(1), ...addFloats],
      ...[...laneAsFloat(2), ...addFloats, ...laneAsFloat(3), ...addFloats, ...storeFloat],
    ],
    resultBytes: 8,
  })

/**
 * Reads one number of each listed vector: a processor waits for many at once, because nothing else is done with them. Where the vectors are
 * far apart in a large memory, the loop after it finds them in the cache. Their sum is written, so that no compiler leaves the loop out.
 */
const touched: readonly number[] = [
  ...[...zeroSum, ...set(sum), ...get(source), ...set(at)],
  ...block,
  ...loop,
  ...[...get(at), ...get(source), ...get(count), ...constant(2), ...shiftLeft, ...add, ...isAtLeast, ...leaveIf(1)],
  ...[...get(sum), ...get(at), ...loadAddress, ...loadSigns(0), ...addSums, ...set(sum)],
  ...plus(at, constant(4)),
  ...[...leave(0), ...end, ...end],
  ...[...get(results), ...get(sum), ...storeSum],
]

const laterSigns = [
  ...touched,
  ...bodyOf({
    source: listed,
    begin: [...zeroSum, ...set(sum)],
    each: [...get(sum), ...differences(0), ...differences(8), ...set(sum)],
    write: [...get(results), ...get(sum), ...toU32, ...storeCount],
    resultBytes: 2,
  }),
]

/** The weight of one byte of signs: of each there are 256 in the table, two bytes each. */
function weightOf(byte: number): readonly number[] {
  const signs = [...get(codes), ...get(at), ...add, ...loadByte(byte), ...constant(1), ...shiftLeft]
  const tableAt = [...get(query), ...get(at), ...constant(9), ...shiftLeft, ...add]
  return [...signs, ...tableAt, ...add, ...loadWeight(byte * weightBytes)]
}

const weights = [
  ...touched,
  ...bodyOf({
    source: listed,
    begin: [...zero, ...set(weight)],
    each: Array.from({ length: strideUnit }, (_, byte) => plus(weight, weightOf(byte))).flat(),
    write: [...get(results), ...get(weight), ...storeEntry],
    resultBytes: 4,
  }),
]

/** 64 of the first signs. */
function partDifferences(local: number, number: number): readonly number[] {
  return [...get(source), ...loadSigns(number * 8), ...get(local), ...differing, ...countBits]
}

/**
 * No loop inside: the query stays in registers. Each vector is written, and the next one overwrites it unless it differs in at most `max`
 * signs: a branch would be predicted wrong too often.
 */
const firstSigns: readonly number[] = [
  ...parts.flatMap((local, number) => [...get(query), ...loadSigns(number * 8), ...set(local)]),
  ...block,
  ...loop,
  ...[...get(turn), ...get(count), ...isAtLeast, ...leaveIf(1)],
  ...parts.flatMap((local, number) => [...partDifferences(local, number), ...(number === 0 ? [] : addSums)]),
  ...[...toU32, ...set(difference)],
  ...[...get(results), ...get(difference), ...constant(16), ...shiftLeft, ...get(turn), ...or, ...storeEntry],
  ...[
    ...get(results),
    ...get(difference),
    ...get(max),
    ...isAtMost,
    ...constant(2),
    ...shiftLeft,
    ...add,
    ...set(results),
  ],
  ...plus(source, [...constant(firstSignBytes)]),
  ...plus(turn, constant(1)),
  ...[...leave(0), ...end, ...end],
  ...[...get(results), ...end],
]

/**
 * Its functions are called (query, source, count, stride, results), with places in the memory `docket.memory`; `nearFirst` with the largest
 * accepted difference instead of the stride. It returns the end of its results. `weighListed` has a table of weights instead of the query.
 */
export function vectorModule(): Uint8Array {
  const exports = ['multiply', 'multiplyListed', 'differListed', 'nearFirst', 'weighListed'].map(exported)
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, [2, ...[0x60, 5, u32, u32, u32, u32, u32, 0], ...[0x60, 5, u32, u32, u32, u32, u32, 1, u32]]),
    ...section(2, [1, ...nameOf('docket'), ...nameOf('memory'), 0x02, 0x00, 1]),
    ...section(3, [5, 0, 0, 0, 1, 0]),
    ...section(7, [exports.length, ...exports.flat()]),
    ...section(10, [
      5,
      ...sized([2, 2, u32, 3, vector, ...products(adjacent)]),
      ...sized([2, 2, u32, 3, vector, ...products(listed)]),
      ...sized([2, 2, u32, 1, u64, ...laterSigns]),
      ...sized([2, 4, u64, 2, u32, ...firstSigns]),
      ...sized([3, 2, u32, 1, u64, 1, u32, ...weights]),
    ]),
  ])
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

function exported(name: string, number: number): readonly number[] {
  return [...nameOf(name), 0x00, number]
}
