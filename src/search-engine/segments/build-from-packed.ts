import { DamagedTermsError } from './damaged-terms.ts'
import { type PostingRuns, readChunks, readPostings, readTokens, TermList } from './document-stream.ts'
import type { PackedTerms } from './packed-terms.ts'
import { placeBlocks } from './posting-blocks.ts'
import { createSegment, type Segment, tokenOf, u8, u32 } from './segment.ts'
import { sortByBytes } from './sort-by-bytes.ts'
import { bitmapWords, isBitmap, setBit, startsWithMark } from './stop-word-bitmaps.ts'
import { TermTable } from './term-table.ts'

/** A segment of those documents whose terms can be read. */
export function buildFromReadable(documents: readonly PackedTerms[]): ReadableDocuments {
  try {
    return { segment: buildFromPacked(documents), documents }
  } catch (error) {
    if (!(error instanceof DamagedTermsError)) throw error
    // Which ones is not known: each is read alone.
    const readable = documents.filter(isReadable)
    return { segment: buildFromPacked(readable), documents: readable }
  }
}

interface ReadableDocuments {
  readonly segment: Segment
  readonly documents: readonly PackedTerms[]
}

function isReadable(document: PackedTerms): boolean {
  try {
    buildFromPacked([document])
    return true
  } catch (error) {
    if (error instanceof DamagedTermsError) return false
    throw error
  }
}

/**
 * Builds the same segment as `buildSegment` of the same documents, byte for byte, without a string for any term.
 *
 * @param documents of one collection, in any order, each id once
 * @throws DamagedTermsError
 */
export function buildFromPacked(documents: readonly PackedTerms[]): Segment {
  const sorted = [...documents].sort((a, b) => a.documentId - b.documentId)
  const entries = readEntries(sorted)
  const { table, runs } = entries
  const order = sortByBytes(table, table.count)
  const chunks = entries.chunkLength.length
  const counts = countPostings(runs, order)
  const sizes = postingSizes(counts, { table, order, chunks })
  const segment = createSegment({
    documents: sorted.length,
    chunks,
    terms: table.count,
    postings: sizes.reduce((sum, size) => sum + size, 0),
    docIdBytes: total(sorted, ({ docId }) => docId.length),
    termBytes: table.byteCount,
    tokens: entries.tokens.length,
  })
  segment.tokens.set(entries.tokens)
  placeDocuments(segment, sorted, entries)
  placeTerms(segment, table, order)
  placePostings(segment, sizes, runs)
  placeBlocks(segment)
  return segment
}

function total(documents: readonly PackedTerms[], countOf: (document: PackedTerms) => number): number {
  return documents.reduce((sum, document) => sum + countOf(document), 0)
}

interface Entries {
  readonly table: TermTable
  /** Documents ascending. */
  readonly runs: PostingRuns
  readonly chunkLength: Uint32Array
  readonly tokenCount: Uint32Array
  /** As in a segment. */
  readonly tokens: Uint16Array
}

/** Documents are decompressed one after the other, in the same memory. */
function readEntries(documents: readonly PackedTerms[]): Entries {
  const runs = emptyRuns(documents)
  const table = new TermTable(runs.term.length)
  const list = new TermList()
  const maxTerms = documents.reduce((max, { terms }) => Math.max(max, terms), 0)
  const ordinals = new Uint32Array(maxTerms)
  const tokenOfTerm = new Uint16Array(maxTerms + 1)
  const chunks = total(documents, (each) => each.chunks)
  const chunkLength = new Uint32Array(chunks)
  const tokenCount = new Uint32Array(chunks)
  const tokens = new Uint16Array(total(documents, (each) => each.tokens))
  const place = { run: 0, posting: 0, chunk: 0 }
  let token = 0
  for (const document of documents) {
    const stream = document.open()
    readChunks(stream, chunkLength, tokenCount, place.chunk)
    list.read(stream)
    table.number(list, ordinals)
    for (let term = 0; term < list.count; term++) tokenOfTerm[term + 1] = tokenOf(u32(list.hashes, term))
    readPostings(stream, ordinals, runs, place)
    readTokens(stream, tokenOfTerm, tokens, token)
    place.run += document.terms
    place.posting += document.postings
    place.chunk += document.chunks
    token += document.tokens
  }
  return { table, runs, chunkLength, tokenCount, tokens }
}

