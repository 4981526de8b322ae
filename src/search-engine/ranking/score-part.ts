import { commonTo, f64, type Segment, u32 } from '../segments/segment.ts'
import { chunksOfBitmap, isBitmap } from '../segments/stop-word-bitmaps.ts'
import type { BestChunks } from './best-chunks.ts'
import type { PhraseFilter } from './phrases.ts'
import type { PairScorer } from './term-pairs.ts'

/** A segment as visible to one search. */
export interface SearchedPart {
  readonly segment: Segment
  /** 1 for each chunk that is hidden from this search: it is neither found nor counted. null: none is hidden. */
  readonly hidden: Uint8Array | null
  /** Visible chunks, and the sum of their lengths. */
  readonly chunks: number
  readonly length: number
}

/**
 * The penalty for long chunks. Robertson's 0.75 is for whole documents; chunks have about equal lengths, where a lower b ranks
 * better (docs/decisions/0018).
 */
export const b = 0.5

/** What a score depends on besides the terms. */
export interface LengthModel {
  readonly k1: number
  readonly averageLength: number
}

/** A term of the query in one segment. */
export interface PartTerm {
  readonly weight: number
  /** -1: the term does not occur in the segment. */
  readonly ordinal: number
}

export interface PartOffers {
  /** Index of the segment among the searched ones. */
  readonly part: number
  readonly best: BestChunks
  readonly pairs: PairScorer | null
  readonly phrases: PhraseFilter | null
  /** Ids of the documents that may be found, ascending; undefined: all. */
  readonly allowed: Float64Array | undefined
}

/**
 * Scores of the current segment, by chunk, and the chunks with a score. All searches of a thread share the arrays, which are
 * zero between searches: allocating them for each search, or clearing and reading all chunks, would cost more than the search.
 */
let scores = new Float64Array(0)
let scored = new Uint32Array(0)
let scoredCount = 0

/** Offers the chunks of a segment that contain a term of the query. */
export function scorePart(
  searched: SearchedPart,
  terms: readonly PartTerm[],
  model: LengthModel,
  offers: PartOffers,
): void {
  if (scores.length < searched.segment.chunkCount) {
    scores = new Float64Array(Math.ceil(searched.segment.chunkCount * 1.25))
    scored = new Uint32Array(scores.length)
  }
  try {
    for (const term of terms) if (term.ordinal >= 0) addScores(searched.segment, term, model)
    if (offers.allowed === undefined) offerScored(searched, offers)
    else offerAllowed(searched, offers, offers.allowed)
  } finally {
    for (let at = 0; at < scoredCount; at++) scores[u32(scored, at)] = 0
    scoredCount = 0
  }
}

function addScores(segment: Segment, { ordinal, weight }: PartTerm, { k1, averageLength }: LengthModel): void {
  const { postingStart, postings, chunkLength } = segment
  const fixed = k1 * (1 - b)
  const perUnit = (k1 * b) / averageLength
  if (isBitmap(segment, ordinal)) {
    for (const chunk of chunksOfBitmap(segment, ordinal))
      addScore(chunk, weight / (1 + fixed + perUnit * u32(chunkLength, chunk)))
    return
  }
  const to = u32(postingStart, ordinal + 1)
  for (let place = u32(postingStart, ordinal); place < to; place++) {
    const posting = u32(postings, place)
    const chunk = posting >>> 8
    const times = posting & 255
    addScore(chunk, (weight * times) / (times + fixed + perUnit * u32(chunkLength, chunk)))
  }
}

function addScore(chunk: number, added: number): void {
  const before = f64(scores, chunk)
  if (before === 0) scored[scoredCount++] = chunk
  scores[chunk] = before + added
}

function offerScored({ segment, hidden }: SearchedPart, { part, best, pairs, phrases }: PartOffers): void {
  const max = pairs?.max ?? 0
  // Close words only add to a score: chunks further below the k best than this addition cannot enter.
  const floor = pairs === null || phrases !== null ? 0 : scoreOfPlace(best.k, hidden)
  let min = Math.max(best.min, floor) - max
  for (let at = 0; at < scoredCount; at++) {
    const chunk = u32(scored, at)
    const score = f64(scores, chunk)
    if (score < min || (hidden !== null && hidden[chunk] === 1)) continue
    if (phrases !== null && !phrases.holds(segment, chunk)) continue
    best.offer(part, chunk, pairs === null ? score : score + pairs.of(segment, chunk))
    min = Math.max(best.min, floor) - max
  }
}

/** Sorting more costs more than it saves. */
const maxPlaces = 100

/** The score of the chunk at a rank, without close words; 0: there are fewer chunks. */
function scoreOfPlace(place: number, hidden: Uint8Array | null): number {
  if (place > maxPlaces || scoredCount <= place) return 0
  const best = new Float64Array(place)
  for (let at = 0; at < scoredCount; at++) {
    const chunk = u32(scored, at)
    const score = f64(scores, chunk)
    if (score <= f64(best, 0) || (hidden !== null && hidden[chunk] === 1)) continue
    let to = 0
    for (; to + 1 < place && f64(best, to + 1) < score; to++) best[to] = f64(best, to + 1)
    best[to] = score
  }
  return f64(best, 0)
}

function offerAllowed(
  { segment, hidden }: SearchedPart,
  { part, best, pairs, phrases }: PartOffers,
  allowed: Float64Array,
): void {
  const max = pairs?.max ?? 0
  for (const document of commonTo(segment.documentIds, allowed))
    for (let chunk = u32(segment.firstChunk, document); chunk < u32(segment.firstChunk, document + 1); chunk++) {
      const score = f64(scores, chunk)
      if (score === 0 || score < best.min - max || (hidden !== null && hidden[chunk] === 1)) continue
      if (phrases !== null && !phrases.holds(segment, chunk)) continue
      best.offer(part, chunk, pairs === null ? score : score + pairs.of(segment, chunk))
    }
}
