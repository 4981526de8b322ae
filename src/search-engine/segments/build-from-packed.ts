import { ByteReader, headerBytes, type PackedTerms } from './packed-terms.ts'
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
export function buildFromPacked(documents: readonly PackedTerms[]): Segment {
  const sorted = [...documents].sort((a, b) => a.documentId - b.documentId)
  const { table, entryTerm, entry } = readEntries(sorted)
  const order = sortByBytes(table, table.count)
  renumber(entryTerm, order)
  const chunks = total(sorted, (each) => each.chunks)
  const sizes = postingSizes({ table, order, entryTerm, chunks })
  const segment = createSegment({
    documents: sorted.length,
    chunks,
    terms: table.count,
    postings: sizes.reduce((sum, size) => sum + size, 0),
    docIdBytes: total(sorted, ({ docIdBytes }) => docIdBytes),
    termBytes: table.byteCount,
    tokens: total(sorted, ({ tokens }) => tokens),
  })
  placeDocuments(segment, sorted)
  placeTerms(segment, table, order)
  placePostings(segment, sizes, entryTerm, entry)
  placeBlocks(segment)
  return segment
}

function total(documents: readonly PackedTerms[], countOf: (document: PackedTerms) => number): number {
  return documents.reduce((sum, document) => sum + countOf(document), 0)
}

interface Entries {
  readonly table: TermTable
  /** Each term of each chunk, documents ascending, and its posting. */
  readonly entryTerm: Uint32Array
  readonly entry: Uint32Array
}

function readEntries(documents: readonly PackedTerms[]): Entries {
  const table = new TermTable()
  const count = total(documents, ({ postings }) => postings)
  const entryTerm = new Uint32Array(count)
  const entry = new Uint32Array(count)
  let at = 0
  let firstChunk = 0
  for (const document of documents) {
    const reader = readerOfTerms(document)
    for (let left = document.terms; left > 0; left--) {
      const head = reader.varint()
      const from = reader.at
      reader.at = from + (head >>> 1)
      const ordinal = table.ordinalOf(document.bytes, from, reader.at)
      let chunk = firstChunk
      for (let postings = (head & 1) === 0 ? 1 : reader.varint(); postings > 0; postings--) {
        const weight = reader.posting()
        chunk += reader.chunkStep
        entryTerm[at] = ordinal
        entry[at++] = ((chunk << 8) | weight) >>> 0
      }
    }
    firstChunk += document.chunks
  }
  return { table, entryTerm, entry }
}

function readerOfTerms({ bytes, docIdBytes, chunks, tokens }: PackedTerms): ByteReader {
  const reader = new ByteReader(bytes)
  reader.at = headerBytes + docIdBytes
  for (let left = chunks * 2; left > 0; left--) reader.varint()
  reader.at += tokens * 2
  return reader
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

function placeDocuments(segment: Segment, documents: readonly PackedTerms[]): void {
  const tokenBytes = new Uint8Array(segment.buffer, segment.tokens.byteOffset, segment.tokens.byteLength)
  let chunk = 0
  let token = 0
  let docIdByte = 0
  for (const [ordinal, document] of documents.entries()) {
    const { bytes, documentId, docIdBytes, chunks, tokens } = document
    segment.documentIds[ordinal] = documentId
    segment.firstChunk[ordinal] = chunk
    segment.docIdStart[ordinal] = docIdByte
    segment.docIdBytes.set(bytes.subarray(headerBytes, headerBytes + docIdBytes), docIdByte)
    docIdByte += docIdBytes
    const reader = new ByteReader(bytes)
    reader.at = headerBytes + docIdBytes
    const firstToken = token
    for (let left = chunks; left > 0; left--) {
      segment.chunkLength[chunk] = reader.varint()
      segment.tokenStart[chunk++] = token
      token += reader.varint()
    }
    tokenBytes.set(bytes.subarray(reader.at, reader.at + tokens * 2), firstToken * 2)
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
