import { chunkReader, type DocumentStream, readTokens, TermReader } from './document-stream.ts'
import { placePostings } from './place-postings.ts'
import { placeBlocks } from './posting-blocks.ts'
import { createSegment, type Segment, u8, u32 } from './segment.ts'
import { sortByBytes } from './sort-by-bytes.ts'
import { bitmapWords, startsWithMark } from './stop-word-bitmaps.ts'
import { TermTable } from './term-table.ts'

/**
 * Builds the same segment as `buildSegment` of the same documents, byte for byte, without a string for any term.
 *
 * @param documents of one collection, in any order, each id once
 */
export function buildFromPacked(documents: readonly DocumentStream[]): Segment {
  const sorted = [...documents].sort((a, b) => a.documentId - b.documentId)
  const { table, entryTerm, entry, tokens } = readEntries(sorted)
  const order = sortByBytes(table, table.count)
  renumber(entryTerm, order)
  const chunks = total(sorted, (each) => each.chunks)
  const sizes = postingSizes({ table, order, entryTerm, chunks })
  const segment = createSegment({
    documents: sorted.length,
    chunks,
    terms: table.count,
    postings: sizes.reduce((sum, size) => sum + size, 0),
    docIdBytes: total(sorted, ({ docId }) => docId.length),
    termBytes: table.byteCount,
    tokens: tokens.length,
  })
  segment.tokens.set(tokens)
  placeDocuments(segment, sorted)
  placeTerms(segment, table, order)
  placePostings(segment, sizes, entryTerm, entry)
  placeBlocks(segment)
  return segment
}

function total(documents: readonly DocumentStream[], countOf: (document: DocumentStream) => number): number {
  return documents.reduce((sum, document) => sum + countOf(document), 0)
}

interface Entries {
  readonly table: TermTable
  /** Each term of each chunk, documents ascending, and its posting. */
  readonly entryTerm: Uint32Array
  readonly entry: Uint32Array
  /** As in a segment. */
  readonly tokens: Uint16Array
}

function readEntries(documents: readonly DocumentStream[]): Entries {
  const table = new TermTable()
  const count = total(documents, ({ postings }) => postings)
  const entryTerm = new Uint32Array(count)
  const entry = new Uint32Array(count)
  const tokens = new Uint16Array(total(documents, (document) => document.tokens.length))
  const tokenOfTerm = new Uint16Array(1 + documents.reduce((max, { terms }) => Math.max(max, terms), 0))
  let at = 0
  let firstChunk = 0
  let firstToken = 0
  for (const document of documents) {
    const reader = new TermReader(document)
    let term = 0
    let ordinal = 0
    let chunk = firstChunk
    for (let left = document.postings; left > 0; left--) {
      const weight = reader.nextPosting()
      if (reader.isOfNextTerm) {
        reader.nextTerm()
        ordinal = table.ordinalOf(reader.bytes, 0, reader.length)
        tokenOfTerm[++term] = table.tokenAt(ordinal)
        chunk = firstChunk
      }
      chunk += reader.chunkStep
      entryTerm[at] = ordinal
      entry[at++] = ((chunk << 8) | weight) >>> 0
    }
    readTokens(document, tokenOfTerm, tokens, firstToken)
    firstChunk += document.chunks
    firstToken += document.tokens.length
  }
  return { table, entryTerm, entry, tokens }
}

/** Renumbers the terms in the order of the segment, in place. */
function renumber(entryTerm: Uint32Array, order: Uint32Array): void {
  const places = new Uint32Array(order.length)
  for (let at = 0; at < order.length; at++) places[u32(order, at)] = at
  for (let at = 0; at < entryTerm.length; at++) entryTerm[at] = u32(places, u32(entryTerm, at))
}

interface SizedTerms {
  readonly table: TermTable
  readonly order: Uint32Array
  readonly entryTerm: Uint32Array
  readonly chunks: number
}

/** For each term: the number of its chunks, or the words of its bitmap. */
function postingSizes({ table, order, entryTerm, chunks }: SizedTerms): Uint32Array {
  const sizes = new Uint32Array(order.length)
  for (const term of entryTerm) sizes[term] = u32(sizes, term) + 1
  const max = bitmapWords(chunks)
  for (let at = 0; at < order.length; at++)
    if (u32(sizes, at) > max && startsWithMark(table.bytes, u32(table.start, u32(order, at)))) sizes[at] = max
  return sizes
}

function placeDocuments(segment: Segment, documents: readonly DocumentStream[]): void {
  let chunk = 0
  let token = 0
  let docIdByte = 0
  for (const [ordinal, document] of documents.entries()) {
    const { documentId, docId, chunks } = document
    segment.documentIds[ordinal] = documentId
    segment.firstChunk[ordinal] = chunk
    segment.docIdStart[ordinal] = docIdByte
    segment.docIdBytes.set(docId, docIdByte)
    docIdByte += docId.length
    const reader = chunkReader(document)
    for (let left = chunks; left > 0; left--) {
      segment.chunkLength[chunk] = reader.varint()
      segment.tokenStart[chunk++] = token
      token += reader.varint()
    }
  }
  segment.firstChunk[documents.length] = chunk
  segment.docIdStart[documents.length] = docIdByte
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
