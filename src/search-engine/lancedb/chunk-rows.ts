import { placeBlocks } from '../segments/posting-blocks.ts'
import { createSegment, type Segment, u8, u32 } from '../segments/segment.ts'
import { bitmapWords, isBitmap, startsWithMark } from '../segments/stop-word-bitmaps.ts'

/**
 * A chunk as a row of a table: terms by their ordinals in the segment, so that every term is a token of any tokenizer.
 *
 *  terms    ordinals in base 36, as often as the chunk contains the term: LanceDB's index is made of these
 *  packed   number of the chunk; number of terms; ordinals, ascending (u32 each); tokens in their order (u16 each); weights of the
 *           terms (u8 each)
 */
export interface ChunkRows {
  /** Number of the first chunk in the segment; the others follow it. */
  readonly from: number
  readonly terms: BytesColumn
  readonly packed: BytesColumn
}

/** A value of bytes for each chunk: those of one after those of the other. */
export interface BytesColumn {
  /** One more than values. */
  readonly starts: Int32Array
  readonly bytes: Uint8Array
}

/** Bytes of a packed row before its terms. */
export const rowHeader = 8

/** How much is written at once: it is in memory. */
export interface PartLimits {
  readonly rows: number
  /** Of rows and of the words for LanceDB's index. A larger row is written alone. */
  readonly bytes: number
}

/** LanceDB makes a file of each part, and a search reads more quickly from few files. Their offsets have 31 bits. */
export const partLimits: PartLimits = { rows: 100_000, bytes: 128 * 1_024 * 1_024 }

/** The token of a term in LanceDB's index. */
export function wordOf(ordinal: number): string {
  return ordinal.toString(36)
}

/** A row that was read. */
export class PackedRow {
  /** Its number in the segment. */
  readonly chunk: number
  readonly terms: number
  readonly tokens: number
  readonly #row: Buffer

  /** @param header what it begins with, if that is known */
  constructor(bytes: Uint8Array, header?: Pick<PackedRow, 'chunk' | 'terms'>) {
    this.#row = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.chunk = header?.chunk ?? this.#row.readUInt32LE(0)
    this.terms = header?.terms ?? this.#row.readUInt32LE(4)
    this.tokens = (bytes.length - rowHeader - this.terms * 5) / 2
    if (!Number.isInteger(this.tokens) || this.tokens < 0) throw new Error('a row of a table of chunks is damaged')
  }

