import { commonTo, type Segment, u32 } from '../segments/segment.ts'
import { type LengthModel, saturationOf } from './bm25.ts'
import { RangeBounds } from './range-bounds.ts'
import type { PartOffers, PartTerm, SearchedPart, SearchWork } from './score-part.ts'
import { WindowScorer } from './score-windows.ts'

/**
 * Offers the same k best chunks as `scorePart`, but scores only ranges of chunks that can contain one of them (docs/decisions/0034):
 *
 *  1  For each range, the sum of what each term can add at most is a bound of the scores of its chunks.
 *  2  The ranges with the highest bounds are scored first. The k-th best score is nearly final then.
 *  3  Of the others, only ranges whose bound reaches the k-th best score are scored.
 */
export function scoreRanges(
  searched: SearchedPart,
  terms: readonly PartTerm[],
  model: LengthModel,
  offers: PartOffers,
): void {
  const saturation = saturationOf(model)
  const bounds = new RangeBounds(searched.segment, terms, saturation)
  const isAllowed = offers.allowed === undefined ? null : chunksOf(searched.segment, offers.allowed)
  if (isAllowed !== null) bounds.clearWithout(isAllowed)
  const scorer = new WindowScorer(searched, terms, saturation, { ...offers, isAllowed, bounds })
  const first = bounds.boundOfBest(rangesAtFirst(offers.best.k))
  scorer.score(first, Number.POSITIVE_INFINITY)
  scorer.score(0, first)
  if (offers.work !== undefined) addWork(offers.work, bounds, scorer)
}

function addWork(work: SearchWork, bounds: RangeBounds, scorer: WindowScorer): void {
  work.postings += bounds.readPostings + scorer.readPostings
  work.ranges += scorer.scoredRanges
  work.skippedRanges += bounds.count - scorer.scoredRanges
}

/** Several chunks of a range may be among the best. */
function rangesAtFirst(k: number): number {
  return Math.max(16, k >> 1)
}

/** @returns 1 for each chunk of the documents */
function chunksOf(segment: Segment, documentIds: Float64Array): Uint8Array {
  const chunks = new Uint8Array(segment.chunkCount)
  for (const document of commonTo(segment.documentIds, documentIds))
    chunks.fill(1, u32(segment.firstChunk, document), u32(segment.firstChunk, document + 1))
  return chunks
}
