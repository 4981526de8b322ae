import { mergeTerms, type TermOwners } from './merge-terms.ts'
import { placeBlocks } from './posting-blocks.ts'
import { createSegment, type Segment, u8, u32 } from './segment.ts'
import {
  addBits,
  bitmapWords,
  chunksOfBitmap,
  isBitmap,
  isStopWord,
  setBit,
  sizeOfBitmap,
} from './stop-word-bitmaps.ts'

export const notMerged = 0xff_ff_ff_ff

/** Of postings, and of tokens: their places have 32 bits, also those that are in a table. */
export const maxPlaces = 2 ** 32 - 1

/** A document that is kept, with its current place. */
interface Kept {
  readonly id: number
  readonly part: number
  readonly ordinal: number
}

/** Where the parts of a segment go in the merged one. */
interface Mapping {
  readonly segment: Segment
  /** New number of each chunk, or `notMerged`. */
  readonly chunk: Uint32Array
  /** If all chunks are kept, and stay beside each other: the new number of the first one; otherwise -1. */
  readonly firstChunk: number
  /** New ordinal of each term, or `notMerged` if none of its chunks is kept. */
  readonly term: Uint32Array
  /** Number of kept chunks for each term. */
  readonly staying: Uint32Array
}

/** Where everything of several segments goes in one. */
export interface MergePlan extends MergedChunks {
  readonly kept: readonly Kept[]
  readonly docIdBytes: number
  readonly tokens: number
}

/** What is needed of a plan to place the chunks. */
export interface MergedChunks {
  readonly mappings: readonly Mapping[]
  readonly chunks: number
}

/**
 * One segment with the documents of several, without dropped ones.
 *
 * @param parts of one collection; no document is in two of them
 */
export function mergeSegments(parts: readonly Segment[], dropped: ReadonlySet<number>): Segment {
  const plan = planMerged(parts, dropped)
  for (const mapping of plan.mappings) countStaying(mapping)
  const terms = numberTerms(plan.mappings, bitmapWords(plan.chunks))
  const merged = frameOf(plan, terms, { postings: sumOf(terms.sizes), tokens: plan.tokens })
  placePostings(merged, plan.mappings)
  placeBlocks(merged)
  return merged
}

/**
 * The same for segments whose postings are in tables: those of the merged one will be in another table.
 *
 * @param plan with the number of kept chunks for each term (`staying`)
 */
export function mergeFrames(plan: MergePlan, table: string): Segment {
  const terms = numberTerms(plan.mappings, Number.POSITIVE_INFINITY)
  return frameOf(plan, terms, { postings: 0, tokens: 0 }, table)
}

/** @param parts as for `mergeSegments` */
export function planMerged(parts: readonly Segment[], dropped: ReadonlySet<number>): MergePlan {
  // Postings are placed segment by segment: in this order hardly any have to be sorted.
  const segments = parts.toSorted((one, other) => (one.documentIds[0] ?? 0) - (other.documentIds[0] ?? 0))
  const kept = keptDocuments(segments, dropped)
  const numbers = segments.map(({ chunkCount }) => new Uint32Array(chunkCount).fill(notMerged))
  let chunks = 0
  let docIdBytes = 0
  let tokens = 0
  for (const { part, ordinal } of kept) {
    const segment = at(segments, part)
    const chunk = at(numbers, part)
    tokens += tokensIn(segment, ordinal)
    for (let from = u32(segment.firstChunk, ordinal); from < u32(segment.firstChunk, ordinal + 1); from++)
      chunk[from] = chunks++
    docIdBytes += u32(segment.docIdStart, ordinal + 1) - u32(segment.docIdStart, ordinal)
  }
  const mappings = segments.map((segment, part) => ({
    segment,
    chunk: at(numbers, part),
    firstChunk: firstOfWhole(at(numbers, part)),
    term: new Uint32Array(segment.termCount).fill(notMerged),
    staying: new Uint32Array(segment.termCount),
  }))
  return { kept, mappings, chunks, docIdBytes, tokens }
}

/** The new number of the first chunk, if all follow it in their order; otherwise -1. */
function firstOfWhole(numbers: Uint32Array): number {
  const first = numbers[0] ?? notMerged
  if (first === notMerged) return -1
  for (let chunk = 1; chunk < numbers.length; chunk++) if (u32(numbers, chunk) !== first + chunk) return -1
  return first
}

