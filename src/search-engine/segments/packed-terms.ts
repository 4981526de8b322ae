import { constants, crc32, zstdCompressSync } from 'node:zlib'
import { type DocumentStream, DocumentWriter } from './document-stream.ts'
import { firstHeaderBytes, openFirstLayout } from './packed-first-layout.ts'
import { type Segment, u32 } from './segment.ts'
import { chunksOfBitmap, isBitmap } from './stop-word-bitmaps.ts'
import { termsVersion } from './terms-version.ts'
import { contentLength, FrameReader } from './zstd-frames.ts'

/**
 * The terms of one document as bytes, a quarter of a segment. They are stored beside its chunks:
 *
 *  header    layout, CRC-32 of the rest, document id, length, counts
 *  doc_id    UTF-8
 *  tokens    of `DocumentStream`, and compressed its numbers and its texts
 *
 * Numbers of the header are little-endian.
 */
const packedLayout = 2

/** Version of packed terms that are written. */
export const termsMadeAs = `${termsVersion}/${packedLayout}`
/** Versions that are read. Others are computed from the texts. */
export const readableTerms: readonly string[] = [termsMadeAs, `${termsVersion}/1`]

export const headerBytes = 48
/** The checksum covers the bytes from this offset on. */
export const checkedFrom = 8

/** Fast: better compression saves 2 percent more. */
const compression = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

/** @param segment of one document */
export function packTerms(segment: Segment): Uint8Array {
  const stream = streamOf(segment)
  const { docId, tokens, numbers, texts } = stream
  const packedNumbers = zstdCompressSync(numbers, compression)
  const parts = [docId, tokens, packedNumbers, zstdCompressSync(texts, compression)]
  const packed = new Uint8Array(headerBytes + parts.reduce((sum, { length }) => sum + length, 0))
  let at = headerBytes
  for (const part of parts) {
    packed.set(part, at)
    at += part.length
  }
  writeHeader(packed, stream, packedNumbers.length)
  return packed
}

function streamOf(segment: Segment): DocumentStream {
  const { chunkCount, chunkLength, tokenStart, termCount, termStart, termBytes } = segment
  const writer = new DocumentWriter({
    documentId: segment.documentIds[0] ?? 0,
    docId: segment.docIdBytes,
    chunks: chunkCount,
    maxTerms: termCount,
    maxPostings: maxPostingsOf(segment),
    maxTermBytes: termBytes.length,
    tokens: segment.tokens,
  })
  for (let chunk = 0; chunk < chunkCount; chunk++)
    writer.chunk(u32(chunkLength, chunk), u32(tokenStart, chunk + 1) - u32(tokenStart, chunk))
  for (let term = 0; term < termCount; term++) {
    writer.term(termBytes, u32(termStart, term), u32(termStart, term + 1))
    writePostings(writer, segment, term)
  }
  return writer.finish()
}

function maxPostingsOf(segment: Segment): number {
  let bitmaps = 0
  for (let term = 0; term < segment.termCount; term++) if (isBitmap(segment, term)) bitmaps++
  return segment.postingCount + bitmaps * segment.chunkCount
}

function writePostings(writer: DocumentWriter, segment: Segment, term: number): void {
  let before = 0
  if (isBitmap(segment, term)) {
    for (const chunk of chunksOfBitmap(segment, term)) {
      writer.posting(chunk - before, 1)
      before = chunk
    }
    return
  }
  const { postingStart, postings } = segment
  for (let place = u32(postingStart, term); place < u32(postingStart, term + 1); place++) {
    const posting = u32(postings, place)
    writer.posting((posting >>> 8) - before, posting & 255)
    before = posting >>> 8
  }
}

function writeHeader(packed: Uint8Array, stream: DocumentStream, packedNumbers: number): void {
  const { documentId, docId, chunks, terms, postings, tokens, postingsFrom } = stream
  const header = new DataView(packed.buffer, packed.byteOffset, headerBytes)
  header.setUint32(0, packedLayout, true)
  header.setFloat64(8, documentId, true)
  const counts = [packed.length, docId.length, chunks, terms, postings, tokens.length, packedNumbers, postingsFrom]
  for (const [place, count] of counts.entries()) header.setUint32(16 + place * 4, count, true)
  header.setUint32(4, crc32(packed.subarray(checkedFrom)), true)
}

