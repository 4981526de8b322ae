import { StepComparison } from './edit-steps.ts'
import { letterAt, sizeOfLetter } from './letters-of-bytes.ts'
import { type Segment, u16, u32 } from './segment.ts'

/** Characters. Longer terms are never corrections of misspelt words. */
const longestWord = 42
/** Terms that a search may have to read: about ten milliseconds. */
const maxUnread = 50_000
const onlyLetters = /^(?:(\p{Script=Latin}+)|(\p{Script=Cyrillic}+)|(\p{Script=Greek}+))$/u

/**
 * The distinct words among the terms of segments: terms with letters of one script. They are grouped by script and length, each
 * with a signature of its letters. So the words near a misspelt one are found by comparing a number with those of words of
 * similar length.
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

  /** Reads this many terms, unless few are left: the next `near` reads these. @returns whether more than few are left */
  readSome(terms: number): boolean {
    if (this.#unreadTerms > maxUnread) this.#read(terms)
    return this.#unreadTerms > maxUnread
  }

  /**
   * @returns the words within this many steps of a word (`StepComparison`), in no particular order; none unless it has letters
   * of one script only
   */
  near(word: string, steps: 1 | 2): readonly string[] {
    this.#read(this.#unreadTerms)
    const script = scriptOf(word)
    if (script === 0) return []
    const letters = Uint16Array.from(word, (letter) => letter.charCodeAt(0))
    const found: string[] = []
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

  #readTerms({ termStart, termBytes }: Segment, from: number, to: number): void {
    for (let term = from; term < to; term++) {
      const length = this.#readLetters(termBytes, u32(termStart, term), u32(termStart, term + 1))
      const script = length === 0 ? 0 : scriptOfLetters(this.#letters, length)
      if (script !== 0) this.#groupOf(script, length).add(this.#letters)
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

/** The distinct words of one script and one length. */
class WordGroup {
  count = 0
  readonly #length: number
  /** The words in sequence. */
  #letters: Uint16Array
  #signatures: Uint32Array
  /** A hash table of the words: 0, or the number of a word plus one. */
  #slots: Uint32Array

  constructor(length: number) {
    this.#length = length
    this.#letters = new Uint16Array(8 * length)
    this.#signatures = new Uint32Array(8)
    this.#slots = new Uint32Array(16)
  }

  /** @param word its first characters are the word */
  add(word: Uint16Array): void {
    const param = this.#slotOf(word)
    if (u32(this.#slots, param) !== 0) return
    if (this.count === this.#signatures.length) {
      this.#grow()
      this.#insert(word, this.#slotOf(word))
    } else this.#insert(word, param)
  }

  collectNear(word: Uint16Array, steps: 1 | 2, found: string[]): void {
    const comparison = new StepComparison(word)
    const wanted = signatureOf(word, word.length)
    const signatures = this.#signatures
    const letters = this.#letters
    const length = this.#length
    const count = this.count
    for (let at = 0; at < count; at++) {
      // A step adds and removes at most one kind of letter.
      let different = u32(signatures, at) ^ wanted
      different &= different - 1
      different &= different - 1
      if (steps === 2) {
        different &= different - 1
        different &= different - 1
      }
      if (different === 0 && comparison.isWithin(steps, letters, at * length, (at + 1) * length))
        found.push(String.fromCharCode(...letters.subarray(at * length, (at + 1) * length)))
    }
  }

  #insert(word: Uint16Array, param: number): void {
    this.#letters.set(word.subarray(0, this.#length), this.count * this.#length)
    this.#signatures[this.count] = signatureOf(word, this.#length)
    this.#slots[param] = ++this.count
  }

  #grow(): void {
    const size = Math.ceil(this.count * 1.5)
    const [letters, signatures] = [this.#letters, this.#signatures]
    this.#letters = new Uint16Array(size * this.#length)
    this.#letters.set(letters)
    this.#signatures = new Uint32Array(size)
    this.#signatures.set(signatures)
    if (this.#slots.length >= size * 1.5) return
    this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(size * 1.5)))
    for (let at = 0; at < this.count; at++) {
      const param = this.#slotOf(letters.subarray(at * this.#length, (at + 1) * this.#length))
      this.#slots[param] = at + 1
    }
  }

  /** The index of the word in the table, or the free index for it. */
  #slotOf(word: Uint16Array): number {
    const mask = this.#slots.length - 1
    let param = hashOf(word, this.#length) & mask
    for (
      let held = u32(this.#slots, param);
      held !== 0 && !this.#isWord(held - 1, word);
      held = u32(this.#slots, param)
    )
      param = (param + 1) & mask
    return param
  }

  #isWord(at: number, word: Uint16Array): boolean {
    const from = at * this.#length
    for (let letter = 0; letter < this.#length; letter++)
      if (u16(this.#letters, from + letter) !== u16(word, letter)) return false
    return true
  }
}

/** A bit for each kind of letter: different letters of one script rarely share a bit. */
function signatureOf(word: Uint16Array, length: number): number {
  let signature = 0
  for (let at = 0; at < length; at++) signature |= 1 << u16(word, at)
  return signature
}

function hashOf(word: Uint16Array, length: number): number {
  let hash = 0x81_1c_9d_c5
  for (let at = 0; at < length; at++) hash = Math.imul(hash ^ u16(word, at), 0x01_00_01_93)
  return hash ^ (hash >>> 15)
}
