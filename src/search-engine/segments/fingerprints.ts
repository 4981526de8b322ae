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
  const sums = new Uint32Array(segment.documentCount)
  const others = new Uint32Array(segment.documentCount)
  const { firstChunk, postingStart, postings, termStart, termBytes } = segment
  const documentOf = Uint32Array.from({ length: segment.chunkCount }, (_, chunk) => documentOfChunk(segment, chunk))
  for (let term = 0; term < segment.termCount; term++) {
    const hash = hashOfBytes(termBytes, u32(termStart, term), u32(termStart, term + 1))
    const all = isBitmap(segment, term)
      ? Uint32Array.from(chunksOfBitmap(segment, term), (chunk) => ((chunk << 8) | 1) >>> 0)
      : postings.subarray(u32(postingStart, term), u32(postingStart, term + 1))
    for (const posting of all) {
      const document = u32(documentOf, posting >>> 8)
      const chunk = (posting >>> 8) - u32(firstChunk, document)
      const mixed = mix(hash ^ Math.imul((chunk << 8) | (posting & 255), 0x9e_37_79_b1))
      sums[document] = u32(sums, document) + mixed
      others[document] = u32(others, document) + mix(mixed ^ hash)
    }
  }
  return {
    documentIds: () => [...segment.documentIds],
    of(documentId) {
      const document = findDocument(segment, documentId)
      return document < 0 ? undefined : `${partsOf(segment, document)} ${sums[document]} ${others[document]}`
    },
  }
}

/** Its doc_id, which orders equal scores, the lengths of its chunks, and their words in order. */
function partsOf(
  { firstChunk, chunkLength, docIdStart, docIdBytes, tokenStart, tokens }: Segment,
  document: number,
): string {
  const docId = hashOfBytes(docIdBytes, u32(docIdStart, document), u32(docIdStart, document + 1))
  const from = u32(firstChunk, document)
  const to = u32(firstChunk, document + 1)
  let order = 0
  for (let at = u32(tokenStart, from); at < u32(tokenStart, to); at++)
    order = mix(Math.imul(order, 31) + u16(tokens, at))
  return `${docId} ${chunkLength.subarray(from, to).join()} ${order}`
}

function mix(value: number): number {
  const once = Math.imul(value ^ (value >>> 16), 0x85_eb_ca_6b)
  const twice = Math.imul(once ^ (once >>> 13), 0xc2_b2_ae_35)
  return (twice ^ (twice >>> 16)) >>> 0
}
