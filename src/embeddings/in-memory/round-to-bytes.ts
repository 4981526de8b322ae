import { lengthOf } from '../similarity.ts'
import { firstSignBytes, maxQueryNumber, strideUnit } from './dot-products.ts'

/** How a vector of length 1 was rounded to whole numbers: it is about `scale` times the numbers. */
export interface Rounding {
  readonly scale: number
  /** The length of the difference between the vector and its rounded form. */
  readonly error: number
}

const maxCode = 127

/** @returns bytes of a rounded vector: its dimensions, padded with zeros */
export function strideOf(dimensions: number): number {
  return Math.ceil(dimensions / strideUnit) * strideUnit
}

/** @returns bytes of the signs of a vector */
export function signBytesOf(dimensions: number): number {
  return Math.max(firstSignBytes, Math.ceil(dimensions / 8 / strideUnit) * strideUnit)
}

/**
 * Writes a bit for each number: whether it is negative. The bits after the last number are cleared: memory is used again.
 *
 * @param numbers a multiple of 8
 */
export function signsOf(numbers: Int8Array | Int16Array, signs: Uint8Array): void {
  for (let at = 0; at < numbers.length; at += 8) {
    let bits = 0
    for (let bit = 0; bit < 8; bit++) bits |= ((numbers[at + bit] as number) >>> 31) << bit
    signs[at >> 3] = bits
  }
  signs.fill(0, numbers.length >> 3)
}

/**
 * Rounds a vector, made one of length 1, to a byte for each dimension.
 *
 * @param codes where the bytes are written: `strideOf` of them. Nothing else is allocated, because a start rounds millions of vectors
 */
export function roundToBytes(vector: Float32Array, codes: Int8Array): Rounding {
  return roundTo(vector, codes, maxCode)
}

/** A query: finer than the vectors, so that its own error hardly counts. */
export function roundQuery(vector: Float32Array): Rounding & { readonly numbers: Int16Array } {
  const numbers = new Int16Array(strideOf(vector.length))
  return { ...roundTo(vector, numbers, maxQueryNumber), numbers }
}

/** The same numbers as of `unitLength`, which are not written anywhere. */
function roundTo(vector: Float32Array, numbers: Int8Array | Int16Array, max: number): Rounding {
  numbers.fill(0, vector.length)
  // A vector of zeros has no direction.
  const length = lengthOf(vector) || 1
  let largest = 0
  for (let at = 0; at < vector.length; at++) largest = Math.max(largest, Math.abs(vector[at] as number))
  // Kept as 32 bits: the error is that of the kept scale.
  const scale = Math.fround(Math.fround(largest / length) / max)
  if (scale === 0) {
    numbers.fill(0)
    return { scale, error: 0 }
  }
  let squares = 0
  for (let at = 0; at < vector.length; at++) {
    const number = Math.fround((vector[at] as number) / length)
    const rounded = Math.max(-max, Math.min(max, Math.round(number / scale)))
    numbers[at] = rounded
    squares += (number - rounded * scale) ** 2
  }
  return { scale, error: Math.sqrt(squares) }
}
