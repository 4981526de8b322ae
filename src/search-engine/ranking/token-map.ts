import { u16 } from '../segments/segment.ts'

/**
 * Numbers of a query's words by their tokens. A hash table of the size of the query: one slot for each of the 65,536 tokens cost
 * more to make than most searches take.
 */
export class TokenMap {
  readonly #mask: number
  readonly #tokens: Uint16Array
  readonly #numbers: Uint16Array

  /** @param tokens not 0, each with the number that it gets; of two numbers for one token the last counts */
  constructor(tokens: readonly (readonly [token: number, number: number])[]) {
    const slots = 2 ** Math.ceil(Math.log2(Math.max(tokens.length, 1) * 4))
    this.#mask = slots - 1
    this.#tokens = new Uint16Array(slots)
    this.#numbers = new Uint16Array(slots)
    for (const [token, number] of tokens) {
      const slot = this.#slotOf(token)
      this.#tokens[slot] = token
      this.#numbers[slot] = number
    }
  }

  /** @returns -1: it is no word of the query */
  numberOf(token: number): number {
    const slot = this.#slotOf(token)
    return token !== 0 && u16(this.#tokens, slot) === token ? u16(this.#numbers, slot) : -1
  }

  /** Where the token is, or would be. */
  #slotOf(token: number): number {
    let slot = token & this.#mask
    for (let held = u16(this.#tokens, slot); held !== 0 && held !== token; held = u16(this.#tokens, slot))
      slot = (slot + 1) & this.#mask
    return slot
  }
}
