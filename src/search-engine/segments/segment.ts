/**
 * A segment: the immutable inverted index of some documents of one collection. Everything is in one SharedArrayBuffer, so that
 * threads read it without copying, and the file is the buffer unchanged.
 *
 *  header      magic, layout version, counts
 *  documents   ids (ascending), their first chunks, their doc_ids (to order equal scores)
 *  chunks      weighted length of each
 *  tokens      the words of each chunk in their order, as short hashes, a 0 between title, headings and text
 *  terms       their UTF-8 bytes, in ascending order
 *  postings    for each term its chunks: chunk << 8 | weight; for stop words a bitmap if that is shorter
 *  blocks      of 64 postings: the first one, and bounds of the scores
 *
 * Numbers are little-endian, as on every platform of Node.
 */
import { indexOfId, nextIndexFrom } from '../../kernel/ascending-ids.ts'

export interface Segment {
  readonly buffer: SharedArrayBuffer
  readonly documentCount: number
  readonly chunkCount: number
  readonly termCount: number
  readonly postingCount: number
  /** Ids of the documents, ascending; float64 is exact up to 2^53. */
  readonly documentIds: Float64Array
  /** One more than documents: the chunks of document i are firstChunk[i] to firstChunk[i + 1]. */
  readonly firstChunk: Uint32Array
  /** One more than documents: offsets into docIdBytes. */
  readonly docIdStart: Uint32Array
  /** UTF-8. */
  readonly docIdBytes: Uint8Array
  /** Sum of the weights of the terms of each chunk, without loose ones. */
  readonly chunkLength: Uint32Array
  /** One more than chunks: offsets into tokens. */
  readonly tokenStart: Uint32Array
  /** For each term of each chunk, in the order of its fields, the `tokenOf` its hash; 0 between two fields. */
  readonly tokens: Uint16Array
  /** One more than terms: offsets into termBytes. */
  readonly termStart: Uint32Array
  /** UTF-8. The terms ascend in the order of their bytes. */
  readonly termBytes: Uint8Array
  /** One more than terms: offsets into postings. */
  readonly postingStart: Uint32Array
  /** chunk << 8 | weight, chunks ascending for each term. */
  readonly postings: Uint32Array
  /** The first posting of each block: together, so that blocks can be passed over without reading them from memory. */
  readonly blockFirsts: Uint32Array
  /** The largest weight of a posting of each block (`posting-blocks.ts`). */
  readonly blockWeights: Uint8Array
  /** The smallest length of a chunk of each block, divided by the weight of the posting, rounded down. */
  readonly blockRatios: Uint16Array
  /**
   * Name of the table that has the postings and tokens instead of this buffer (`lancedb/move-segment.ts`): 32 hexadecimal digits. `postingStart`
   * counts the chunks of each term then. '': they are here.
   */
  readonly table: string
}

export interface SegmentCounts {
  readonly documents: number
  readonly chunks: number
  readonly terms: number
  readonly postings: number
  readonly docIdBytes: number
  readonly termBytes: number
  readonly tokens: number
}

/** Postings of a block. */
export const blockShift = 6

/** The number of blocks of this many postings. */
export function blocksOf(postings: number): number {
  return Math.ceil(postings / (1 << blockShift))
}

/** A chunk number and its weight share 32 bits. */
export const maxChunksOfSegment = 2 ** 24
export const maxWeight = 255

const magic = 0x44_4b_53_47
export const layoutVersion = 8
/** The layout of a segment whose postings are in a table: versions that know no tables reject it. */
const movedLayout = 0x1_00 + layoutVersion
const headerBytes = 64
/** In the header: the name of the table. */
const tableAt = 40
const tableBytes = 16

/**
 * @param table '': the segment has its own postings
 * @returns a zeroed segment with room for these counts
 */
export function createSegment(counts: SegmentCounts, table = ''): Segment {
  if (counts.chunks > maxChunksOfSegment) throw new RangeError(`${counts.chunks} chunks are too many for a segment`)
  const buffer = new SharedArrayBuffer(sectionsOf(counts).bytes)
  new Uint32Array(buffer, 0, 9).set([
    magic,
    table === '' ? layoutVersion : movedLayout,
    counts.documents,
    counts.chunks,
    counts.terms,
    counts.postings,
    counts.docIdBytes,
    counts.termBytes,
    counts.tokens,
  ])
  if (table !== '') new Uint8Array(buffer, tableAt, tableBytes).set(Buffer.from(table, 'hex'))
  return viewsOf(buffer, counts, table)
}

/** @throws Error when the buffer is not a segment of this layout: a damaged file, or one of another version */
export function openSegment(buffer: SharedArrayBuffer): Segment {
  if (buffer.byteLength < headerBytes) throw new Error('no index segment: too short')
  const [m, version, documents = 0, chunks = 0, terms = 0, postings = 0, docIdBytes = 0, termBytes = 0, tokens = 0] =
    new Uint32Array(buffer, 0, 9)
  if (m !== magic || (version !== layoutVersion && version !== movedLayout))
    throw new Error('no index segment of this layout')
  const counts = { documents, chunks, terms, postings, docIdBytes, termBytes, tokens }
  if (sectionsOf(counts).bytes !== buffer.byteLength) throw new Error('an index segment of another length')
  const table = version === movedLayout ? Buffer.from(new Uint8Array(buffer, tableAt, tableBytes)).toString('hex') : ''
  return viewsOf(buffer, counts, table)
}

