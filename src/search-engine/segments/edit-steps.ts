import { u16 } from './segment.ts'

/** How a step changes the first or the last characters: how many it takes from the word, and how many from the other one. */
const replaced = 0
const removed = 1
const added = 2
const swapped = 3
const ofWord = [1, 1, 0, 2] as const
const ofOther = [1, 0, 1, 2] as const
const kinds = [replaced, removed, added, swapped] as const

/**
 * Compares words by edit steps. A step adds, removes or replaces a character, or swaps two adjacent ones; swapped characters
 * cannot be changed again.
 *
 * Equal characters at the beginning and at the end need no step. What is left begins with a step and ends with one, so for two steps the
 * characters between them must be equal.
 */
export class StepComparison {
  readonly #word: Uint16Array
  #letters: Uint16Array = new Uint16Array(0)

  constructor(word: Uint16Array) {
    this.#word = word
  }

  /** Whether the word is at most this many steps away from a range of characters. */
  isWithin(steps: 1 | 2, letters: Uint16Array, otherFrom: number, otherTo: number): boolean {
    this.#letters = letters
    const word = this.#word
    let from = 0
    let other = otherFrom
    while (from < word.length && other < otherTo && u16(word, from) === u16(letters, other)) {
      from++
      other++
    }
    let to = word.length
    let otherEnd = otherTo
    while (to > from && otherEnd > other && u16(word, to - 1) === u16(letters, otherEnd - 1)) {
      to--
      otherEnd--
    }
    const left = to - from
    const otherLeft = otherEnd - other
    if (left === 0 || otherLeft === 0) return left + otherLeft <= steps
    if (left === 1 && otherLeft === 1) return true
    if (left === 2 && otherLeft === 2 && this.#areSwapped(from, other)) return true
    return steps === 2 && this.#areTwoAway(from, to, other, otherEnd)
  }

  /** Whether one step at the beginning and one at the end make two ranges equal. */
  #areTwoAway(from: number, to: number, other: number, otherTo: number): boolean {
    for (const first of kinds) {
      if (first === swapped && !this.#areSwapped(from, other)) continue
      for (const last of kinds) {
        const length = to - from - ofWord[first] - ofWord[last]
        if (length < 0 || length !== otherTo - other - ofOther[first] - ofOther[last]) continue
        if (last === swapped && !this.#areSwapped(to - 2, otherTo - 2)) continue
        if (this.#areEqual(from + ofWord[first], other + ofOther[first], length)) return true
      }
    }
    return false
  }

  /** Whether the next two characters are those of the other word in reverse order. */
  #areSwapped(at: number, other: number): boolean {
    const word = this.#word
    const letters = this.#letters
    return u16(word, at) === u16(letters, other + 1) && u16(word, at + 1) === u16(letters, other)
  }

  #areEqual(from: number, other: number, length: number): boolean {
    const word = this.#word
    const letters = this.#letters
    for (let at = 0; at < length; at++) if (u16(word, from + at) !== u16(letters, other + at)) return false
    return true
  }
}
