import { ByteReader, ByteWriter, maxVarintBytes } from './byte-streams.ts'
import { DamagedTermsError } from './damaged-terms.ts'
import { beginOfHash, endOfHash, hashOfBytes, nextOfHash, tokenOf, u8, u16, u32 } from './segment.ts'

/**
 * The terms of one document in the order in which a segment is built from them, before they are compressed.
 *
 *  numbers    chunks: for each its weighted length and its number of tokens, as varints
 *             terms: for each a byte with two halves: the bytes that it shares with the beginning of the previous term, and the
 *             bytes after them; a half of 15 is followed by a varint with the rest
 *             postings of all terms
 *             the higher bytes of all tokens
 *  texts      for each term, ascending, the bytes that it does not share
 *  tokens     the lowest bytes of all tokens
 *
 * A posting is the varint `(chunk − the previous chunk of the term) << 3 | weight << 1 | (1: the first one of its term)`. A weight above 3 is
 * written as 0, followed by a byte with the weight. A token is the number of its term, from 1; 0 is between two fields. Its
 * lowest bytes are as good as random, so they are apart.
 */
export interface DocumentStream {
  readonly documentId: number
  /** UTF-8. */
  readonly docId: Uint8Array
  readonly chunks: number
  readonly terms: number
  readonly postings: number
  readonly numbers: Uint8Array
  /** Offset of the postings in `numbers`. */
  readonly postingsFrom: number
  readonly texts: Uint8Array
  readonly tokens: Uint8Array
}

const maxShortWeight = 3
const maxHalf = 15

/** Bytes of a token besides the lowest one. */
function higherBytesOf(terms: number): number {
  return terms < 0x1_00 ? 0 : terms < 0x1_00_00 ? 1 : 2
}

/** Of the document to write. */
export interface DocumentCounts {
  readonly documentId: number
  /** UTF-8. */
  readonly docId: Uint8Array
  readonly chunks: number
  /** A buffer for at most so many. */
  readonly maxTerms: number
  readonly maxPostings: number
  readonly maxTermBytes: number
  /** As in a segment. */
  readonly tokens: Uint16Array
}

/**
 * Number of a term by the 16 bits of its hash, of one document at a time: if two terms share them, either is right. It is zero in between,
 * and is not made for each document, most of which have fewer terms than it has bytes.
 */
const termOfToken = new Uint32Array(0x1_00_00)

/** Terms ascend, and so do the chunks of a term. */
export class DocumentWriter {
  readonly #counts: DocumentCounts
  readonly #numbers: ByteWriter
  readonly #postings: ByteWriter
  readonly #texts: ByteWriter
  #terms = 0
  #postingCount = 0
  #termOfPosting = 0
  /** The previous term. */
  #bytes: Uint8Array = new Uint8Array(0)
  #from = 0
  #to = 0
  /** Those of the terms: what is set in `termOfToken`. */
  readonly #tokens: number[] = []

  constructor(counts: DocumentCounts) {
    const { chunks, maxTerms, maxPostings, maxTermBytes, tokens } = counts
    const heads = chunks * 2 * maxVarintBytes + maxTerms * (1 + 2 * maxVarintBytes)
    const postingBytes = maxPostings * (1 + maxVarintBytes)
    this.#counts = counts
    this.#numbers = new ByteWriter(heads + postingBytes + tokens.length * 2)
    this.#postings = new ByteWriter(postingBytes)
    this.#texts = new ByteWriter(maxTermBytes)
  }

  chunk(length: number, tokens: number): void {
    this.#numbers.varint(length)
    this.#numbers.varint(tokens)
  }

  term(bytes: Uint8Array, from: number, to: number): void {
    const shared = this.#sharedLength(bytes, from, to)
    const rest = to - from - shared
    this.#numbers.byte((Math.min(shared, maxHalf) << 4) | Math.min(rest, maxHalf))
    if (shared >= maxHalf) this.#numbers.varint(shared - maxHalf)
    if (rest >= maxHalf) this.#numbers.varint(rest - maxHalf)
    this.#texts.bytes(bytes, from + shared, to)
    this.#tokens.push(tokenOf(hashOfBytes(bytes, from, to)))
    this.#terms++
    this.#bytes = bytes
    this.#from = from
    this.#to = to
  }

