import { type Segment, u8, u32 } from './segment.ts'

/** @returns ordinal of the term with these bytes, or -1 */
export function findTerm(segment: Segment, bytes: Uint8Array): number {
  const { termStart, termBytes } = segment
  let low = 0
  let high = segment.termCount - 1
  while (low <= high) {
    const middle = (low + high) >>> 1
    const order = compareBytes(termBytes, u32(termStart, middle), u32(termStart, middle + 1), bytes)
    if (order === 0) return middle
    if (order < 0) low = middle + 1
    else high = middle - 1
  }
  return -1
}

/** Negative, zero or positive, as the bytes of the range are before, equal to or after `others`. */
function compareBytes(bytes: Uint8Array, from: number, to: number, others: Uint8Array): number {
  const length = Math.min(to - from, others.length)
  for (let at = 0; at < length; at++) {
    const difference = u8(bytes, from + at) - u8(others, at)
    if (difference !== 0) return difference
  }
  return to - from - others.length
}

/** Compares two terms of any segments in the same order. */
export function compareTerms(one: Segment, oneTerm: number, other: Segment, otherTerm: number): number {
  const from = u32(one.termStart, oneTerm)
  const otherFrom = u32(other.termStart, otherTerm)
  const length = u32(one.termStart, oneTerm + 1) - from
  const otherLength = u32(other.termStart, otherTerm + 1) - otherFrom
  for (let at = 0; at < length && at < otherLength; at++) {
    const difference = u8(one.termBytes, from + at) - u8(other.termBytes, otherFrom + at)
    if (difference !== 0) return difference
  }
  return length - otherLength
}

const surrogate = /[\uD800-\uDFFF]/

/** In the order of their UTF-8 bytes, which equals the order of JavaScript strings if all characters have 16 bits. */
export function sortTerms(terms: Iterable<string>): readonly string[] {
  const sorted = [...terms]
  if (!sorted.some((term) => surrogate.test(term))) return sorted.sort()
  return sorted.sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
}
