import { commonTo, f64, findDocument, findTerm, type Segment, u8, u32 } from '../segments/segment.ts'
import { BestChunks, type RankedChunk } from './best-chunks.ts'

/** A term of the query and how often the query says it. */
export interface QueryTerm {
  readonly term: string
  readonly count: number
}

/** A segment as one search sees it. */
export interface SearchedPart {
  readonly segment: Segment
  /** 1 for each chunk that is not there for this search: it is neither found nor counted. null: all are there. */
  readonly hidden: Uint8Array | null
  /** Chunks that are there, and the sum of their lengths. */
  readonly chunks: number
  readonly length: number
}

export interface RankOptions {
  readonly k: number
  /**
   * Ids of the documents that may be found, ascending: those that pass the filter. Others are not found, but count in the
   * statistics, so they must be documents that the caller may see. Absent: all.
   */
  readonly allowed?: Float64Array
  /** Also tell what each term adds to each score. */
  readonly explain?: boolean
}

/** What the scores stand on, for explaining them. */
export interface RankStatistics {
  readonly chunks: number
  readonly averageLength: number
  /** Chunks that hold each query term, in the order in which they were scored. */
  readonly terms: readonly { readonly term: string; readonly count: number; readonly chunks: number }[]
}

/** What one search found. */
export interface Ranking {
  readonly ranked: readonly RankedChunk[]
  readonly statistics: RankStatistics
  /** For each chunk what each term of `statistics` adds to its score; null unless it was asked for. */
  readonly explained: readonly (readonly number[])[] | null
}

/**
 * How much a term's repetition counts (k1) and how much a long chunk is held against it (b). Robertson's 1.2 and 0.75 are
 * for whole documents; chunks are of about one length, where a lower b and a higher k1 rank better (docs/decisions/0020).
 */
export const k1 = 1.5
export const b = 0.6

/**
 * The k best chunks by BM25 over all parts as one collection: equal scores by doc_id, then by chunk. The order of the
 * parts, and how documents are spread over them, change nothing: sums are made in one order everywhere.
 */
export function rankChunks(parts: readonly SearchedPart[], query: readonly QueryTerm[], options: RankOptions): Ranking {
  const { chunks, averageLength } = sizesOf(parts)
  const terms = query.map(({ term, count }) => lookUp(parts, term, count)).filter((term) => term.chunks > 0)
  const weighted = terms
    .map((term) => ({ ...term, weight: weightOf(term, chunks) }))
    .sort((x, y) => y.weight - x.weight || (x.term < y.term ? -1 : 1))
  const best = new BestChunks(
    parts.map(({ segment }) => segment),
    options.k,
  )
  for (const [part, searched] of parts.entries()) {
    const ordinals = weighted.map(({ weight, ordinals }) => ({ weight, ordinal: ordinals[part] ?? -1 }))
    if (ordinals.every(({ ordinal }) => ordinal < 0)) continue
    const scores = scratch(searched.segment.chunkCount)
    for (const { weight, ordinal } of ordinals)
      if (ordinal >= 0) addScores(searched.segment, ordinal, weight, averageLength, scores)
    offerScores(searched, part, scores, best, options.allowed)
  }
  const ranked = best.inOrder()
  const explain = (chunk: RankedChunk): readonly number[] =>
    weighted.map((term) => scoreOfTerm(parts, chunk, term, averageLength))
  return {
    ranked,
    explained: options.explain === true ? ranked.map(explain) : null,
    statistics: {
      chunks,
      averageLength,
      terms: weighted.map(({ term, count, chunks }) => ({ term, count, chunks })),
    },
  }
}

/** Looks through the term's chunks: for explaining a few scores. */
function scoreOfTerm(
  parts: readonly SearchedPart[],
  { documentId, chunkIndex }: RankedChunk,
  { ordinals, weight }: FoundTerm & { readonly weight: number },
  averageLength: number,
): number {
  for (const [part, { segment }] of parts.entries()) {
    const document = findDocument(segment, documentId)
    const ordinal = ordinals[part] ?? -1
    if (document < 0 || ordinal < 0) continue
    const chunk = u32(segment.firstChunk, document) + chunkIndex
    const { postingStart, postings, chunkLength } = segment
    for (let place = u32(postingStart, ordinal); place < u32(postingStart, ordinal + 1); place++) {
      const posting = u32(postings, place)
      if (posting >>> 8 !== chunk) continue
      const times = posting & 255
      return (weight * times) / (times + k1 * (1 - b) + ((k1 * b) / averageLength) * u32(chunkLength, chunk))
    }
  }
  return 0
}