  #sharedLength(bytes: Uint8Array, from: number, to: number): number {
    const previous = this.#bytes
    const end = from + Math.min(this.#to - this.#from, to - from)
    let at = from
    for (let before = this.#from; at < end && u8(previous, before) === u8(bytes, at); before++) at++
    return at - from
  }

  /** Of the last term. */
  posting(chunkStep: number, weight: number): void {
    const isShort = weight <= maxShortWeight
    const isFirst = this.#termOfPosting !== this.#terms
    this.#postings.varint((chunkStep << 3) | (isShort ? weight << 1 : 0) | (isFirst ? 1 : 0))
    if (!isShort) this.#postings.byte(weight)
    this.#termOfPosting = this.#terms
    this.#postingCount++
  }

  finish(): DocumentStream {
    const { documentId, docId, chunks } = this.#counts
    const [terms, postings] = [this.#terms, this.#postingCount]
    const postingsFrom = this.#numbers.at
    this.#numbers.bytes(this.#postings.written(), 0, this.#postings.at)
    const tokens = this.#writeTokens()
    const [numbers, texts] = [this.#numbers.written(), this.#texts.written()]
    return { documentId, docId, chunks, terms, postings, numbers, postingsFrom, texts, tokens }
  }

  /** @returns the lowest bytes */
  #writeTokens(): Uint8Array {
    const { tokens } = this.#counts
    const higher = higherBytesOf(this.#terms)
    const low = new Uint8Array(tokens.length)
    for (const [at, token] of this.#tokens.entries()) termOfToken[token] = at + 1
    for (let byte = 0; byte <= higher; byte++)
      for (let at = 0; at < tokens.length; at++) {
        const part = (u32(termOfToken, u16(tokens, at)) >>> (8 * byte)) & 255
        if (byte === 0) low[at] = part
        else this.#numbers.byte(part)
      }
    for (const token of this.#tokens) termOfToken[token] = 0
    return low
  }
}

/**
 * Reads the weighted length of each chunk, and its number of tokens.
 *
 * @throws DamagedTermsError, as all that reads a stream
 */
export function readChunks(
  { numbers, chunks, tokens }: DocumentStream,
  lengths: Uint32Array,
  tokenCounts: Uint32Array,
  from: number,
): void {
  const reader = new ByteReader(numbers)
  let left = tokens.length
  for (let chunk = from; chunk < from + chunks; chunk++) {
    lengths[chunk] = reader.varint()
    const count = reader.varint() >>> 0
    tokenCounts[chunk] = count
    left -= count
  }
  requireWhole(left === 0)
}

function requireWhole(isWhole: boolean): void {
  if (!isWhole) throw new DamagedTermsError('damaged terms')
}

/** Terms of one document at a time, ascending, with their hashes. Its memory is used again for the next document. */
export class TermList {
  count = 0
  /** One more than terms: offsets into the bytes. */
  start = new Uint32Array(1 << 10)
  bytes = new Uint8Array(1 << 14)
  /** `hashOfBytes` of each. */
  hashes = new Uint32Array(1 << 10)
  /** State of the hash after each byte of the previous term: what a term shares with it is not hashed again. */
  #states = new Int32Array(1 << 8).fill(beginOfHash, 0, 1)

  read(stream: DocumentStream): void {
    const { texts, terms } = stream
    const heads = new ByteReader(stream.numbers)
    for (let left = stream.chunks * 2; left > 0; left--) heads.varint()
    this.#reserve(terms)
    const { start, hashes } = this
    let textAt = 0
    let from = 0
    let to = 0
    for (let term = 0; term < terms; term++) {
      const halves = heads.byte()
      let shared = halves >>> 4
      if (shared === maxHalf) shared += heads.varint()
      let rest = halves & maxHalf
      if (rest === maxHalf) rest += heads.varint()
      // Also negative numbers, which only damaged bytes have.
      if (shared >>> 0 > to - from || rest >>> 0 > texts.length - textAt) requireWhole(false)
      this.#reserveBytes(to, shared + rest)
      const { bytes } = this
      const states = this.#states
      const end = to + shared
      for (let before = from; to < end; to++) bytes[to] = u8(bytes, before++)
      from = end - shared
      let state = states[shared] as number
      for (let at = shared + 1; at <= shared + rest; at++) {
        const byte = u8(texts, textAt++)
        bytes[to++] = byte
        state = nextOfHash(state, byte)
        states[at] = state
      }
      hashes[term] = endOfHash(state)
      start[term + 1] = to
    }
    requireWhole(textAt === texts.length && heads.at === stream.postingsFrom)
    this.count = terms
  }

  #reserve(terms: number): void {
    if (terms <= this.hashes.length) return
    this.hashes = new Uint32Array(terms * 2)
    this.start = new Uint32Array(terms * 2 + 1)
  }

  #reserveBytes(to: number, length: number): void {
    if (to + length > this.bytes.length) {
      const larger = new Uint8Array((to + length) * 2)
      larger.set(this.bytes.subarray(0, to))
      this.bytes = larger
    }
    if (length < this.#states.length) return
    const states = new Int32Array(length * 2)
    states.set(this.#states)
    this.#states = states
  }
}

/** Postings of the terms of several documents: those of one term in one document are a run. */
export interface PostingRuns {
  /** For each run its term. */
  readonly term: Uint32Array
  /** For each run its first posting. */
  readonly start: Uint32Array
  /** As in a segment. */
  readonly postings: Uint32Array
}

/** Where the postings of the next document begin in `PostingRuns`. */
export interface RunPlace {
  readonly run: number
  readonly posting: number
  readonly chunk: number
}

/** @param ordinals for each term of the document its number */
export function readPostings(
  { numbers, chunks, terms, tokens, postings: count, postingsFrom }: DocumentStream,
  ordinals: Uint32Array,
  { term, start, postings }: PostingRuns,
  place: RunPlace,
): void {
  let { run, posting, chunk } = place
  let last = chunk
  let ordinal = 0
  let at = postingsFrom
  for (const end = posting + count; posting < end; posting++) {
    let byte = u8(numbers, at++)
    let value = byte & 0x7f
    for (let shift = 7; byte >= 0x80; shift += 7) {
      byte = u8(numbers, at++)
      value |= (byte & 0x7f) << shift
    }
    if ((value & 1) === 1) {
      term[run] = u32(ordinals, ordinal++)
      start[run++] = posting
      chunk = place.chunk
    }
    chunk += value >>> 3
    if (chunk > last) last = chunk
    let weight = (value >>> 1) & maxShortWeight
    if (weight === 0) weight = u8(numbers, at++)
    postings[posting] = ((chunk << 8) | weight) >>> 0
  }
  requireWhole(at === numbers.length - higherBytesOf(terms) * tokens.length)
  requireWhole(ordinal === terms && (terms === 0 || start[place.run] === place.posting))
  requireWhole(last < place.chunk + Math.max(chunks, 1))
}

/** @param tokenOfTerm by the number of a term; 0 for 0 */
export function readTokens(stream: DocumentStream, tokenOfTerm: Uint16Array, target: Uint16Array, from: number): void {
  const { numbers, tokens, terms } = stream
  const count = tokens.length
  const higher = higherBytesOf(terms)
  const second = numbers.length - higher * count
  for (let at = 0; at < count; at++) {
    let term = u8(tokens, at)
    if (higher > 0) term |= u8(numbers, second + at) << 8
    if (higher > 1) term |= u8(numbers, second + count + at) << 16
    target[from + at] = u16(tokenOfTerm, term)
  }
}