function emptyRuns(documents: readonly PackedTerms[]): PostingRuns {
  const runs = total(documents, ({ terms }) => terms)
  const postings = new Uint32Array(total(documents, (each) => each.postings))
  const start = new Uint32Array(runs + 1)
  start[runs] = postings.length
  return { term: new Uint32Array(runs), start, postings }
}

/**
 * Renumbers the terms of the runs in the order of the segment, in place.
 *
 * @returns for each term the number of its postings
 */
function countPostings({ term, start }: PostingRuns, order: Uint32Array): Uint32Array {
  const places = new Uint32Array(order.length)
  for (let at = 0; at < order.length; at++) places[u32(order, at)] = at
  const counts = new Uint32Array(order.length)
  for (let run = 0; run < term.length; run++) {
    const place = u32(places, u32(term, run))
    term[run] = place
    counts[place] = u32(counts, place) + u32(start, run + 1) - u32(start, run)
  }
  return counts
}

interface SortedTerms {
  readonly table: TermTable
  readonly order: Uint32Array
  readonly chunks: number
}

/** For each term: the number of its chunks, or the words of its bitmap. */
function postingSizes(counts: Uint32Array, { table, order, chunks }: SortedTerms): Uint32Array {
  const max = bitmapWords(chunks)
  const { bytes, start } = table
  const isLarge = (at: number): boolean => u32(counts, at) > max && startsWithMark(bytes, u32(start, u32(order, at)))
  return counts.map((count, at) => (isLarge(at) ? max : count))
}

function placeDocuments(
  segment: Segment,
  documents: readonly PackedTerms[],
  { chunkLength, tokenCount }: Entries,
): void {
  let chunk = 0
  let docIdByte = 0
  for (const [ordinal, { documentId, docId, chunks }] of documents.entries()) {
    segment.documentIds[ordinal] = documentId
    segment.firstChunk[ordinal] = chunk
    segment.docIdStart[ordinal] = docIdByte
    segment.docIdBytes.set(docId, docIdByte)
    chunk += chunks
    docIdByte += docId.length
  }
  segment.firstChunk[documents.length] = chunk
  segment.docIdStart[documents.length] = docIdByte
  segment.chunkLength.set(chunkLength)
  let token = 0
  for (let at = 0; at < chunk; at++) {
    segment.tokenStart[at] = token
    token += u32(tokenCount, at)
  }
  segment.tokenStart[chunk] = token
}

function placeTerms({ termStart, termBytes }: Segment, { start, bytes }: TermTable, order: Uint32Array): void {
  let at = 0
  for (let term = 0; term < order.length; term++) {
    const ordinal = u32(order, term)
    const end = u32(start, ordinal + 1)
    termStart[term] = at
    for (let from = u32(start, ordinal); from < end; from++) termBytes[at++] = u8(bytes, from)
  }
  termStart[order.length] = at
}

/** A counting sort by term: documents ascend, so the chunks of a term do, too. */
function placePostings(segment: Segment, sizes: Uint32Array, runs: PostingRuns): void {
  const { postingStart, postings } = segment
  for (let term = 0; term < sizes.length; term++) postingStart[term + 1] = u32(postingStart, term) + u32(sizes, term)
  const next = postingStart.slice()
  for (let run = 0; run < runs.term.length; run++) {
    const term = u32(runs.term, run)
    let from = u32(runs.start, run)
    const to = u32(runs.start, run + 1)
    if (isBitmap(segment, term)) {
      for (; from < to; from++) setBit(segment, term, u32(runs.postings, from) >>> 8)
      continue
    }
    let place = u32(next, term)
    for (; from < to; from++) postings[place++] = u32(runs.postings, from)
    next[term] = place
  }
}
