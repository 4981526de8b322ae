import { isStopTerm } from '../analysis/analyze.ts'
import { placePostings } from './place-postings.ts'
import { placeBlocks } from './posting-blocks.ts'
import { createSegment, hashOfBytes, maxWeight, type Segment, tokenOf, u32 } from './segment.ts'
import { sortTerms } from './sorted-terms.ts'
import { bitmapWords } from './stop-word-bitmaps.ts'

/** A document in the form in which it is indexed. */
export interface DocumentTerms {
  readonly id: number
  readonly docId: string
  readonly chunks: readonly ChunkTerms[]
}

export interface ChunkTerms {
  readonly weights: ReadonlyMap<string, number>
  /** Terms that are not in the word order and the length of the chunk. Absent: none. */
  readonly letters?: ReadonlyMap<string, number>
  /** Terms for which only the containing chunks are known (`isStopTerm`). Absent: none. */
  readonly stopWords?: ReadonlySet<string>
  /** Terms of the title, the headings and the text, each in its order. All of them are in `weights`. */
  readonly fields: readonly (readonly string[])[]
}

/** @param documents of one collection, in any order, each id once */
export function buildSegment(documents: readonly DocumentTerms[]): Segment {
  const sorted = [...documents].sort((a, b) => a.id - b.id)
  const { terms, sortedTerms, entryTerm, entry, lengths } = entriesOf(sorted)
  const docIds = sorted.map(({ docId }) => docId)
  const sizes = postingSizes(terms, entryTerm, lengths.length)
  const segment = createSegment({
    documents: sorted.length,
    chunks: lengths.length,
    terms: terms.size,
    postings: sizes.reduce((sum, size) => sum + size, 0),
    docIdBytes: totalBytes(docIds),
    termBytes: totalBytes(sortedTerms),
    tokens: tokenCount(sorted),
  })
  segment.chunkLength.set(lengths)
  placeDocuments(segment, sorted, docIds)
  placeTexts(sortedTerms, segment.termStart, segment.termBytes)
  placePostings(segment, sizes, entryTerm, entry)
  placeBlocks(segment)
  placeTokens(segment, sorted, terms)
  return segment
}

interface Entries {
  /** Ordinals by term: indexes into `sortedTerms`. */
  readonly terms: ReadonlyMap<string, number>
  readonly sortedTerms: readonly string[]
  /** Each term of each chunk, chunks ascending, and its posting. */
  readonly entryTerm: Uint32Array
  readonly entry: Uint32Array
  readonly lengths: readonly number[]
}

function entriesOf(documents: readonly DocumentTerms[]): Entries {
  const terms = new Map<string, number>()
  const count = documents.reduce((sum, { chunks }) => sum + chunks.reduce((all, each) => all + termCountOf(each), 0), 0)
  const entryTerm = new Uint32Array(count)
  const entry = new Uint32Array(count)
  const lengths: number[] = []
  let entries = 0
  const add = (term: string, weight: number): void => {
    let ordinal = terms.get(term)
    if (ordinal === undefined) {
      ordinal = terms.size
      terms.set(term, ordinal)
    }
    entryTerm[entries] = ordinal
    entry[entries++] = ((lengths.length << 8) | Math.min(weight, maxWeight)) >>> 0
  }
  for (const { chunks } of documents)
    for (const chunk of chunks) {
      const { letters, stopWords = [] } = chunk
      for (const [term, weight] of chunk.weights) add(term, weight + (letters?.get(term) ?? 0))
      for (const [term, weight] of letters ?? []) if (!chunk.weights.has(term)) add(term, weight)
      for (const term of stopWords) add(term, 1)
      lengths.push(lengthOf(chunk))
    }
  return { terms, sortedTerms: sortOrdinals(terms, entryTerm), entryTerm, entry, lengths }
}

/** Renumbers the terms in the order of the segment, in place: a second map of a million terms takes 150 MB. */
function sortOrdinals(terms: Map<string, number>, entryTerm: Uint32Array): readonly string[] {
  const sorted = sortTerms(terms.keys())
  const ordinals = new Uint32Array(terms.size)
  for (const [ordinal, term] of sorted.entries()) {
    ordinals[terms.get(term) ?? 0] = ordinal
    terms.set(term, ordinal)
  }
  for (let at = 0; at < entryTerm.length; at++) entryTerm[at] = u32(ordinals, u32(entryTerm, at))
  return sorted
}

function termCountOf({ weights, letters, stopWords }: ChunkTerms): number {
  let count = weights.size + (stopWords?.size ?? 0)
  for (const term of letters?.keys() ?? []) if (!weights.has(term)) count++
  return count
}

function lengthOf({ weights }: ChunkTerms): number {
  let length = 0
  for (const weight of weights.values()) length += Math.min(weight, maxWeight)
  return length
}

/** For each term: the number of its chunks, or the words of its bitmap. */
function postingSizes(terms: ReadonlyMap<string, number>, entryTerm: Uint32Array, chunks: number): Uint32Array {
  const sizes = new Uint32Array(terms.size)
  for (const term of entryTerm) sizes[term] = u32(sizes, term) + 1
  for (const [term, ordinal] of terms)
    if (isStopTerm(term)) sizes[ordinal] = Math.min(u32(sizes, ordinal), bitmapWords(chunks))
  return sizes
}

function totalBytes(texts: Iterable<string>): number {
  let bytes = 0
  for (const text of texts) bytes += Buffer.byteLength(text)
  return bytes
}

/** Written in place: an array of bytes for each of a million terms took ten times the memory of the segment. */
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
    chunk += document.chunks.length
  }
  segment.firstChunk[sorted.length] = chunk
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
