import { weightBytes } from './dot-products.ts'

const weightsOfByte = weightBytes / 2

/**
 * In how many signs a vector differs from a query says little about their similarity where the numbers of the query differ much. So the
 * differing signs are weighted with the numbers of the query: for each byte of signs, the sum of the numbers whose signs differ.
 *
 * @param numbers of the query: at most `maxQueryNumber` each, so that eight of them fit into 16 bits
 * @param weights 256 for each byte; those of bytes after the last number become 0
 */
export function weighSigns(numbers: Int16Array, weights: Uint16Array): void {
  weights.fill(0, Math.ceil(numbers.length / 8) * weightsOfByte)
  for (let first = 0; first < numbers.length; first += 8)
    weighByte(numbers.subarray(first, first + 8), weights, first * 32)
}

/** Begins with no negative number: each further bit adds or takes out one number. */
function weighByte(numbers: Int16Array, weights: Uint16Array, from: number): void {
  let none = 0
  for (let bit = 0; bit < 8; bit++) none += Math.max(0, -(numbers[bit] ?? 0))
  weights[from] = none
  for (let bit = 0; bit < 8; bit++) {
    const number = numbers[bit] ?? 0
    const signs = 1 << bit
    for (let before = 0; before < signs; before++)
      weights[from + signs + before] = (weights[from + before] as number) + number
  }
}
