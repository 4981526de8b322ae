/**
 * In how many signs a vector differs from a query says little about their similarity where the numbers of the query differ much. So the
 * differing signs are weighted with the numbers of the query, by a table for each byte of signs.
 */
export class WeightedSigns {
  readonly #weights: Uint16Array
  #bytes = 0

  /** @param signBytes bytes of the signs of a vector */
  constructor(signBytes: number) {
    this.#weights = new Uint16Array(signBytes * 256)
  }

  /** @param numbers of the query: at most `maxQueryNumber` each, so that eight of them fit into 16 bits */
  setQuery(numbers: Int16Array): void {
    this.#bytes = Math.ceil(numbers.length / 8)
    for (let byte = 0; byte < this.#bytes; byte++) this.#setByte(byte, numbers)
  }

  /** Begins with the signs of the query, which differ in nothing: each further bit adds or takes out one number. */
  #setByte(byte: number, numbers: Int16Array): void {
    const weights = this.#weights
    const from = byte * 256
    let none = 0
    for (let bit = 0; bit < 8; bit++) none += Math.max(0, -(numbers[byte * 8 + bit] ?? 0))
    weights[from] = none
    for (let bit = 0; bit < 8; bit++) {
      const number = numbers[byte * 8 + bit] ?? 0
      const signs = 1 << bit
      for (let before = 0; before < signs; before++)
        weights[from + signs + before] = (weights[from + before] as number) + number
    }
  }

  /**
   * The sum of the query's numbers whose signs differ.
   *
   * @param signs of one or more vectors
   * @param at where those of the vector begin
   * @param first which of the bytes of a vector's signs these are: those from here on
   * @param bytes how many
   */
  differing(signs: Uint8Array, at: number, first: number, bytes: number): number {
    const weights = this.#weights
    const end = Math.min(bytes, this.#bytes - first)
    let sum = 0
    for (let byte = 0; byte < end; byte++) sum += weights[(first + byte) * 256 + (signs[at + byte] as number)] as number
    return sum
  }
}
