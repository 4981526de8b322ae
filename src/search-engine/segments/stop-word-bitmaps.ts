import { type Segment, u8, u32 } from './segment.ts'

/**
 * Stop words occur in most chunks and are searched by few queries. If it is shorter than a list of chunks, their posting is a
 * bitmap: one bit for each chunk of the segment, lowest first.
 */
const markByte = '~'.charCodeAt(0)

/** Length of a bitmap. A list of this length or longer is never written. */
export function bitmapWords(chunks: number): number {
  return Math.ceil(chunks / 32)
}

export function isStopWord({ termStart, termBytes }: Segment, term: number): boolean {
  return startsWithMark(termBytes, u32(termStart, term))
}

/** Whether the term at this offset is a stop word. */
export function startsWithMark(bytes: Uint8Array, from: number): boolean {
  return bytes[from] === markByte
}

export function isBitmap(segment: Segment, term: number): boolean {
  const { chunkCount, postingStart, table } = segment
  // Counts of chunks, not of words.
  if (table !== '') return false
  const length = u32(postingStart, term + 1) - u32(postingStart, term)
  return length === bitmapWords(chunkCount) && isStopWord(segment, term)
}

export function setBit({ postingStart, postings }: Segment, term: number, chunk: number): void {
  const word = u32(postingStart, term) + (chunk >>> 5)
  postings[word] = (u32(postings, word) | (1 << (chunk & 31))) >>> 0
}

export function hasBit({ postingStart, postings }: Segment, term: number, chunk: number): boolean {
  return ((u32(postings, u32(postingStart, term) + (chunk >>> 5)) >>> (chunk & 31)) & 1) === 1
}

/** Chunks in a bitmap, ascending. */
export function* chunksOfBitmap({ postingStart, postings }: Segment, term: number): Generator<number> {
  const from = u32(postingStart, term)
  for (let word = from; word < u32(postingStart, term + 1); word++)
    for (let left = u32(postings, word); left !== 0; left = (left & (left - 1)) >>> 0)
      yield (word - from) * 32 + 31 - Math.clz32(left & -left)
}

/** The number of its chunks. */
export function sizeOfBitmap({ postingStart, postings }: Segment, term: number): number {
  let count = 0
  for (let word = u32(postingStart, term); word < u32(postingStart, term + 1); word++)
    count += bitsOf(u32(postings, word))
  return count
}

/** The number of bits that are set: of two, four and eight bits at once, whose counts are added. */
function bitsOf(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55_55_55_55)
  const fours = (pairs & 0x33_33_33_33) + ((pairs >>> 2) & 0x33_33_33_33)
  return Math.imul((fours + (fours >>> 4)) & 0x0f_0f_0f_0f, 0x01_01_01_01) >>> 24
}

/** Adds the chunks of a bitmap of another segment, whose first chunk becomes number `firstChunk`. */
export function addBits(
  { postingStart: targetStart, postings: target }: Segment,
  targetTerm: number,
  { segment, term, firstChunk }: { readonly segment: Segment; readonly term: number; readonly firstChunk: number },
): void {
  const { postingStart, postings } = segment
  const shift = firstChunk & 31
  let to = u32(targetStart, targetTerm) + (firstChunk >>> 5)
  for (let from = u32(postingStart, term); from < u32(postingStart, term + 1); from++, to++) {
    const word = u32(postings, from)
    target[to] = (u32(target, to) | (word << shift)) >>> 0
    const rest = shift === 0 ? 0 : word >>> (32 - shift)
    if (rest !== 0) target[to + 1] = (u32(target, to + 1) | rest) >>> 0
  }
}

/** The number of its visible chunks. */
export function countOfBitmap(segment: Segment, term: number, hidden: Uint8Array | null): number {
  let count = 0
  for (const chunk of chunksOfBitmap(segment, term)) if (hidden === null || u8(hidden, chunk) === 0) count++
  return count
}
