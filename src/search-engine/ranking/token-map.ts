import { u16 } from '../segments/segment.ts'

/** Few enough that creating and reading the array costs nothing, enough that few tokens share one with a word of the query. */
export const lowestBits = 0x1_ff

/**
 * Maps the tokens of a query to numbers. A hash table of the size of the query: creating an array of all 65,536 tokens cost
 * more than most searches.
 */
export class TokenMap {
  /** For each value of the lowest bits of a token, 1 if a token of the map has it: 0 for nearly all other tokens. */
  readonly lowest = new Uint8Array(lowestBits + 1)
  readonly #mask: number
  readonly #tokens: Uint16Array
  readonly #numbers: Uint16Array

  /** @param tokens non-zero, each with its number; the last number of a repeated token counts */
  constructor(tokens: readonly (readonly [token: number, number: number])[]) {
    const slots = 2 ** Math.ceil(Math.log2(Math.max(tokens.length, 1) * 4))
    this.#mask = slots - 1
    this.#tokens = new Uint16Array(slots)
    this.#numbers = new Uint16Array(slots)
    for (const [token, number] of tokens) {
      const slot = this.#slotOf(token)
      this.#tokens[slot] = token
      this.#numbers[slot] = number
      this.lowest[token & lowestBits] = 1
    }
  }

  /** @returns -1: the query does not contain the token */
  numberOf(token: number): number {
    const slot = this.#slotOf(token)
    return token !== 0 && u16(this.#tokens, slot) === token ? u16(this.#numbers, slot) : -1
  }

  /** The index of the token, or the free index for it. */
  #slotOf(token: number): number {
    let slot = token & this.#mask
    for (let held = u16(this.#tokens, slot); held !== 0 && held !== token; held = u16(this.#tokens, slot))
      slot = (slot + 1) & this.#mask
    return slot
  }
}
