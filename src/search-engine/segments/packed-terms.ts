import { crc32 } from 'node:zlib'
import { type Segment, u8, u16, u32 } from './segment.ts'
import { chunksOfBitmap, isBitmap } from './stop-word-bitmaps.ts'
import { termsVersion } from './terms-version.ts'

/**
 * The terms of one document as bytes, a fifth smaller than a segment. They are stored beside its chunks:
 *
 *  header    layout, CRC-32 of the rest, document id, length, counts
 *  doc_id    UTF-8
 *  chunks    for each its weighted length and its number of tokens
 *  tokens    of all chunks, as in a segment
 *  terms     ascending: length << 1 | (1: several postings), UTF-8, number of postings if there are several, postings
 *
 * A posting is (chunk − the previous chunk) << 2 | weight; a weight above 3 is written as 0, followed by a byte with the
 * weight. Numbers of the header and tokens are little-endian. Others are varints: seven bits per byte, the lowest first, with a
 * continuation bit.
 */
export interface PackedTerms {
  readonly bytes: Uint8Array
  readonly documentId: number
  readonly docIdBytes: number
  readonly chunks: number
  readonly terms: number
  readonly postings: number
  readonly tokens: number
}

/** Increase it when the bytes of the same terms change. */
const packedLayout = 1

/** Version of packed terms. Other versions are not read. */
export const termsMadeAs = `${termsVersion}/${packedLayout}`

export const headerBytes = 40
/** The checksum covers the bytes from this offset on. */
export const checkedFrom = 8
/** Seven bits per byte. */
const maxVarintBytes = 5
const maxShortWeight = 3

/** @param segment of one document */
export function packTerms(segment: Segment): Uint8Array {
  const writer = new ByteWriter()
  writer.at = headerBytes
  writer.reserve(segment.docIdBytes.length + segment.chunkCount * 2 * maxVarintBytes + segment.tokens.length * 2)
  writer.bytes(segment.docIdBytes, 0, segment.docIdBytes.length)
  for (let chunk = 0; chunk < segment.chunkCount; chunk++) {
    writer.varint(u32(segment.chunkLength, chunk))
    writer.varint(u32(segment.tokenStart, chunk + 1) - u32(segment.tokenStart, chunk))
  }
  for (let at = 0; at < segment.tokens.length; at++) writer.uint16(u16(segment.tokens, at))
  let postings = 0
  for (let term = 0; term < segment.termCount; term++) postings += packTerm(writer, segment, term)
  return withHeader(writer.written(), segment, postings)
}

/** @returns the number of postings */
function packTerm(writer: ByteWriter, segment: Segment, term: number): number {
  const { termStart, termBytes, postingStart, postings } = segment
  const from = u32(termStart, term)
  const to = u32(termStart, term + 1)
  const all = isBitmap(segment, term)
    ? Uint32Array.from(chunksOfBitmap(segment, term), (chunk) => ((chunk << 8) | 1) >>> 0)
    : postings.subarray(u32(postingStart, term), u32(postingStart, term + 1))
  writer.reserve(2 * maxVarintBytes + to - from + all.length * (maxVarintBytes + 1))
  writer.varint(((to - from) << 1) | (all.length === 1 ? 0 : 1))
  writer.bytes(termBytes, from, to)
  if (all.length !== 1) writer.varint(all.length)
  let before = 0
  for (const posting of all) {
    const chunk = posting >>> 8
    const weight = posting & 255
    writer.varint(((chunk - before) << 2) | (weight > maxShortWeight ? 0 : weight))
    if (weight > maxShortWeight) writer.byte(weight)
    before = chunk
  }
  return all.length
}

function withHeader(packed: Uint8Array, segment: Segment, postings: number): Uint8Array {
  const header = new DataView(packed.buffer, packed.byteOffset, headerBytes)
  header.setUint32(0, packedLayout, true)
  header.setFloat64(8, segment.documentIds[0] ?? 0, true)
  const counts = [
    packed.length,
    segment.docIdBytes.length,
    segment.chunkCount,
    segment.termCount,
    postings,
    segment.tokens.length,
  ]
  for (const [place, count] of counts.entries()) header.setUint32(16 + place * 4, count, true)
  header.setUint32(4, crc32(packed.subarray(checkedFrom)), true)
  return packed
}

/** @returns undefined: bytes are missing or changed, or they belong to another document */
export function openPackedTerms(documentId: number, bytes: Uint8Array): PackedTerms | undefined {
  if (bytes.length < headerBytes) return undefined
  const header = new DataView(bytes.buffer, bytes.byteOffset, headerBytes)
  const count = (place: number): number => header.getUint32(16 + place * 4, true)
  if (header.getUint32(0, true) !== packedLayout || count(0) !== bytes.length) return undefined
  if (header.getFloat64(8, true) !== documentId) return undefined
  if (header.getUint32(4, true) !== crc32(bytes.subarray(checkedFrom))) return undefined
  return {
    bytes,
    documentId,
    docIdBytes: count(1),
    chunks: count(2),
    terms: count(3),
    postings: count(4),
    tokens: count(5),
  }
}

class ByteWriter {
  at = 0
  #target = new Uint8Array(4_096)

  /** Makes room for this many more bytes. */
  reserve(bytes: number): void {
    if (this.at + bytes <= this.#target.length) return
    const larger = new Uint8Array(Math.max(this.at + bytes, this.#target.length * 2))
    larger.set(this.#target)
    this.#target = larger
  }

  byte(value: number): void {
    this.#target[this.at++] = value
  }

  uint16(value: number): void {
    this.byte(value & 255)
    this.byte(value >>> 8)
  }

  varint(value: number): void {
    let left = value
    while (left >= 0x80) {
      this.byte((left & 0x7f) | 0x80)
      left >>>= 7
    }
    this.byte(left)
  }

  bytes(source: Uint8Array, from: number, to: number): void {
    for (let at = from; at < to; at++) this.byte(u8(source, at))
  }

  /** A copy, so that the larger buffer is released. */
  written(): Uint8Array {
    return this.#target.slice(0, this.at)
  }
}

/** Reads the output of `ByteWriter`. */
export class ByteReader {
  at = 0
  readonly bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }

  varint(): number {
    let byte = u8(this.bytes, this.at++)
    let value = byte & 0x7f
    for (let shift = 7; byte >= 0x80; shift += 7) {
      byte = u8(this.bytes, this.at++)
      value |= (byte & 0x7f) << shift
    }
    return value
  }

  /** @returns its weight; the difference to the previous chunk is in `chunkStep` */
  posting(): number {
    const value = this.varint()
    this.chunkStep = value >>> 2
    const weight = value & maxShortWeight
    return weight === 0 ? u8(this.bytes, this.at++) : weight
  }

  chunkStep = 0
}
