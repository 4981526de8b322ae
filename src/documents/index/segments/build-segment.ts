import { createSegment, hashOfBytes, hashTerms, maxWeight, type Segment, tokenOf, u32 } from './segment.ts'

/** A document as the index sees it. */
export interface DocumentTerms {
  readonly id: number
  readonly docId: string
  readonly chunks: readonly ChunkTerms[]
}

export interface ChunkTerms {
  readonly weights: ReadonlyMap<string, number>
  /** Terms of the title, the headings and the text, each in its order. All of them are in `weights`. */
  readonly fields: readonly (readonly string[])[]
}

/** @param documents of one collection, in any order, each id once */
export function buildSegment(documents: readonly DocumentTerms[]): Segment {
  const sorted = [...documents].sort((a, b) => a.id - b.id)
  const terms = new Map<string, number>()
  const entryCount = sorted.reduce(
    (sum, { chunks }) => sum + chunks.reduce((most, { weights }) => most + weights.size, 0),
    0,
  )
  const entryTerm = new Uint32Array(entryCount)
  const entry = new Uint32Array(entryCount)
  let entries = 0
  let chunk = 0
  const lengths: number[] = []
  for (const document of sorted) {
    for (const { weights } of document.chunks) {
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
    tokens: tokenCount(sorted),
  })
  segment.chunkLength.set(lengths)
  placeDocuments(segment, sorted, docIds)
  placeTexts(terms.keys(), segment.termStart, segment.termBytes)
  hashTerms(segment)
  placePostings(segment, entryTerm, entry)
  placeTokens(segment, sorted, terms)
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

function tokenCount(documents: readonly DocumentTerms[]): number {
  let tokens = 0
  for (const { chunks } of documents)
    for (const { fields } of chunks) {
      for (const field of fields) tokens += field.length
      tokens += Math.max(fields.length - 1, 0)
    }
  return tokens
}

function placeTokens(
  segment: Segment,
  documents: readonly DocumentTerms[],
  ordinals: ReadonlyMap<string, number>,
): void {
  const { tokenStart, tokens, termStart, termBytes } = segment
  const tokenOfTerm = new Uint16Array(segment.termCount)
  for (let term = 0; term < segment.termCount; term++)
    tokenOfTerm[term] = tokenOf(hashOfBytes(termBytes, u32(termStart, term), u32(termStart, term + 1)))
  let chunk = 0
  let at = 0
  for (const document of documents)
    for (const { fields } of document.chunks) {
      tokenStart[chunk++] = at
      for (const [number, field] of fields.entries()) {
        if (number > 0) tokens[at++] = 0
        for (const term of field) tokens[at++] = tokenOfTerm[ordinals.get(term) ?? 0] ?? 0
      }
    }
  tokenStart[chunk] = at
}
