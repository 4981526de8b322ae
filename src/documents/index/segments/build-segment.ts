import { createSegment, hashTerms, maxWeight, type Segment, u32 } from './segment.ts'

/** A document as the index sees it: for each chunk its terms with their weights. */
export interface DocumentTerms {
  readonly id: number
  readonly docId: string
  readonly chunks: readonly ReadonlyMap<string, number>[]
}

/** @param documents of one collection, in any order, each id once */
export function buildSegment(documents: readonly DocumentTerms[]): Segment {
  const sorted = [...documents].sort((a, b) => a.id - b.id)
  const terms = new Map<string, number>()
  const entryCount = sorted.reduce((sum, { chunks }) => sum + chunks.reduce((most, chunk) => most + chunk.size, 0), 0)
  const entryTerm = new Uint32Array(entryCount)
  const entry = new Uint32Array(entryCount)
  let entries = 0
  let chunk = 0
  const lengths: number[] = []
  for (const document of sorted) {
    for (const weights of document.chunks) {
      let length = 0
      for (const [term, weight] of weights) {
        let ordinal = terms.get(term)
        if (ordinal === undefined) {
          ordinal = terms.size
          terms.set(term, ordinal)
        }
        const kept = Math.min(weight, maxWeight)
        entryTerm[entries] = ordinal
        entry[entries++] = ((chunk << 8) | kept) >>> 0
        length += kept
      }
      lengths.push(length)
      chunk++
    }
  }
  const docIds = sorted.map(({ docId }) => docId)
  const segment = createSegment({
    documents: sorted.length,
    chunks: chunk,
    terms: terms.size,
    postings: entryCount,
    docIdBytes: totalBytes(docIds),
    termBytes: totalBytes(terms.keys()),
  })
  segment.chunkLength.set(lengths)
  placeDocuments(segment, sorted, docIds)
  placeTexts(terms.keys(), segment.termStart, segment.termBytes)
  hashTerms(segment)
  placePostings(segment, entryTerm, entry)
  return segment
}

function totalBytes(texts: Iterable<string>): number {
  let bytes = 0
  for (const text of texts) bytes += Buffer.byteLength(text)
  return bytes
}

/** Written in place: an array of bytes for each of a million terms took ten times as much memory as the segment. */
function placeTexts(texts: Iterable<string>, start: Uint32Array, bytes: Uint8Array): void {
  const target = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0
  let index = 0
  for (const text of texts) {
    start[index++] = at
    at += target.write(text, at)
  }
  start[index] = at
}

function placeDocuments(segment: Segment, sorted: readonly DocumentTerms[], docIds: readonly string[]): void {
  placeTexts(docIds, segment.docIdStart, segment.docIdBytes)
  let chunk = 0
  for (const [ordinal, document] of sorted.entries()) {
    segment.documentIds[ordinal] = document.id
    segment.firstChunk[ordinal] = chunk
    segment.documentOf.fill(ordinal, chunk, chunk + document.chunks.length)
    chunk += document.chunks.length
  }
  segment.firstChunk[sorted.length] = chunk
}

/** A counting sort by term; within a term the chunks stay in order. */
function placePostings(segment: Segment, entryTerm: Uint32Array, entry: Uint32Array): void {
  const { postingStart, postings } = segment
  for (const term of entryTerm) postingStart[term + 1] = u32(postingStart, term + 1) + 1
  for (let term = 0; term < segment.termCount; term++)
    postingStart[term + 1] = u32(postingStart, term + 1) + u32(postingStart, term)
  const next = postingStart.slice()
  for (let at = 0; at < entry.length; at++) {
    const term = u32(entryTerm, at)
    const place = u32(next, term)
    postings[place] = u32(entry, at)
    next[term] = place + 1
  }
}
