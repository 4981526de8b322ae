import { letterAt, sizeOfLetter } from './letters-of-bytes.ts'
import { type Segment, u16, u32 } from './segment.ts'
import { type NearWord, WordGroup } from './word-group.ts'

/** Characters. Longer terms are never corrections of misspelt words. */
const longestWord = 42
/** Terms that a search may have to read: about ten milliseconds. */
const maxUnread = 50_000
const onlyLetters = /^(?:(\p{Script=Latin}+)|(\p{Script=Cyrillic}+)|(\p{Script=Greek}+))$/u

/**
 * The distinct words among the terms of segments: terms with letters of one script. They are grouped by script and length, so that
 * the words near a misspelt one are in few groups (`WordGroup`).
 *
 * It also contains words of removed segments: callers check which words occur in the documents of a search.
 */
export class KnownWords {
  /** Segments with unread terms, and the first unread one. Reading costs more than most searches, and most contain no error. */
  readonly #unread = new Map<Segment, number>()
  #unreadTerms = 0
  readonly #groups = new Map<number, WordGroup>()
  readonly #letters = new Uint16Array(longestWord)

  constructor(segments: Iterable<Segment> = []) {
    for (const segment of segments) this.add(segment)
  }

  get count(): number {
    let sum = 0
    for (const { count } of this.#groups.values()) sum += count
    return sum
  }

  add(segment: Segment): void {
    if (this.#unread.has(segment)) return
    this.#unread.set(segment, 0)
    this.#unreadTerms += segment.termCount
  }

  /** Segments became one with the same words. If it has fewer terms than theirs that are not read yet, it is read in their place. */
  replace(before: readonly Segment[], after: Segment): void {
    const unread = before.reduce((sum, segment) => sum + this.#unreadOf(segment), 0)
    // The postings of one that was moved must not stay in memory for its words.
    if (unread === 0 || (after.termCount >= unread && after.table === '')) return
    for (const segment of before) this.#unread.delete(segment)
    this.#unreadTerms -= unread
    this.add(after)
  }

  #unreadOf(segment: Segment): number {
    const from = this.#unread.get(segment)
    return from === undefined ? 0 : segment.termCount - from
  }

  /** Reads this many terms, unless few are left: the next `near` reads these. @returns whether more than few are left */
  readSome(terms: number): boolean {
    if (this.#unreadTerms > maxUnread) this.#read(terms)
    return this.#unreadTerms > maxUnread
  }

  /**
   * @returns the words within this many steps of a word (`StepComparison`), in no particular order; none unless it has letters
   * of one script only
   */
  near(word: string, steps: 1 | 2): readonly NearWord[] {
    this.#read(this.#unreadTerms)
    const script = scriptOf(word)
    if (script === 0) return []
    const letters = Uint16Array.from(word, (letter) => letter.charCodeAt(0))
    const found: NearWord[] = []
    for (let length = Math.max(1, letters.length - steps); length <= letters.length + steps; length++)
      this.#groups.get(groupOf(script, length))?.collectNear(letters, steps, found)
    return found
  }

  #read(terms: number): void {
    let left = terms
    for (const [segment, from] of this.#unread) {
      if (left <= 0) return
      const to = Math.min(from + left, segment.termCount)
      this.#readTerms(segment, from, to)
      if (to === segment.termCount) this.#unread.delete(segment)
      else this.#unread.set(segment, to)
      left -= to - from
      this.#unreadTerms -= to - from
    }
  }

  #readTerms({ termStart, termBytes, postingStart }: Segment, from: number, to: number): void {
    for (let term = from; term < to; term++) {
      const length = this.#readLetters(termBytes, u32(termStart, term), u32(termStart, term + 1))
      const script = length === 0 ? 0 : scriptOfLetters(this.#letters, length)
      const chunks = u32(postingStart, term + 1) - u32(postingStart, term)
      if (script !== 0) this.#groupOf(script, length).add(this.#letters, chunks)
    }
  }

  /** @returns the number of characters of the term; 0: it is too long, or not made of 16-bit letters */
  #readLetters(bytes: Uint8Array, from: number, to: number): number {
    let length = 0
    for (let at = from; at < to; ) {
      const letter = letterAt(bytes, at)
      if (length === longestWord || letter < firstLetter || letter > 0xff_ff) return 0
      this.#letters[length++] = letter
      at += sizeOfLetter(letter)
    }
    return length
  }

  #groupOf(script: number, length: number): WordGroup {
    const number = groupOf(script, length)
    let group = this.#groups.get(number)
    if (group === undefined) {
      group = new WordGroup(length)
      this.#groups.set(number, group)
    }
    return group
  }
}

function groupOf(script: number, length: number): number {
  return script * 64 + length
}

const firstLetter = 'A'.charCodeAt(0)

/** @returns 1, 2 or 3 for Latin, Cyrillic and Greek letters only; 0: it contains others */
function scriptOf(word: string): number {
  const match = onlyLetters.exec(word)
  return match === null ? 0 : match.indexOf(match[0], 1)
}

/** As `scriptOf`, faster for common letters, which most terms consist of. */
function scriptOfLetters(letters: Uint16Array, length: number): number {
  let latin = 0
  let cyrillic = 0
  for (let at = 0; at < length; at++) {
    const letter = u16(letters, at)
    if (letter >= 0x61 && letter <= 0x7a) latin++
    else if (letter >= 0x4_30 && letter <= 0x4_4f) cyrillic++
  }
  if (latin === length) return 1
  if (cyrillic === length) return 2
  return scriptOf(String.fromCharCode(...letters.subarray(0, length)))
}
