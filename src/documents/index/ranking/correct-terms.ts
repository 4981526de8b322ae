import { type Segment, u8, u32 } from '../segments/segment.ts'
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
  const mask = lettersOf(bytes, 0, bytes.length)
  const text = Buffer.from(segment.termBytes.buffer, segment.termBytes.byteOffset, segment.termBytes.byteLength)
  for (let ordinal = 0; ordinal < segment.termCount; ordinal++) {
    const from = u32(segment.termStart, ordinal)
    const to = u32(segment.termStart, ordinal + 1)
    if (Math.abs(to - from - bytes.length) > most * unit) continue
    if (bitsOf(lettersOf(segment.termBytes, from, to) ^ mask) > 2 * most * unit) continue
    const term = text.toString('utf8', from, to)
    const steps = stepsBetween(wanted, term, most)
    if (steps > most || !onlyLetters.test(term)) continue
    const chunks = chunksWith(ordinal)
    if (chunks === 0) continue
    const held = near.get(term)
    if (held === undefined || steps < held.steps) near.set(term, { term, steps, chunks: (held?.chunks ?? 0) + chunks })
    else held.chunks += chunks
  }
}

/** Which bytes there are, by their low five bits: two texts that differ in so many letters differ in at most twice as many bits. */
function lettersOf(bytes: Uint8Array, from: number, to: number): number {
  let mask = 0
  for (let at = from; at < to; at++) mask |= 1 << (u8(bytes, at) & 31)
  return mask
}

function bitsOf(mask: number): number {
  let left = mask
  let count = 0
  for (; left !== 0; count++) left &= left - 1
  return count
}

/** Letters that are added, left out, replaced or exchanged with their neighbour; anything above `most` where there are more. */
export function stepsBetween(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) > most) return most + 1
  let before: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let row = 1; row <= one.length; row++) {
    const next = [row]
    let least = row
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1]
      let steps = Math.min(
        (last[column] ?? 0) + 1,
        (next[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
      )
      const isExchanged =
        row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      if (isExchanged) steps = Math.min(steps, (before[column - 2] ?? 0) + 1)
      next.push(steps)
      least = Math.min(least, steps)
    }
    if (least > most) return most + 1
    before = last
    last = next
  }
  return last[other.length] ?? most + 1
}
