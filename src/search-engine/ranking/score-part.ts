import { commonTo, f64, postingsWith, type Segment, u32 } from '../segments/segment.ts'
import { chunksOfBitmap, isBitmap } from '../segments/stop-word-bitmaps.ts'
import type { BestChunks } from './best-chunks.ts'
import { type LengthModel, type Saturation, saturationOf, scoreOfPosting } from './bm25.ts'
import type { PhraseFilter } from './phrase-filter.ts'
import type { PairScorer } from './term-pairs.ts'

/** A few chunks of a segment. */
export interface FewChunks {
  /** Ascending. */
  readonly chunks: Uint32Array
  readonly areHidden: boolean
}

/** A segment as visible to one search. */
export interface SearchedPart {
  readonly segment: Segment
  /** 1 for each chunk that is hidden from this search: it is neither found nor counted. null: none is hidden. */
  readonly hidden: Uint8Array | null
  /** The hidden chunks, or the visible ones, if there are few of them. Absent or null: they are not listed. */
  readonly few?: FewChunks | null
  /** Visible chunks, and the sum of their lengths. */
  readonly chunks: number
  readonly length: number
  /** Visible chunks with a term; absent: they are counted in the postings. */
  readonly chunksWith?: (ordinal: number) => number
  /** Its chunks count in the statistics, and are not searched. */
  readonly isOnlyCounted?: boolean
}

/** A term of the query in one segment. */
export interface PartTerm {
  readonly weight: number
  /** -1: the term does not occur in the segment. */
  readonly ordinal: number
}

/** Postings that were read, and ranges that were scored or skipped (`score-ranges.ts`). */
export interface SearchWork {
  postings: number
  ranges: number
  skippedRanges: number
}

export interface PartOffers {
  /** Index of the segment among the searched ones. */
  readonly part: number
  readonly best: BestChunks
  readonly pairs: PairScorer | null
  readonly phrases: PhraseFilter | null
  /** Ids of the documents that may be found, ascending; undefined: all. */
  readonly allowed: Float64Array | undefined
  readonly work?: SearchWork | undefined
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
    const saturation = saturationOf(model)
    for (const term of terms) if (term.ordinal >= 0) addScores(searched.segment, term, saturation)
    if (offers.work !== undefined) offers.work.postings += postingsOf(searched.segment, terms)
    if (offers.allowed === undefined) offerScored(searched, offers)
    else offerAllowed(searched, offers, offers.allowed)
  } finally {
    for (let at = 0; at < scoredCount; at++) scores[u32(scored, at)] = 0
    scoredCount = 0
  }
}

export function postingsOf(segment: Segment, terms: readonly PartTerm[]): number {
  let count = 0
  for (const { ordinal } of terms) if (ordinal >= 0) count += postingsWith(segment, ordinal)
  return count
}

function addScores(segment: Segment, { ordinal, weight }: PartTerm, saturation: Saturation): void {
  const { postingStart, postings, chunkLength } = segment
  if (isBitmap(segment, ordinal)) {
    for (const chunk of chunksOfBitmap(segment, ordinal))
      addScore(chunk, scoreOfPosting(weight, 1, u32(chunkLength, chunk), saturation))
    return
  }
  const to = u32(postingStart, ordinal + 1)
  for (let place = u32(postingStart, ordinal); place < to; place++) {
    const posting = u32(postings, place)
    const chunk = posting >>> 8
    addScore(chunk, scoreOfPosting(weight, posting & 255, u32(chunkLength, chunk), saturation))
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