/** The merged segment without postings. */
function frameOf(
  { kept, mappings, chunks, docIdBytes, tokens }: MergePlan,
  { owners, sizes, terms, termBytes }: NumberedTerms,
  counts: { readonly postings: number; readonly tokens: number },
  table = '',
): Segment {
  if (sumOf(sizes) > maxPlaces || tokens > maxPlaces)
    throw new RangeError(`a segment cannot have ${sumOf(sizes)} postings and ${tokens} tokens`)
  const merged = createSegment({ documents: kept.length, chunks, docIdBytes, terms, termBytes, ...counts }, table)
  placeDocuments(merged, kept, mappings)
  placeTerms(merged, owners, mappings)
  for (let term = 0; term < terms; term++)
    merged.postingStart[term + 1] = u32(merged.postingStart, term) + u32(sizes, term)
  return merged
}

function sumOf(sizes: Uint32Array): number {
  let sum = 0
  for (let at = 0; at < sizes.length; at++) sum += u32(sizes, at)
  return sum
}

function keptDocuments(segments: readonly Segment[], dropped: ReadonlySet<number>): readonly Kept[] {
  const kept: Kept[] = []
  for (const [part, { documentIds }] of segments.entries())
    for (const [ordinal, id] of documentIds.entries()) if (!dropped.has(id)) kept.push({ id, part, ordinal })
  return kept.sort((a, b) => a.id - b.id)
}

function countStaying(mapping: Mapping): void {
  const { segment, chunk, firstChunk, staying } = mapping
  const { postingStart, postings, termCount } = segment
  const isWhole = firstChunk >= 0
  for (let term = 0; term < termCount; term++) {
    const from = u32(postingStart, term)
    const to = u32(postingStart, term + 1)
    if (isBitmap(segment, term)) staying[term] = stayingInBitmap(segment, term, isWhole ? null : chunk)
    else staying[term] = isWhole ? to - from : stayingInList(postings, from, to, chunk)
  }
}

function stayingInList(postings: Uint32Array, from: number, to: number, chunk: Uint32Array): number {
  let count = 0
  for (let place = from; place < to; place++) if (chunk[u32(postings, place) >>> 8] !== notMerged) count++
  return count
}

/** @param chunk new numbers; null: all stay */
function stayingInBitmap(segment: Segment, term: number, chunk: Uint32Array | null): number {
  if (chunk === null) return sizeOfBitmap(segment, term)
  let count = 0
  for (const each of chunksOfBitmap(segment, term)) if (chunk[each] !== notMerged) count++
  return count
}

/**
 * Assigns an ordinal to every distinct term with a kept chunk, ascending as in each segment.
 *
 * @param maxOfStopWord postings: more chunks become a bitmap
 */
function numberTerms(mappings: readonly Mapping[], maxOfStopWord: number): NumberedTerms {
  const owners = mergeTerms({
    segments: mappings.map(({ segment }) => segment),
    taken: mappings.map(({ staying }) => staying),
    numbers: mappings.map(({ term }) => term),
  })
  const sizes = new Uint32Array(owners.count)
  for (const { segment, staying, term: numbers } of mappings)
    for (let term = 0; term < segment.termCount; term++) {
      const number = u32(numbers, term)
      if (number !== notMerged) sizes[number] = u32(sizes, number) + u32(staying, term)
    }
  let termBytes = 0
  for (let number = 0; number < owners.count; number++) {
    const { segment } = at(mappings, u32(owners.part, number))
    const term = u32(owners.term, number)
    termBytes += u32(segment.termStart, term + 1) - u32(segment.termStart, term)
    if (u32(sizes, number) > maxOfStopWord && isStopWord(segment, term)) sizes[number] = maxOfStopWord
  }
  return { owners, sizes, terms: owners.count, termBytes }
}

interface NumberedTerms {
  readonly owners: TermOwners
  /** Postings of each. */
  readonly sizes: Uint32Array
  readonly terms: number
  readonly termBytes: number
}

function tokensOf({ firstChunk, tokenStart, tokens }: Segment, document: number): Uint16Array {
  const from = u32(tokenStart, u32(firstChunk, document))
  return tokens.subarray(from, u32(tokenStart, u32(firstChunk, document + 1)))
}

/** Also where the tokens are in a table. */
function tokensIn({ firstChunk, tokenStart }: Segment, document: number): number {
  return u32(tokenStart, u32(firstChunk, document + 1)) - u32(tokenStart, u32(firstChunk, document))
}

