import { type Segment, u8, u16, u32 } from '../segments/segment.ts'
import { hasBit, isBitmap } from '../segments/stop-word-bitmaps.ts'
import { type BytesColumn, type ChunkRows, type PackedRow, partLimits, rowHeader } from './chunk-rows.ts'

/** LanceDB's scores only choose candidates: more repetitions would add bytes. */
const maxRepeated = 8

/** The terms of some chunks: those of one after those of the other. */
export interface TermsByChunk {
  /** One more than chunks: offsets into the others. */
  readonly starts: Uint32Array
  /** Ascending for each chunk. */
  readonly ordinals: Uint32Array
  readonly weights: Uint8Array
}

/** The chunks of a segment, some at a time: the cost in memory is that of one part. */
export function* rowsOf(segment: Segment, limits = partLimits): Generator<ChunkRows> {
  const { chunkCount, termCount, postingStart } = segment
  // Where the next part begins, for each term.
  const next = postingStart.slice(0, termCount)
  const sizes = bytesOfChunks(segment)
  let to = 0
  for (let from = 0; from < chunkCount; from = to) {
    let bytes = 0
    do bytes += u32(sizes, to++)
    while (to < chunkCount && to - from < limits.rows && bytes + u32(sizes, to) <= limits.bytes)
    const terms = termsByChunk(segment, { from, to, next })
    yield { from, terms: wordsOf(terms), packed: packedOf(segment, from, terms) }
  }
}

/** The size of each row, with its words. */
function bytesOfChunks(segment: Segment): Uint32Array {
  const { chunkCount, termCount, tokenStart, postingStart } = segment
  const sizes = new Uint32Array(chunkCount)
  for (let chunk = 0; chunk < chunkCount; chunk++)
    sizes[chunk] = rowHeader + (u32(tokenStart, chunk + 1) - u32(tokenStart, chunk)) * 2
  const next = postingStart.slice(0, termCount)
  eachPosting(segment, { from: 0, to: chunkCount, next }, (chunk, term, weight) => {
    sizes[chunk] = u32(sizes, chunk) + 5 + bytesOfWord(term, weight)
  })
  return sizes
}

interface SegmentRange {
  readonly from: number
  readonly to: number
  /** For each term, its first posting of the range; it is moved behind the last one. */
  readonly next: Uint32Array
}

function termsByChunk(segment: Segment, { from, to, next }: SegmentRange): TermsByChunk {
  const starts = new Uint32Array(to - from + 1)
  const after = next.slice()
  eachPosting(segment, { from, to, next: after }, (chunk) => {
    starts[chunk - from + 1] = u32(starts, chunk - from + 1) + 1
  })
  for (let at = 0; at < to - from; at++) starts[at + 1] = u32(starts, at + 1) + u32(starts, at)
  const ordinals = new Uint32Array(u32(starts, to - from))
  const weights = new Uint8Array(ordinals.length)
  const places = starts.slice()
  eachPosting(segment, { from, to, next }, (chunk, term, weight) => {
    const place = u32(places, chunk - from)
    ordinals[place] = term
    weights[place] = weight
    places[chunk - from] = place + 1
  })
  return { starts, ordinals, weights }
}

function eachPosting(
  segment: Segment,
  { from, to, next }: SegmentRange,
  take: (chunk: number, term: number, weight: number) => void,
): void {
  const { termCount, postingStart, postings } = segment
  for (let term = 0; term < termCount; term++) {
    if (isBitmap(segment, term)) {
      for (let chunk = from; chunk < to; chunk++) if (hasBit(segment, term, chunk)) take(chunk, term, 1)
      continue
    }
    const end = u32(postingStart, term + 1)
    let place = u32(next, term)
    for (; place < end && u32(postings, place) >>> 8 < to; place++) {
      const posting = u32(postings, place)
      take(posting >>> 8, term, posting & 255)
    }
    next[term] = place
  }
}

/** What LanceDB's index is made of: the token of each term, as often as the chunk contains the term. */
export function wordsOf({ starts, ordinals, weights }: TermsByChunk): BytesColumn {
  const timesOf = (at: number): number => Math.min(u8(weights, at), maxRepeated)
  const ends = new Int32Array(starts.length)
  let size = 0
  for (let chunk = 0; chunk + 1 < starts.length; chunk++) {
    for (let at = u32(starts, chunk); at < u32(starts, chunk + 1); at++)
      size += bytesOfWord(u32(ordinals, at), u8(weights, at))
    ends[chunk + 1] = size
  }
  const bytes = new Uint8Array(size)
  let place = 0
  // A space after each word, also the last one of a chunk.
  for (let at = 0; at < ordinals.length; at++)
    for (let times = timesOf(at); times > 0; times--) {
      place = writeWord(bytes, place, u32(ordinals, at))
      bytes[place++] = space
    }
  return { starts: ends, bytes }
}

/** The bytes of a row in `wordsOf`. */
export function bytesOfWords(row: PackedRow): number {
  let size = 0
  for (let at = 0; at < row.terms; at++) size += bytesOfWord(row.ordinal(at), row.weight(at))
  return size
}

/** A term with the spaces after it. */
function bytesOfWord(ordinal: number, weight: number): number {
  return Math.min(weight, maxRepeated) * (digitsOf(ordinal) + 1)
}

const space = 32
const digits = Buffer.from('0123456789abcdefghijklmnopqrstuvwxyz')

/** Of a number in base 36, as `wordOf` has it. */
function digitsOf(ordinal: number): number {
  let count = 1
  for (let left = ordinal; left >= 36; left = Math.floor(left / 36)) count++
  return count
}

function writeWord(bytes: Uint8Array, from: number, ordinal: number): number {
  const end = from + digitsOf(ordinal)
  let left = ordinal
  for (let at = end - 1; at >= from; at--) {
    bytes[at] = u8(digits, left % 36)
    left = Math.floor(left / 36)
  }
  return end
}

function packedOf(
  { tokenStart, tokens }: Segment,
  from: number,
  { starts, ordinals, weights }: TermsByChunk,
): BytesColumn {
  const count = starts.length - 1
  const ends = new Int32Array(count + 1)
  const tokensFrom = u32(tokenStart, from)
  for (let at = 0; at <= count; at++)
    ends[at] = at * rowHeader + u32(starts, at) * 5 + (u32(tokenStart, from + at) - tokensFrom) * 2
  const bytes = Buffer.allocUnsafe(ends[count] ?? 0)
  let place = 0
  for (let at = 0; at < count; at++) {
    const [first, end] = [u32(starts, at), u32(starts, at + 1)]
    place = bytes.writeUInt32LE(from + at, place)
    place = bytes.writeUInt32LE(end - first, place)
    for (let term = first; term < end; term++) place = bytes.writeUInt32LE(u32(ordinals, term), place)
    for (let token = u32(tokenStart, from + at); token < u32(tokenStart, from + at + 1); token++)
      place = bytes.writeUInt16LE(u16(tokens, token), place)
    bytes.set(weights.subarray(first, end), place)
    place += end - first
  }
  return { starts: ends, bytes }
}
