import { lengthOf } from '../similarity.ts'
import { firstSignBytes, maxQueryNumber, strideUnit } from './dot-products.ts'

/** A vector as whole numbers: about `scale` times the numbers. */
export interface RoundedVector {
  readonly numbers: Int8Array | Int16Array
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

/** A vector in a byte for each dimension. */
export function roundToBytes(vector: Float32Array): RoundedVector {
  return roundTo(vector, new Int8Array(strideOf(vector.length)), maxCode)
}

/** A query: finer than the vectors, so that its own error hardly counts. */
export function roundQuery(vector: Float32Array): RoundedVector {
  return roundTo(vector, new Int16Array(strideOf(vector.length)), maxQueryNumber)
}

function roundTo(vector: Float32Array, numbers: Int8Array | Int16Array, max: number): RoundedVector {
  let largest = 0
  for (const number of vector) largest = Math.max(largest, Math.abs(number))
  // Kept as 32 bits: the error is that of the kept scale.
  const scale = Math.fround(largest / max)
  if (scale === 0) return { numbers, scale, error: lengthOf(vector) }
  let squares = 0
  for (let at = 0; at < vector.length; at++) {
    const number = vector[at] as number
    const rounded = Math.max(-max, Math.min(max, Math.round(number / scale)))
    numbers[at] = rounded
    squares += (number - rounded * scale) ** 2
  }
  return { numbers, scale, error: Math.sqrt(squares) }
}
