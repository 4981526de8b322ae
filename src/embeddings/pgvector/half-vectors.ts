import { lengthOf } from '../similarity.ts'

/** pgvector stores at most this many numbers of 16 bits. */
const maxNumbers = 16_000

/** The text of a vector of numbers of 16 bits, as pgvector reads it; null: it is too long for pgvector. */
export function halfText(vector: Float32Array): string | null {
  return vector.length > maxNumbers ? null : `[${Float16Array.from(vector).join(',')}]`
}

/** The relative error of a number of 16 bits: it has eleven binary digits. */
const relativeError = 2 ** -11
/** The absolute error of numbers below 2^-14. */
const smallError = 2 ** -25

/**
 * By how much the product of two rounded vectors, as pgvector computes it, can differ from the similarity of the exact ones: the error of
 * the vector by the query, the error of the query by the rounded vector (Cauchy and Schwarz), and the rounding of sums of 32 bits.
 *
 * @param query of length 1
 */
export function halfMargin(query: Float32Array): number {
  const halves = Float16Array.from(query)
  const queryError = lengthOf(query.map((number, at) => number - (halves[at] as number)))
  const error = relativeError + smallError * Math.sqrt(query.length)
  const sums = query.length * 2 ** -23
  return error + queryError * (1 + error) + sums + 1e-6
}
