import type { KnownWords } from '../segments/known-words.ts'
import type { Segment } from '../segments/segment.ts'
import { findTerm } from '../segments/sorted-terms.ts'
import type { NearWord } from '../segments/word-group.ts'
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

/** Terms two steps away are used only if no term is one step away. */
function nearestTerms(
  parts: readonly CorrectedPart[],
  wanted: readonly string[],
  known: KnownWords,
): readonly string[] {
  const [first = ''] = wanted
  for (const steps of [1, 2] as const) {
    const allowed = wanted.filter((term) => steps <= maxSteps(term))
    const near = new Map(allowed.flatMap((term) => known.near(term, steps)).map((each) => [each.word, each]))
    const best = bestOf(parts, [...near.values()], first)
    if (best.length > 0) return best
  }
  return []
}

function maxSteps(term: string): number {
  return term.length <= shortWord ? 1 : 2
}

interface Near {
  readonly term: string
  readonly hasFirstLetter: boolean
  readonly chunks: number
}

/**
 * The best words that visible chunks contain: those with the same first letter, then those of more chunks. Looking up all of them would
 * be most of the work of a correction, so it ends as soon as none of the others can be better.
 */
function bestOf(parts: readonly CorrectedPart[], near: readonly NearWord[], wanted: string): readonly string[] {
  const best: Near[] = []
  const candidates = near.map(({ word, maxChunks }) => nearOf(word, maxChunks, wanted)).sort(compareNear)
  for (const { term, hasFirstLetter, chunks: maxChunks } of candidates) {
    const last = best[maxTerms - 1]
    if (last !== undefined && (maxChunks < last.chunks || hasFirstLetter !== last.hasFirstLetter)) break
    const chunks = chunksWith(parts, term)
    if (chunks === 0) continue
    best.push({ term, hasFirstLetter, chunks })
    best.sort(compareNear).splice(maxTerms)
  }
  return best.map(({ term }) => term)
}

function nearOf(term: string, chunks: number, wanted: string): Near {
  return { term, hasFirstLetter: term[0] === wanted[0], chunks }
}

function compareNear(one: Near, other: Near): number {
  return (
    Number(other.hasFirstLetter) - Number(one.hasFirstLetter) ||
    other.chunks - one.chunks ||
    (one.term < other.term ? -1 : 1)
  )
}

/** The number of visible chunks that contain a term. */
function chunksWith(parts: readonly CorrectedPart[], term: string): number {
  const bytes = Buffer.from(term)
  return parts.reduce((sum, part) => {
    const ordinal = findTerm(part.segment, bytes)
    return ordinal < 0 ? sum : sum + part.chunksWith(ordinal)
  }, 0)
}