interface FoundTerm extends QueryTerm {
  /** Chunks that hold it. */
  readonly chunks: number
  /** In each part, or -1. */
  readonly ordinals: readonly number[]
}

const encoder = new TextEncoder()

function lookUp(parts: readonly SearchedPart[], term: string, count: number): FoundTerm {
  const bytes = encoder.encode(term)
  const ordinals = parts.map(({ segment }) => findTerm(segment, bytes))
  const chunks = ordinals.reduce((sum, ordinal, part) => {
    const searched = parts[part]
    return ordinal < 0 || searched === undefined ? sum : sum + chunksWith(searched, ordinal)
  }, 0)
  return { term, count, chunks, ordinals }
}

function chunksWith({ segment, hidden }: SearchedPart, ordinal: number): number {
  const { postingStart, postings } = segment
  const from = u32(postingStart, ordinal)
  const to = u32(postingStart, ordinal + 1)
  if (hidden === null) return to - from
  let count = 0
  for (let place = from; place < to; place++) count += 1 - u8(hidden, u32(postings, place) >>> 8)
  return count
}

function sizesOf(parts: readonly SearchedPart[]): { readonly chunks: number; readonly averageLength: number } {
  const chunks = parts.reduce((sum, part) => sum + part.chunks, 0)
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  return { chunks, averageLength: length / Math.max(chunks, 1) }
}

/** Robertson and Sparck Jones's weight, with the 1 that keeps common words from counting against a chunk. */
function weightOf(term: FoundTerm, chunks: number): number {
  return term.count * (k1 + 1) * Math.log(1 + (chunks - term.chunks + 0.5) / (term.chunks + 0.5))
}

function addScores(
  { postingStart, postings, chunkLength }: Segment,
  ordinal: number,
  weight: number,
  averageLength: number,
  scores: Float64Array,
): void {
  const fixed = k1 * (1 - b)
  const perUnit = (k1 * b) / averageLength
  const to = u32(postingStart, ordinal + 1)
  for (let place = u32(postingStart, ordinal); place < to; place++) {
    const posting = u32(postings, place)
    const chunk = posting >>> 8
    const times = posting & 255
    scores[chunk] = f64(scores, chunk) + (weight * times) / (times + fixed + perUnit * u32(chunkLength, chunk))
  }
}

function offerScores(
  searched: SearchedPart,
  part: number,
  scores: Float64Array,
  best: BestChunks,
  allowed: Float64Array | undefined,
): void {
  const { segment } = searched
  if (allowed === undefined) offerRange(searched, part, scores, best, { from: 0, to: segment.chunkCount })
  else
    for (const document of commonTo(segment.documentIds, allowed)) {
      const range = { from: u32(segment.firstChunk, document), to: u32(segment.firstChunk, document + 1) }
      offerRange(searched, part, scores, best, range)
    }
}

/** Looks at every chunk of a segment, so it holds what it reads in variables of its own (a closure was 5 times slower). */
function offerRange(
  { hidden }: SearchedPart,
  part: number,
  scores: Float64Array,
  best: BestChunks,
  { from, to }: { readonly from: number; readonly to: number },
): void {
  let least = best.least
  for (let chunk = from; chunk < to; chunk++) {
    const score = f64(scores, chunk)
    if (score < least || score === 0 || (hidden !== null && hidden[chunk] === 1)) continue
    best.offer(part, chunk, score)
    least = best.least
  }
}

let scratchScores = new Float64Array(0)

/** Zeros for a segment's chunks. One array serves all searches of a thread: a new one for each costs more than the search. */
function scratch(chunks: number): Float64Array {
  if (scratchScores.length < chunks) scratchScores = new Float64Array(Math.ceil(chunks * 1.25))
  const scores = scratchScores.subarray(0, chunks)
  scores.fill(0)
  return scores
}
