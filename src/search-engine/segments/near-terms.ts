import { letterAt, sizeOfLetter } from './letters-of-bytes.ts'
import { type Segment, u32 } from './segment.ts'
import { StepAutomaton } from './step-automaton.ts'
import { termsWithEnd } from './terms-by-end.ts'

/** Longer ends would not leave out more terms. */
const mostEnd = 4
const mostLetterBytes = 3

/**
 * Finds the terms of segments within `most` steps of a word (`StepAutomaton`). Of so many mistakes the end of the word has none, or
 * its beginning has one less: terms with the same end are compared, and of the others only those are read that begin nearly like
 * the word. So the time grows with the terms that are like the word, not with all.
 */
export class NearTerms {
  readonly #end: Uint8Array
  /** Bytes that the shortest and the longest near term may have. */
  readonly #fewestBytes: number
  readonly #mostBytes: number
  readonly #whole: StepAutomaton
  readonly #beginning: StepAutomaton

  constructor(word: string, most: 1 | 2) {
    const beginning = Math.max((word.length - 1) >> 1, word.length - 1 - mostEnd)
    this.#end = Buffer.from(word.slice(beginning + 1))
    const sizes = Array.from(word, (letter) => Buffer.byteLength(letter))
    const bytes = Buffer.byteLength(word)
    this.#fewestBytes = bytes - most * Math.max(...sizes)
    this.#mostBytes = bytes + most * mostLetterBytes
    this.#whole = new StepAutomaton(word, most, -1)
    this.#beginning = new StepAutomaton(word, most, beginning)
  }

  /** @returns ordinals */
  of(segment: Segment): readonly number[] {
    const walk = new TermWalk(segment, this.#beginning)
    walk.collect(0, segment.termCount, 0, 0)
    return [...new Set([...this.#withEnd(segment), ...walk.found])]
  }

  #withEnd(segment: Segment): readonly number[] {
    const { termStart } = segment
    const found: number[] = []
    for (const term of termsWithEnd(segment, this.#end)) {
      const bytes = u32(termStart, term + 1) - u32(termStart, term)
      if (bytes < this.#fewestBytes || bytes > this.#mostBytes) continue
      if (isNear(segment, term, this.#whole)) found.push(term)
    }
    return found
  }
}

function isNear({ termStart, termBytes }: Segment, term: number, automaton: StepAutomaton): boolean {
  const to = u32(termStart, term + 1)
  let depth = 0
  for (let at = u32(termStart, term); at < to; ) {
    const letter = letterAt(termBytes, at)
    if (!automaton.read(letter, ++depth)) return false
    at += sizeOfLetter(letter)
  }
  return automaton.isNear(depth)
}

/** Goes through the sorted terms, beginning by beginning. */
class TermWalk {
  readonly found: number[] = []
  readonly #segment: Segment
  readonly #automaton: StepAutomaton

  constructor(segment: Segment, automaton: StepAutomaton) {
    this.#segment = segment
    this.#automaton = automaton
  }

  /** Terms of a range, which have their first `depth` letters in common, all of which are read. */
  collect(from: number, to: number, bytes: number, depth: number): void {
    const { termStart } = this.#segment
    let term = from
    for (; term < to && u32(termStart, term + 1) - u32(termStart, term) === bytes; term++)
      if (this.#automaton.isNear(depth)) this.found.push(term)
    if (term === to) return
    const letters = this.#automaton.findLetters(depth)
    if (letters < 0) while (term < to) term = this.#collectNext(term, to, this.#letterOf(term, bytes), { bytes, depth })
    for (let index = 0; index < letters && term < to; index++) {
      const letter = this.#automaton.letterAfter(depth, index)
      term = this.#firstBeyond(term, to, bytes, letter - 1)
      if (term < to && this.#letterOf(term, bytes) === letter)
        term = this.#collectNext(term, to, letter, { bytes, depth })
    }
  }

  /** @returns the first term that has another next letter */
  #collectNext(
    term: number,
    to: number,
    letter: number,
    { bytes, depth }: { readonly bytes: number; readonly depth: number },
  ): number {
    const beyond = this.#firstBeyond(term, to, bytes, letter)
    if (this.#automaton.read(letter, depth + 1)) this.collect(term, beyond, bytes + sizeOfLetter(letter), depth + 1)
    return beyond
  }

  #letterOf(term: number, bytes: number): number {
    return letterAt(this.#segment.termBytes, u32(this.#segment.termStart, term) + bytes)
  }

  /** First term of a range whose next letter comes after the given one: it is looked for near the beginning first. */
  #firstBeyond(from: number, to: number, bytes: number, letter: number): number {
    let low = from
    let step = 1
    while (low + step <= to && this.#letterOf(low + step - 1, bytes) <= letter) {
      low += step
      step *= 2
    }
    let high = Math.min(low + step - 1, to)
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#letterOf(middle, bytes) <= letter) low = middle + 1
      else high = middle
    }
    return low
  }
}