  /** The bytes of a row that was read are a part of those of many. */
  copied(): PackedRow {
    return new PackedRow(Buffer.from(this.#row), this)
  }

  /**
   * A copy, as a row of another table.
   *
   * @param ordinals those of the terms in the other table, by the present ones; both ascend alike
   */
  moved(chunk: number, ordinals: Uint32Array): PackedRow {
    const bytes = Buffer.from(this.#row)
    bytes.writeUInt32LE(chunk)
    for (let at = 0; at < this.terms; at++) bytes.writeUInt32LE(u32(ordinals, this.ordinal(at)), rowHeader + at * 4)
    return new PackedRow(bytes, { chunk, terms: this.terms })
  }

  copyTo(bytes: Uint8Array, at: number): void {
    this.#row.copy(bytes, at)
  }

  /** Bytes. */
  get size(): number {
    return this.#row.length
  }

  ordinal(at: number): number {
    return this.#row.readUInt32LE(rowHeader + at * 4)
  }

  token(at: number): number {
    return this.#row.readUInt16LE(rowHeader + this.terms * 4 + at * 2)
  }

  weight(at: number): number {
    return this.#row[rowHeader + this.terms * 4 + this.tokens * 2 + at] as number
  }

  /** @returns 0: the chunk does not contain the term */
  weightOf(ordinal: number): number {
    let low = 0
    let high = this.terms - 1
    while (low <= high) {
      const middle = (low + high) >>> 1
      const found = this.ordinal(middle)
      if (found === ordinal) return this.weight(middle)
      if (found < ordinal) low = middle + 1
      else high = middle - 1
    }
    return 0
  }
}

/** The segment without postings and tokens, which are in the table. Searches count by it, and know its documents. */
export function movedSegment(segment: Segment, table: string): Segment {
  const { documentCount, chunkCount, termCount, docIdBytes, termBytes } = segment
  const counts = { documents: documentCount, chunks: chunkCount, terms: termCount, docIdBytes: docIdBytes.length }
  const moved = createSegment({ ...counts, termBytes: termBytes.length, postings: 0, tokens: 0 }, table)
  for (const part of ['documentIds', 'firstChunk', 'docIdStart', 'docIdBytes', 'chunkLength', 'tokenStart'] as const)
    moved[part].set(segment[part])
  moved.termStart.set(segment.termStart)
  moved.termBytes.set(termBytes)
  for (let term = 0; term < termCount; term++)
    moved.postingStart[term + 1] = u32(moved.postingStart, term) + chunksWith(segment, term)
  return moved
}

function chunksWith(segment: Segment, term: number): number {
  const { postingStart, postings } = segment
  const from = u32(postingStart, term)
  const to = u32(postingStart, term + 1)
  if (!isBitmap(segment, term)) return to - from
  let count = 0
  for (let word = from; word < to; word++) for (let left = u32(postings, word); left !== 0; left &= left - 1) count++
  return count
}

/**
 * The segment as it was before it was moved, byte for byte.
 *
 * @param rows all of them, in any order
 */
export async function wholeSegment(moved: Segment, rows: AsyncIterable<PackedRow>): Promise<Segment> {
  const { documentCount, chunkCount, termCount, termStart, termBytes, postingStart } = moved
  const bits = bitmapWords(chunkCount)
  const sizes = Uint32Array.from({ length: termCount }, (_, term) => {
    const count = u32(postingStart, term + 1) - u32(postingStart, term)
    return startsWithMark(termBytes, u32(termStart, term)) ? Math.min(count, bits) : count
  })
  const whole = createSegment({
    documents: documentCount,
    chunks: chunkCount,
    terms: termCount,
    docIdBytes: moved.docIdBytes.length,
    termBytes: termBytes.length,
    postings: sizes.reduce((sum, size) => sum + size, 0),
    tokens: u32(moved.tokenStart, chunkCount),
  })
  for (const part of ['documentIds', 'firstChunk', 'docIdStart', 'docIdBytes', 'chunkLength', 'tokenStart'] as const)
    whole[part].set(moved[part])
  whole.termStart.set(termStart)
  whole.termBytes.set(termBytes)
  for (let term = 0; term < termCount; term++)
    whole.postingStart[term + 1] = u32(whole.postingStart, term) + u32(sizes, term)
  await placeRows(whole, rows)
  // Sorts the postings of each term.
  placeBlocks(whole)
  return whole
}

async function placeRows(whole: Segment, rows: AsyncIterable<PackedRow>): Promise<void> {
  const { chunkCount, termCount, tokenStart, tokens, postingStart, postings } = whole
  const next = postingStart.slice()
  const isBits = Uint8Array.from({ length: termCount }, (_, term) => Number(isBitmap(whole, term)))
  let found = 0
  for await (const row of rows) {
    const { chunk } = row
    found++
    const start = u32(tokenStart, chunk)
    if (row.tokens !== u32(tokenStart, chunk + 1) - start) throw new Error('a row of a table of chunks is damaged')
    for (let at = 0; at < row.tokens; at++) tokens[start + at] = row.token(at)
    for (let at = 0; at < row.terms; at++) {
      const term = row.ordinal(at)
      const place = u32(next, term)
      if (u8(isBits, term) === 1) {
        const word = u32(postingStart, term) + (chunk >>> 5)
        postings[word] = (u32(postings, word) | (1 << (chunk & 31))) >>> 0
      } else {
        postings[place] = ((chunk << 8) | row.weight(at)) >>> 0
        next[term] = place + 1
      }
    }
  }
  if (found !== chunkCount) throw new Error(`a table of chunks has ${found} rows instead of ${chunkCount}`)
}

/** What a search reads of a moved segment: the postings of its terms in some chunks, at the numbers of the segment. */
export class CandidateView {
  readonly #moved: Segment
  readonly #postingStart: Uint32Array
  readonly #tokenStart: Uint32Array

  constructor(moved: Segment) {
    this.#moved = moved
    this.#postingStart = new Uint32Array(moved.termCount + 1)
    this.#tokenStart = new Uint32Array(moved.chunkCount + 1)
  }

  /**
   * A segment with these chunks only. It is valid until the next call: arrays as long as the segment are made once.
   *
   * @param ordinals terms of the search, ascending; other terms must not be looked up
   * @param rows chunks ascending
   */
  segmentOf(ordinals: readonly number[], rows: readonly PackedRow[]): Segment {
    const postings: number[] = []
    for (const ordinal of ordinals) {
      this.#postingStart[ordinal] = postings.length
      for (const row of rows) {
        const weight = row.weightOf(ordinal)
        if (weight > 0) postings.push(((row.chunk << 8) | weight) >>> 0)
      }
      this.#postingStart[ordinal + 1] = postings.length
    }
    const tokens = new Uint16Array(rows.reduce((sum, row) => sum + row.tokens, 0))
    let to = 0
    for (const row of rows) {
      this.#tokenStart[row.chunk] = to
      for (let at = 0; at < row.tokens; at++) tokens[to++] = row.token(at)
      this.#tokenStart[row.chunk + 1] = to
    }
    return {
      ...this.#moved,
      postingCount: postings.length,
      postingStart: this.#postingStart,
      postings: Uint32Array.from(postings),
      tokenStart: this.#tokenStart,
      tokens,
    }
  }
}