function placeDocuments(merged: Segment, kept: readonly Kept[], mappings: readonly Mapping[]): void {
  let byte = 0
  let token = 0
  for (const [ordinal, { id, part, ordinal: before }] of kept.entries()) {
    const { segment, chunk } = at(mappings, part)
    const from = u32(segment.firstChunk, before)
    const to = u32(segment.firstChunk, before + 1)
    const first = from === to ? u32(merged.firstChunk, ordinal) : u32(chunk, from)
    merged.documentIds[ordinal] = id
    merged.firstChunk[ordinal] = first
    merged.firstChunk[ordinal + 1] = first + to - from
    merged.chunkLength.set(segment.chunkLength.subarray(from, to), first)
    const docId = segment.docIdBytes.subarray(u32(segment.docIdStart, before), u32(segment.docIdStart, before + 1))
    merged.docIdStart[ordinal] = byte
    merged.docIdBytes.set(docId, byte)
    byte += docId.length
    merged.docIdStart[ordinal + 1] = byte
    const tokens = tokensOf(segment, before)
    const shift = token - u32(segment.tokenStart, from)
    for (let chunk = from; chunk < to; chunk++)
      merged.tokenStart[first + chunk - from] = u32(segment.tokenStart, chunk) + shift
    if (tokens.length > 0) merged.tokens.set(tokens, token)
    token += tokensIn(segment, before)
    merged.tokenStart[first + to - from] = token
  }
}

function placeTerms(merged: Segment, owners: TermOwners, mappings: readonly Mapping[]): void {
  const { termStart, termBytes, termCount } = merged
  let byte = 0
  for (let term = 0; term < termCount; term++) {
    const { segment } = at(mappings, u32(owners.part, term))
    const before = u32(owners.term, term)
    termStart[term] = byte
    const to = u32(segment.termStart, before + 1)
    for (let from = u32(segment.termStart, before); from < to; from++) termBytes[byte++] = u8(segment.termBytes, from)
  }
  termStart[termCount] = byte
}

function placePostings(merged: Segment, mappings: readonly Mapping[]): void {
  const next = merged.postingStart.slice()
  for (const mapping of mappings)
    for (let term = 0; term < mapping.segment.termCount; term++) placeTerm(merged, mapping, term, next)
}

function placeTerm(merged: Segment, mapping: Mapping, before: number, next: Uint32Array): void {
  const { segment, term, firstChunk } = mapping
  const now = u32(term, before)
  if (now === notMerged) return
  if (isStopWord(segment, before)) placeStopWord(merged, now, mapping, before, next)
  else if (firstChunk < 0) next[now] = placeKept(merged, u32(next, now), mapping, before)
  else next[now] = placeWhole(merged, u32(next, now), mapping, before)
}

/** All postings of a term. @returns the place after them */
function placeWhole({ postings: target }: Segment, first: number, mapping: Mapping, term: number): number {
  const { postingStart, postings } = mapping.segment
  const added = mapping.firstChunk * 0x1_00
  const to = u32(postingStart, term + 1)
  let place = first
  for (let from = u32(postingStart, term); from < to; from++) target[place++] = u32(postings, from) + added
  return place
}

/** Postings of kept chunks. @returns the place after them */
function placeKept({ postings: target }: Segment, first: number, { segment, chunk }: Mapping, term: number): number {
  const { postingStart, postings } = segment
  const to = u32(postingStart, term + 1)
  let place = first
  for (let from = u32(postingStart, term); from < to; from++) {
    const posting = u32(postings, from)
    const number = u32(chunk, posting >>> 8)
    if (number !== notMerged) target[place++] = ((number << 8) | (posting & 255)) >>> 0
  }
  return place
}

/** Old and new postings may be a list or a bitmap. */
function placeStopWord(merged: Segment, now: number, mapping: Mapping, before: number, next: Uint32Array): void {
  const { segment, chunk, firstChunk } = mapping
  const isTargetBitmap = isBitmap(merged, now)
  if (!isBitmap(segment, before)) {
    if (isTargetBitmap) setBits(merged, now, mapping, before)
    else next[now] = placeKept(merged, u32(next, now), mapping, before)
  } else if (isTargetBitmap && firstChunk >= 0) addBits(merged, now, { segment, term: before, firstChunk })
  else
    for (const each of chunksOfBitmap(segment, before)) {
      const number = u32(chunk, each)
      if (number === notMerged) continue
      if (isTargetBitmap) setBit(merged, now, number)
      else {
        merged.postings[u32(next, now)] = ((number << 8) | 1) >>> 0
        next[now] = u32(next, now) + 1
      }
    }
}

/** Kept chunks of a list. */
function setBits(merged: Segment, now: number, { segment, chunk }: Mapping, term: number): void {
  const { postingStart, postings } = segment
  for (let from = u32(postingStart, term); from < u32(postingStart, term + 1); from++) {
    const number = u32(chunk, u32(postings, from) >>> 8)
    if (number !== notMerged) setBit(merged, now, number)
  }
}

function at<T>(list: readonly T[], index: number): T {
  return list[index] as T
}
