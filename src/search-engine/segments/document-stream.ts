import { ByteReader, ByteWriter, maxVarintBytes } from './byte-streams.ts'
import { hashOfBytes, tokenOf, u8, u16, u32 } from './segment.ts'

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

/** Reads the postings in their order, and the terms beside them. */
export class TermReader {
  /** The bytes of the current term, up to `length`. */
  bytes = new Uint8Array(256)
  length = 0
  /** Of the current posting: the difference to the previous chunk, and whether it is the first one of the next term. */
  chunkStep = 0
  isOfNextTerm = false
  readonly #heads: ByteReader
  readonly #postings: ByteReader
  readonly #texts: Uint8Array
  #textAt = 0

  constructor(stream: DocumentStream) {
    this.#heads = chunkReader(stream)
    for (let left = stream.chunks * 2; left > 0; left--) this.#heads.varint()
    this.#postings = new ByteReader(stream.numbers, stream.postingsFrom)
    this.#texts = stream.texts
  }

  nextTerm(): void {
    const halves = this.#heads.byte()
    let shared = halves >>> 4
    if (shared === maxHalf) shared += this.#heads.varint()
    let rest = halves & maxHalf
    if (rest === maxHalf) rest += this.#heads.varint()
    this.length = shared + rest
    if (this.length > this.bytes.length) this.#grow()
    for (let at = shared; at < this.length; at++) this.bytes[at] = u8(this.#texts, this.#textAt++)
  }

  /** @returns its weight */
  nextPosting(): number {
    const value = this.#postings.varint()
    this.isOfNextTerm = (value & 1) === 1
    this.chunkStep = value >>> 3
    const weight = (value >>> 1) & maxShortWeight
    return weight === 0 ? this.#postings.byte() : weight
  }

  #grow(): void {
    const larger = new Uint8Array(this.length * 2)
    larger.set(this.bytes)
    this.bytes = larger
  }
}

/** Reads the weighted length and the number of tokens of each chunk. */
export function chunkReader({ numbers }: DocumentStream): ByteReader {
  return new ByteReader(numbers)
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
