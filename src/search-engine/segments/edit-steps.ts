import { u16 } from './segment.ts'

/**
 * Compares words by edit steps. A step adds, removes or replaces a character, or swaps two adjacent ones; swapped characters
 * cannot be changed again.
 */
export class StepComparison {
  readonly #word: Uint16Array
  #letters: Uint16Array = new Uint16Array(0)
  #to = 0

  constructor(word: Uint16Array) {
    this.#word = word
  }

  /** Whether the word is at most this many steps away from a range of characters. */
  isWithin(steps: number, letters: Uint16Array, from: number, to: number): boolean {
    this.#letters = letters
    this.#to = to
    return this.#isRestWithin(steps, 0, from)
  }

  /** Equal characters at the beginning need no step in a shortest edit. */
  #isRestWithin(steps: number, from: number, otherFrom: number): boolean {
    const word = this.#word
    const letters = this.#letters
    let i = from
    let j = otherFrom
    while (i < word.length && j < this.#to && u16(word, i) === u16(letters, j)) {
      i++
      j++
    }
    const left = word.length - i
    const otherLeft = this.#to - j
    if (left === 0 || otherLeft === 0) return left + otherLeft <= steps
    if (steps === 0 || Math.abs(left - otherLeft) > steps) return false
    return (
      (this.#areExchanged(i, j) && this.#isRestWithin(steps - 1, i + 2, j + 2)) ||
      this.#isRestWithin(steps - 1, i + 1, j + 1) ||
      this.#isRestWithin(steps - 1, i + 1, j) ||
      this.#isRestWithin(steps - 1, i, j + 1)
    )
  }

  #areExchanged(i: number, j: number): boolean {
    if (i + 1 >= this.#word.length || j + 1 >= this.#to) return false
    return u16(this.#word, i) === u16(this.#letters, j + 1) && u16(this.#word, i + 1) === u16(this.#letters, j)
  }
}
