import { lettersOf, type Segment, u8, u32 } from '../segments/segment.ts'
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

/** Each costs a pass over all terms. */
const mostCorrections = 8
const mostTerms = 3
/** Shorter words are near to too many others. */
const shortestWord = 4
/** Longer ones may have two mistakes. */
const shortWord = 7
const onlyLetters = /^(?:\p{Script=Latin}+|\p{Script=Cyrillic}+|\p{Script=Greek}+)$/u

/**
 * @param missing terms of words that no chunk that is there holds, in any of their terms
 * @returns for each word that has some the nearest terms among those that chunks which are there hold
 */
export function correctTerms(parts: readonly CorrectedPart[], missing: readonly QueryTerm[]): readonly Correction[] {
  const words = Map.groupBy(
    missing.filter(({ spelling }) => spelling !== undefined),
    ({ word }) => word ?? 0,
  )
  return [...words].slice(0, mostCorrections).flatMap(([word, terms]) => {
    const spelling = terms[0]?.spelling ?? ''
    const found = nearestTerms(
      parts,
      terms.map(({ term }) => term),
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
  readonly steps: number
  chunks: number
}

function nearestTerms(parts: readonly CorrectedPart[], wanted: readonly string[]): readonly string[] {
  const near = new Map<string, Near>()
  for (const term of wanted) for (const part of parts) addNear(part, term, near)
  const fewest = Math.min(...[...near.values()].map(({ steps }) => steps))
  const first = wanted[0] ?? ''
  return [...near.values()]
    .filter(({ steps }) => steps === fewest)
    .sort(
      (one, other) =>
        Number(other.term[0] === first[0]) - Number(one.term[0] === first[0]) ||
        other.chunks - one.chunks ||
        (one.term < other.term ? -1 : 1),
    )
    .slice(0, mostTerms)
    .map(({ term }) => term)
}

function addNear({ segment, chunksWith }: CorrectedPart, wanted: string, near: Map<string, Near>): void {
  const bytes = Buffer.from(wanted)
  const most = wanted.length <= shortWord ? 1 : 2
  const unit = bytes.length > wanted.length ? 2 : 1
  const letters = lettersOf(bytes, 0, bytes.length)
  const rows = rowsFor(wanted.length + most + 2)
  const text = Buffer.from(segment.termBytes.buffer, segment.termBytes.byteOffset, segment.termBytes.byteLength)
  for (let ordinal = 0; ordinal < segment.termCount; ordinal++) {
    const from = u32(segment.termStart, ordinal)
    const to = u32(segment.termStart, ordinal + 1)
    if (Math.abs(to - from - bytes.length) > most * unit) continue
    if (bitsOf(u32(segment.termLetters, ordinal) ^ letters) > 2 * most * unit) continue
    const term = text.toString('utf8', from, to)
    const steps = stepsBetween(wanted, term, most, rows)
    if (steps > most || !onlyLetters.test(term)) continue
    const chunks = chunksWith(ordinal)
    if (chunks === 0) continue
    const held = near.get(term)
    if (held === undefined || steps < held.steps) near.set(term, { term, steps, chunks: (held?.chunks ?? 0) + chunks })
    else held.chunks += chunks
  }
}

function bitsOf(mask: number): number {
  let left = mask
  let count = 0
  for (; left !== 0; count++) left &= left - 1
  return count
}

/** Three rows of the table of steps, which one comparison after the other fills. */
type Rows = readonly [Uint8Array, Uint8Array, Uint8Array]

const rowsFor = (length: number): Rows => [new Uint8Array(length), new Uint8Array(length), new Uint8Array(length)]

/**
 * Letters that are added, left out, replaced or exchanged with their neighbour; anything above `most` where there are more.
 * Only cells within `most` of the diagonal are looked at: all others are above it.
 *
 * @param rows each one longer than `other` by two
 */
export function stepsBetween(
  one: string,
  other: string,
  most: number,
  [first, second, third] = rowsFor(other.length + 2),
): number {
  const tooMany = most + 1
  if (Math.abs(one.length - other.length) > most) return tooMany
  let [before, last, next] = [first, second, third]
  for (let column = 0; column <= other.length; column++) last[column] = Math.min(column, tooMany)
  for (let row = 1; row <= one.length; row++) {
    const from = Math.max(1, row - most)
    const to = Math.min(other.length, row + most)
    let least = Math.min(row, tooMany)
    next[from - 1] = from === 1 ? least : tooMany
    if (from > 1) least = tooMany
    const letter = one.charCodeAt(row - 1)
    const letterBefore = row > 1 ? one.charCodeAt(row - 2) : -1
    for (let column = from; column <= to; column++) {
      const isSame = letter === other.charCodeAt(column - 1)
      let steps = Math.min(u8(last, column) + 1, u8(next, column - 1) + 1, u8(last, column - 1) + (isSame ? 0 : 1))
      const isExchanged =
        column > 1 && letter === other.charCodeAt(column - 2) && letterBefore === other.charCodeAt(column - 1)
      if (isExchanged) steps = Math.min(steps, u8(before, column - 2) + 1)
      next[column] = Math.min(steps, tooMany)
      if (steps < least) least = steps
    }
    next[to + 1] = tooMany
    if (least > most) return tooMany
    ;[before, last, next] = [last, next, before]
  }
  return u8(last, other.length)
}
