import { u8, u16 } from './segment.ts'

/** Numbers of a state: for 0, 1 and 2 steps the places in the word that are reached, for 0 and 1 the places whose two next letters may be exchanged. */
const stateSize = 5
/** A letter is looked for at so many places of the word. */
const mostLetters = 8

/**
 * Reads terms letter by letter and knows how near they are to a word. A step is a letter that is added, left out, replaced, or
 * exchanged with its neighbour. After `depth` letters of a term only places of the word within `most` of `depth` matter: bit b of a
 * number stands for the place depth - most + b. The states of a term's beginning are kept, so that terms with the same one share them.
 */
export class StepAutomaton {
  readonly most: 1 | 2
  readonly length: number
  /** The word, between letters that no term has. */
  readonly #word: Uint16Array
  readonly #strict: number
  readonly #states: Uint8Array
  readonly #letters: Uint16Array

  /** @param strict letters at the beginning of the word up to which terms have one step less than `most`; -1: none */
  constructor(word: string, most: 1 | 2, strict: number) {
    this.most = most
    this.length = word.length
    this.#strict = strict
    this.#word = new Uint16Array(word.length + 4 * most + 6)
    for (let at = 0; at < word.length; at++) this.#word[at + most + 1] = word.charCodeAt(at)
    // A longer term is too far away before its next letter is read.
    const depths = word.length + most + 2
    this.#states = new Uint8Array(depths * stateSize)
    this.#letters = new Uint16Array(depths * mostLetters)
    this.#states[0] = 1 << most
    this.#prune(0)
  }

  /** Whether a term of so many letters, all of which were read, is within `most` steps. */
  isNear(depth: number): boolean {
    const place = this.length - depth + this.most
    return place >= 0 && ((this.#reached(depth) >>> place) & 1) === 1
  }

  /** Reads a letter after `depth - 1` others. @returns whether a term that begins with these may be near enough */
  read(letter: number, depth: number): boolean {
    const same = this.#placesOf(letter, depth - 1)
    const before = (depth - 1) * stateSize
    const [none, one, two] = [u8(this.#states, before), u8(this.#states, before + 1), u8(this.#states, before + 2)]
    const exchanged0 = u8(this.#states, before + 3) & same
    const exchanged1 = u8(this.#states, before + 4) & same
    const [here, next] = [same >>> 1, same >>> 2]
    const at = depth * stateSize
    this.#states[at] = none & here
    this.#states[at + 1] = (one & here) | none | (none >>> 1) | exchanged0
    this.#states[at + 2] = this.most === 1 ? 0 : (two & here) | one | (one >>> 1) | exchanged1
    this.#states[at + 3] = none & next
    this.#states[at + 4] = this.most === 1 ? 0 : one & next
    return this.#prune(depth)
  }

  /**
   * Finds the letters, ascending, one of which has to follow `depth` others in a term that is near enough.
   *
   * @returns how many there are, for `letterAfter`; -1: any letter may follow
   */
  findLetters(depth: number): number {
    const { most } = this
    const at = depth * stateSize
    const fewer = most === 2 ? u8(this.#states, at) : 0
    const few = u8(this.#states, at + most - 1)
    if (fewer !== 0 || (few & this.#placesFrom(depth, this.#strict)) !== 0) return -1
    // Of two letters that are exchanged the second one read stands at the place before the state's.
    const exchanged = (u8(this.#states, at + 3) | u8(this.#states, at + 4)) >>> 1
    let count = 0
    for (let left = this.#reached(depth) | exchanged; left !== 0; left &= left - 1)
      this.#insertLetter(depth, count++, u16(this.#word, depth + 32 - Math.clz32(left & -left)))
    return count
  }

  letterAfter(depth: number, index: number): number {
    return u16(this.#letters, depth * mostLetters + index)
  }

  #insertLetter(depth: number, count: number, letter: number): void {
    const from = depth * mostLetters
    let to = from + count
    for (; to > from && u16(this.#letters, to - 1) > letter; to--) this.#letters[to] = u16(this.#letters, to - 1)
    this.#letters[to] = letter
  }

  /** Adds places after letters of the word that are left out, and forgets those that are too far away. @returns whether any is left */
  #prune(depth: number): boolean {
    const { most } = this
    const at = depth * stateSize
    const inside = ~this.#placesFrom(depth, this.length + 1) & ((1 << (2 * most + 1)) - 1)
    const afterStrict = this.#placesFrom(depth, this.#strict + 1)
    const none = u8(this.#states, at) & inside
    const one = (u8(this.#states, at + 1) | (none << 1)) & inside & (most === 1 ? afterStrict : -1)
    const two = most === 1 ? 0 : (u8(this.#states, at + 2) | (one << 1)) & inside & afterStrict
    this.#states[at] = none
    this.#states[at + 1] = one
    this.#states[at + 2] = two
    return (none | one | two) !== 0
  }

  #reached(depth: number): number {
    const at = depth * stateSize
    return u8(this.#states, at) | u8(this.#states, at + 1) | u8(this.#states, at + 2)
  }

  /** Bits of the places from one on. */
  #placesFrom(depth: number, place: number): number {
    const bit = place - depth + this.most
    return bit <= 0 ? -1 : bit > 30 ? 0 : -1 << bit
  }

  /** Where the word has a letter: the lowest bit is one place before those of the state. */
  #placesOf(letter: number, depth: number): number {
    let places = 0
    for (let bit = 2 * this.most + 2; bit >= 0; bit--)
      places = (places << 1) | (u16(this.#word, depth + bit) === letter ? 1 : 0)
    return places
  }
}
