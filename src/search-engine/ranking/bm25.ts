/** The score of a chunk: BM25 of Robertson and Sparck Jones, with our own k1 and b (docs/decisions/0018). */

/**
 * The weight of a term's repetitions. In a short query each word must occur; for a long one a chunk that repeats some words is
 * better than one with a little of everything.
 *
 * @param words of the query that documents contain
 */
export function k1For(words: number): number {
  return Math.min(Math.max(1.6 + Math.log(Math.max(words, 1) / 6), 0.8), 3)
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

/** What a posting adds: `weight · times / (times + fixed + perUnit · length)`. */
export interface Saturation {
  readonly fixed: number
  readonly perUnit: number
}

export function saturationOf({ k1, averageLength }: LengthModel): Saturation {
  return { fixed: k1 * (1 - b), perUnit: (k1 * b) / averageLength }
}

export function scoreOfPosting(weight: number, times: number, length: number, { fixed, perUnit }: Saturation): number {
  return (weight * times) / (times + fixed + perUnit * length)
}

/** How rare a word is: their weight, plus the 1 that keeps common words from lowering a score. */
export function rarityOf(chunksWithTerm: number, chunks: number): number {
  return Math.log(1 + (chunks - chunksWithTerm + 0.5) / (chunksWithTerm + 0.5))
}