function sectionsOf(counts: SegmentCounts) {
  let bytes = headerBytes
  const take = (length: number): number => {
    const from = bytes
    bytes = Math.ceil((bytes + length) / 8) * 8
    return from
  }
  const at = {
    documentIds: take(counts.documents * 8),
    firstChunk: take((counts.documents + 1) * 4),
    docIdStart: take((counts.documents + 1) * 4),
    docIdBytes: take(counts.docIdBytes),
    chunkLength: take(counts.chunks * 4),
    tokenStart: take((counts.chunks + 1) * 4),
    tokens: take(counts.tokens * 2),
    termStart: take((counts.terms + 1) * 4),
    termBytes: take(counts.termBytes),
    postingStart: take((counts.terms + 1) * 4),
    postings: take(counts.postings * 4),
    blockFirsts: take(blocksOf(counts.postings) * 4),
    blockWeights: take(blocksOf(counts.postings)),
    blockRatios: take(blocksOf(counts.postings) * 2),
  }
  return { at, bytes }
}

function viewsOf(buffer: SharedArrayBuffer, counts: SegmentCounts, table: string): Segment {
  const { at } = sectionsOf(counts)
  return {
    buffer,
    documentCount: counts.documents,
    chunkCount: counts.chunks,
    termCount: counts.terms,
    postingCount: counts.postings,
    documentIds: new Float64Array(buffer, at.documentIds, counts.documents),
    firstChunk: new Uint32Array(buffer, at.firstChunk, counts.documents + 1),
    docIdStart: new Uint32Array(buffer, at.docIdStart, counts.documents + 1),
    docIdBytes: new Uint8Array(buffer, at.docIdBytes, counts.docIdBytes),
    chunkLength: new Uint32Array(buffer, at.chunkLength, counts.chunks),
    tokenStart: new Uint32Array(buffer, at.tokenStart, counts.chunks + 1),
    tokens: new Uint16Array(buffer, at.tokens, counts.tokens),
    termStart: new Uint32Array(buffer, at.termStart, counts.terms + 1),
    termBytes: new Uint8Array(buffer, at.termBytes, counts.termBytes),
    postingStart: new Uint32Array(buffer, at.postingStart, counts.terms + 1),
    postings: new Uint32Array(buffer, at.postings, counts.postings),
    blockFirsts: new Uint32Array(buffer, at.blockFirsts, blocksOf(counts.postings)),
    blockWeights: new Uint8Array(buffer, at.blockWeights, blocksOf(counts.postings)),
    blockRatios: new Uint16Array(buffer, at.blockRatios, blocksOf(counts.postings)),
    table,
  }
}

/** FNV-1a over bytes, then mixed so that the low bits are as well distributed as the high ones. */
export function hashOfBytes(bytes: Uint8Array, from: number, to: number): number {
  let hash = beginOfHash
  for (let at = from; at < to; at++) hash = nextOfHash(hash, u8(bytes, at))
  return endOfHash(hash)
}

// The same byte by byte: bytes that begin like others need not be hashed again.

export const beginOfHash = 0x81_1c_9d_c5

export function nextOfHash(hash: number, byte: number): number {
  return Math.imul(hash ^ byte, 0x01_00_01_93)
}

export function endOfHash(hash: number): number {
  return Math.imul(hash ^ (hash >>> 15), 0x2c_1b_3c_6d) >>> 0
}

/** The token of a term in `tokens`: sixteen bits of its hash, never 0. */
export function tokenOf(hash: number): number {
  return (hash >>> 8) & 0xff_ff || 1
}

/** @returns ordinal of the document with this id, or -1 */
export function findDocument({ documentIds }: Segment, id: number): number {
  return indexOfId(documentIds, id)
}

/** @returns ordinal of the document that contains a chunk: the last one that begins there or before */
export function documentOfChunk({ firstChunk, documentCount }: Segment, chunk: number): number {
  let low = 0
  let high = documentCount - 1
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if (u32(firstChunk, middle) <= chunk) low = middle
    else high = middle - 1
  }
  return low
}

/**
 * Ordinals of the documents of a segment that are also in another list of ids; both lists ascend. A short list costs little, however many
 * documents the segment has.
 */
export function* commonTo(ids: Float64Array, others: Float64Array): Generator<number> {
  let ordinal = 0
  let at = 0
  while (ordinal < ids.length && at < others.length) {
    const id = f64(ids, ordinal)
    const wanted = f64(others, at)
    if (id < wanted) ordinal = nextIndexFrom(ids, wanted, ordinal + 1)
    else if (wanted < id) at = nextIndexFrom(others, id, at + 1)
    else {
      yield ordinal
      ordinal++
      at++
    }
  }
}

/** Words of a bitmap count as postings. */
export function postingsWith({ postingStart }: Pick<Segment, 'postingStart'>, ordinal: number): number {
  return u32(postingStart, ordinal + 1) - u32(postingStart, ordinal)
}

// Reads the element at an index that is known to be in bounds. There is one function for each array type: a shared function
// would be megamorphic, and the engine would look up the type on each of the millions of reads of a search (8 times slower).

export function u32(array: Uint32Array, index: number): number {
  return array[index] as number
}

export function u16(array: Uint16Array, index: number): number {
  return array[index] as number
}

export function u8(array: Uint8Array, index: number): number {
  return array[index] as number
}

export function f64(array: Float64Array, index: number): number {
  return array[index] as number
}
