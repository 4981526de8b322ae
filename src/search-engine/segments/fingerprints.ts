import { documentOfChunk, findDocument, hashOfBytes, type Segment, u16, u32 } from './segment.ts'
import { chunksOfBitmap, isBitmap } from './stop-word-bitmaps.ts'

/** Compares documents of two segments without reading a segment by document, which an inverted index cannot do. */
export interface Fingerprints {
  documentIds(): readonly number[]
  /** Equal for equal doc_ids with the same terms and weights in the same chunks; undefined: not in the segment. */
  of(documentId: number): string | undefined
}

/** One pass over the segment's postings. A sum, so that the order of the terms, which differs by segment, does not matter. */
export function fingerprintsOf(segment: Segment): Fingerprints {
  const found = new DocumentSums(segment)
  const { chunkCount, termCount, tokenStart, tokens, postingStart, postings } = segment
  for (let term = 0; term < termCount; term++) {
    const all = isBitmap(segment, term)
      ? Uint32Array.from(chunksOfBitmap(segment, term), (chunk) => ((chunk << 8) | 1) >>> 0)
      : postings.subarray(u32(postingStart, term), u32(postingStart, term + 1))
    for (const posting of all) found.addTerm(posting >>> 8, term, posting & 255)
  }
  for (let chunk = 0; chunk < chunkCount; chunk++)
    for (let at = u32(tokenStart, chunk); at < u32(tokenStart, chunk + 1); at++) found.addToken(chunk, u16(tokens, at))
  return found.fingerprints()
}

/** What fingerprints are made of: terms of chunks in any order, and tokens in the order of chunks. */
export class DocumentSums {
  readonly #segment: Segment
  readonly #documentOf: Uint32Array
  readonly #hashes: Uint32Array
  readonly #sums: Uint32Array
  readonly #others: Uint32Array
  /** Of the words of each document, in their order. */
  readonly #orders: Uint32Array

  /** @param segment its postings and tokens are not read */
  constructor(segment: Segment) {
    const { documentCount, chunkCount, termCount, termStart, termBytes } = segment
    this.#segment = segment
    this.#documentOf = Uint32Array.from({ length: chunkCount }, (_, chunk) => documentOfChunk(segment, chunk))
    this.#hashes = Uint32Array.from({ length: termCount }, (_, term) =>
      hashOfBytes(termBytes, u32(termStart, term), u32(termStart, term + 1)),
    )
    this.#sums = new Uint32Array(documentCount)
    this.#others = new Uint32Array(documentCount)
    this.#orders = new Uint32Array(documentCount)
  }

  addTerm(chunk: number, term: number, weight: number): void {
    const document = u32(this.#documentOf, chunk)
    const place = chunk - u32(this.#segment.firstChunk, document)
    const hash = u32(this.#hashes, term)
    const mixed = mix(hash ^ Math.imul((place << 8) | weight, 0x9e_37_79_b1))
    this.#sums[document] = u32(this.#sums, document) + mixed
    this.#others[document] = u32(this.#others, document) + mix(mixed ^ hash)
  }

  addToken(chunk: number, token: number): void {
    const document = u32(this.#documentOf, chunk)
    this.#orders[document] = mix(Math.imul(u32(this.#orders, document), 31) + token)
  }

  fingerprints(): Fingerprints {
    const segment = this.#segment
    return {
      documentIds: () => [...segment.documentIds],
      of: (documentId) => {
        const document = findDocument(segment, documentId)
        return document < 0 ? undefined : this.#of(document)
      },
    }
  }

  /** Its doc_id, which orders equal scores, the lengths of its chunks, their words in order, and their terms. */
  #of(document: number): string {
    const { firstChunk, chunkLength, docIdStart, docIdBytes } = this.#segment
    const docId = hashOfBytes(docIdBytes, u32(docIdStart, document), u32(docIdStart, document + 1))
    const lengths = chunkLength.subarray(u32(firstChunk, document), u32(firstChunk, document + 1)).join()
    return `${docId} ${lengths} ${this.#orders[document]} ${this.#sums[document]} ${this.#others[document]}`
  }
}

function mix(value: number): number {
  const once = Math.imul(value ^ (value >>> 16), 0x85_eb_ca_6b)
  const twice = Math.imul(once ^ (once >>> 13), 0xc2_b2_ae_35)
  return (twice ^ (twice >>> 16)) >>> 0
}