/** Packed terms whose checksum is right. */
export class PackedTerms {
  readonly documentId: number
  readonly chunks: number
  readonly terms: number
  readonly postings: number
  /** The number of tokens of all chunks. */
  readonly tokens: number
  readonly #bytes: Uint8Array
  readonly #header: DataView

  constructor(documentId: number, bytes: Uint8Array, header: DataView) {
    this.documentId = documentId
    this.#bytes = bytes
    this.#header = header
    this.chunks = this.#count(2)
    this.terms = this.#count(3)
    this.postings = this.#count(4)
    this.tokens = this.#count(5)
  }

  /** UTF-8. */
  get docId(): Uint8Array {
    const from = this.#layout === 1 ? firstHeaderBytes : headerBytes
    return this.#bytes.subarray(from, from + this.#count(1))
  }

  /**
   * Decompresses them.
   *
   * @returns the stream, until the next one is opened
   * @throws DamagedTermsError
   */
  open(): DocumentStream {
    return this.#layout === 1 ? openFirstLayout(this.documentId, this.#bytes) : this.#decompress()
  }

  get #layout(): number {
    return this.#header.getUint32(0, true)
  }

  #count(place: number): number {
    return this.#header.getUint32(16 + place * 4, true)
  }

  #decompress(): DocumentStream {
    const { documentId, docId, chunks, terms, postings } = this
    const tokensFrom = headerBytes + docId.length
    const numbersFrom = tokensFrom + this.tokens
    const textsFrom = numbersFrom + this.#count(6)
    frames ??= new FrameReader()
    frames.reuse()
    return {
      documentId,
      docId,
      chunks,
      terms,
      postings,
      tokens: this.#bytes.subarray(tokensFrom, numbersFrom),
      numbers: frames.read(this.#bytes.subarray(numbersFrom, textsFrom)),
      postingsFrom: this.#count(7),
      texts: frames.read(this.#bytes.subarray(textsFrom)),
    }
  }
}

/** Made by the first document: most threads and processes only know the versions. */
let frames: FrameReader | undefined

/** @returns undefined: bytes are missing or changed, or they belong to another document */
export function openPackedTerms(documentId: number, bytes: Uint8Array): PackedTerms | undefined {
  if (bytes.length < firstHeaderBytes) return undefined
  const header = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  if (header.getUint32(16, true) !== bytes.length || header.getFloat64(8, true) !== documentId) return undefined
  if (header.getUint32(4, true) !== crc32(bytes.subarray(checkedFrom))) return undefined
  // The checksum does not cover the layout, and does not prove that counts fit the bytes.
  return header.getUint32(0, true) === layoutOf(bytes, header) ? new PackedTerms(documentId, bytes, header) : undefined
}

/** The layout in which the counts of a header fit its bytes; undefined: none. */
function layoutOf(bytes: Uint8Array, header: DataView): number | undefined {
  const [docId = 0, chunks = 0, terms = 0, postings = 0, tokens = 0] = [20, 24, 28, 32, 36].map((at) =>
    header.getUint32(at, true),
  )
  // A number takes a byte or more.
  const minNumbers = chunks * 2 + terms + postings
  const numbersFrom = headerBytes + docId + tokens
  if (bytes.length > headerBytes && numbersFrom < bytes.length) {
    const textsFrom = numbersFrom + header.getUint32(40, true)
    const numbers = contentLength(bytes.subarray(numbersFrom, textsFrom))
    if (numbers !== undefined && contentLength(bytes.subarray(textsFrom)) !== undefined)
      return minNumbers <= numbers ? packedLayout : undefined
  }
  return firstHeaderBytes + docId + tokens * 2 + minNumbers <= bytes.length ? 1 : undefined
}
