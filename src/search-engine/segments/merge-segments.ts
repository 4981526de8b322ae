import { mergeTerms } from './merge-terms.ts'
import { placeBlocks } from './posting-blocks.ts'
import { createSegment, type Segment, u32 } from './segment.ts'
import { bitmapWords, chunksOfBitmap, isBitmap, isStopWord, setBit } from './stop-word-bitmaps.ts'

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
  const mappings = segments.map((segment) => ({
    segment,
    chunk: new Uint32Array(segment.chunkCount).fill(notMerged),
    term: new Uint32Array(segment.termCount).fill(notMerged),
    staying: new Uint32Array(segment.termCount),
  }))
  let chunks = 0
  let docIdBytes = 0
  let tokens = 0
  for (const { part, ordinal } of kept) {
    const { segment, chunk } = at(mappings, part)
    tokens += tokensIn(segment, ordinal)
    for (let from = u32(segment.firstChunk, ordinal); from < u32(segment.firstChunk, ordinal + 1); from++)
      chunk[from] = chunks++
    docIdBytes += u32(segment.docIdStart, ordinal + 1) - u32(segment.docIdStart, ordinal)
  }
  return { kept, mappings, chunks, docIdBytes, tokens }
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
  return sizes.reduce((sum, size) => sum + size, 0)
}

function keptDocuments(segments: readonly Segment[], dropped: ReadonlySet<number>): readonly Kept[] {
  const kept: Kept[] = []
  for (const [part, { documentIds }] of segments.entries())
    for (const [ordinal, id] of documentIds.entries()) if (!dropped.has(id)) kept.push({ id, part, ordinal })
  return kept.sort((a, b) => a.id - b.id)
}

function countStaying({ segment, chunk, staying }: Mapping): void {
  const { postingStart, postings } = segment
  for (let term = 0; term < segment.termCount; term++) {
    let count = 0
    if (isBitmap(segment, term))
      for (const each of chunksOfBitmap(segment, term)) count += chunk[each] === notMerged ? 0 : 1
    else
      for (let place = u32(postingStart, term); place < u32(postingStart, term + 1); place++)
        if (chunk[u32(postings, place) >>> 8] !== notMerged) count++
    staying[term] = count
  }
}

/**
 * Assigns an ordinal to every distinct term with a kept chunk, ascending as in each segment.
 *
 * @param maxOfStopWord postings: more chunks become a bitmap
 */
function numberTerms(mappings: readonly Mapping[], maxOfStopWord: number): NumberedTerms {
  const max = mappings.reduce((sum, { segment }) => sum + segment.termCount, 0)
  const owners = { part: new Uint32Array(max), term: new Uint32Array(max) }
  const sizes = new Uint32Array(max)
  let terms = 0
  let termBytes = 0
  mergeTerms(
    mappings.map(({ segment }) => segment),
    (part, term) => at(mappings, part).staying[term] !== 0,
    (part, term, isSame) => {
      const { segment, staying, term: numbers } = at(mappings, part)
      if (!isSame) {
        owners.part[terms] = part
        owners.term[terms++] = term
        termBytes += u32(segment.termStart, term + 1) - u32(segment.termStart, term)
      }
      const size = u32(sizes, terms - 1) + u32(staying, term)
      sizes[terms - 1] = isStopWord(segment, term) ? Math.min(size, maxOfStopWord) : size
      numbers[term] = terms - 1
    },
  )
  return { owners, sizes, terms, termBytes }
}

interface NumberedTerms {
  readonly owners: TermOwners
  /** Postings of each. */
  readonly sizes: Uint32Array
  readonly terms: number
  readonly termBytes: number
}

interface TermOwners {
  readonly part: Uint32Array
  readonly term: Uint32Array
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
  let byte = 0
  for (let term = 0; term < merged.termCount; term++) {
    const { segment } = at(mappings, u32(owners.part, term))
    const before = u32(owners.term, term)
    const text = segment.termBytes.subarray(u32(segment.termStart, before), u32(segment.termStart, before + 1))
    merged.termStart[term] = byte
    merged.termBytes.set(text, byte)
    byte += text.length
  }
  merged.termStart[merged.termCount] = byte
}

function placePostings(merged: Segment, mappings: readonly Mapping[]): void {
  const { postingStart, postings } = merged
  const next = postingStart.slice()
  for (const { segment, chunk, term } of mappings) {
    for (let before = 0; before < segment.termCount; before++) {
      const now = u32(term, before)
      if (now === notMerged) continue
      if (isStopWord(segment, before)) {
        placeStopWord(merged, now, { segment, chunk, before }, next)
        continue
      }
      let place = u32(next, now)
      for (let from = u32(segment.postingStart, before); from < u32(segment.postingStart, before + 1); from++) {
        const posting = u32(segment.postings, from)
        const number = u32(chunk, posting >>> 8)
        if (number !== notMerged) postings[place++] = ((number << 8) | (posting & 255)) >>> 0
      }
      next[now] = place
    }
  }
}

/** Old and new postings may be a list or a bitmap. */
function placeStopWord(
  merged: Segment,
  now: number,
  { segment, chunk, before }: { readonly segment: Segment; readonly chunk: Uint32Array; readonly before: number },
  next: Uint32Array,
): void {
  for (const each of chunksOfStopWord(segment, before)) {
    const number = u32(chunk, each)
    if (number === notMerged) continue
    if (isBitmap(merged, now)) setBit(merged, now, number)
    else {
      const place = u32(next, now)
      merged.postings[place] = ((number << 8) | 1) >>> 0
      next[now] = place + 1
    }
  }
}

function chunksOfStopWord(segment: Segment, term: number): Iterable<number> {
  if (isBitmap(segment, term)) return chunksOfBitmap(segment, term)
  const { postingStart, postings } = segment
  return Array.from(postings.subarray(u32(postingStart, term), u32(postingStart, term + 1)), (each) => each >>> 8)
}

function at<T>(list: readonly T[], index: number): T {
  return list[index] as T
}
