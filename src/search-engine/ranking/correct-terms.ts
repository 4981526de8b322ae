import type { KnownWords } from '../segments/known-words.ts'
import type { Segment } from '../segments/segment.ts'
import { findTerm } from '../segments/sorted-terms.ts'
import type { QueryTerm } from './query-term.ts'

/** A word of the query that occurs in no visible document, and the terms that are searched instead, best first. */
export interface Correction {
  /** Number of the word in the query. */
  readonly word: number
  readonly spelling: string
  readonly terms: readonly string[]
}

/** What the correction needs of a segment. */
export interface CorrectedPart {
  readonly segment: Segment
  /** Visible chunks that contain the term. */
  chunksWith(ordinal: number): number
}

const maxCorrections = 8
const maxTerms = 3
/** Shorter words are similar to too many others. */
const shortestWord = 4
/** Longer words may have two errors. */
const shortWord = 7
const onlyLetters = /^(?:\p{Script=Latin}+|\p{Script=Cyrillic}+|\p{Script=Greek}+)$/u

/**
 * @param missing terms of words that no visible chunk contains in any form
 * @param known words of the segments, possibly with others
 * @returns for each word with candidates, the nearest terms that visible chunks contain
 */
export function correctTerms(
  parts: readonly CorrectedPart[],
  missing: readonly QueryTerm[],
  known: KnownWords,
): readonly Correction[] {
  const words = Map.groupBy(
    missing.filter(({ spelling }) => spelling !== undefined),
    ({ word }) => word ?? 0,
  )
  return [...words].slice(0, maxCorrections).flatMap(([word, terms]) => {
    const spelling = terms[0]?.spelling ?? ''
    const found = nearestTerms(
      parts,
      terms.map(({ term }) => term),
      known,
    )
    return found.length === 0 ? [] : [{ word, spelling, terms: found }]
  })
}

/** Whether a word may be misspelt: it has letters of one script and is not short. Identifiers are never corrected. */
export function canBeMisspelt(word: string): boolean {
  return word.length >= shortestWord && word.length <= 40 && onlyLetters.test(word)
}

interface Near {
  readonly term: string
  readonly chunks: number
}

/** Terms two steps away are used only if no term is one step away. */
function nearestTerms(
  parts: readonly CorrectedPart[],
  wanted: readonly string[],
  known: KnownWords,
): readonly string[] {
  const [first = ''] = wanted
  for (const steps of [1, 2] as const) {
    const allowed = wanted.filter((term) => steps <= maxSteps(term))
    const near = countNear(parts, new Set(allowed.flatMap((term) => known.near(term, steps))))
    if (near.length > 0) return best(near, first)
  }
  return []
}

function maxSteps(term: string): number {
  return term.length <= shortWord ? 1 : 2
}

function best(near: readonly Near[], wanted: string): readonly string[] {
  return [...near]
    .sort(
      (one, other) =>
        Number(other.term[0] === wanted[0]) - Number(one.term[0] === wanted[0]) ||
        other.chunks - one.chunks ||
        (one.term < other.term ? -1 : 1),
    )
    .slice(0, maxTerms)
    .map(({ term }) => term)
}

/** Counts the words that visible chunks contain. */
function countNear(parts: readonly CorrectedPart[], terms: ReadonlySet<string>): readonly Near[] {
  return [...terms].flatMap((term) => {
    const bytes = Buffer.from(term)
    let chunks = 0
    for (const { segment, chunksWith } of parts) {
      const ordinal = findTerm(segment, bytes)
      if (ordinal >= 0) chunks += chunksWith(ordinal)
    }
    return chunks === 0 ? [] : { term, chunks }
  })
}
