import type { KnownWords } from '../segments/known-words.ts'
import type { Segment } from '../segments/segment.ts'
import { findTerm } from '../segments/sorted-terms.ts'
import type { QueryTerm } from './query-term.ts'

/** A word of the query that no visible document has, and the terms that are searched instead, best first. */
export interface Correction {
  /** Where the word begins in the query. */
  readonly word: number
  readonly spelling: string
  readonly terms: readonly string[]
}

/** What the correction needs of a part of the index. */
export interface CorrectedPart {
  readonly segment: Segment
  /** Chunks that are there and hold the term. */
  chunksWith(ordinal: number): number
}

const maxCorrections = 8
const maxTerms = 3
/** Shorter words are near to too many others. */
const shortestWord = 4
/** Longer ones may have two mistakes. */
const shortWord = 7
const onlyLetters = /^(?:\p{Script=Latin}+|\p{Script=Cyrillic}+|\p{Script=Greek}+)$/u

/**
 * @param missing terms of words that no chunk that is there holds, in any of their terms
 * @param known words of the parts, and perhaps others
 * @returns for each word that has some the nearest terms among those that chunks which are there hold
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

/** Whether a word may be a misspelt one: of letters of one script, and no short one. Identifiers are meant as they are. */
export function canBeMisspelt(word: string): boolean {
  return word.length >= shortestWord && word.length <= 40 && onlyLetters.test(word)
}

interface Near {
  readonly term: string
  readonly chunks: number
}

/** Two steps are looked for only where no term is one step away: the nearest come alone. */
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

/** Of words that chunks which are there hold. */
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
