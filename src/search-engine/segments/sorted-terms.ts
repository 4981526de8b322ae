import { compareRanges } from './compare-bytes.ts'
import { type Segment, u32 } from './segment.ts'

/** @returns ordinal of the term with these bytes, or -1 */
export function findTerm(segment: Segment, bytes: Uint8Array): number {
  const { termStart, termBytes } = segment
  let low = 0
  let high = segment.termCount - 1
  while (low <= high) {
    const middle = (low + high) >>> 1
    const order = compareRanges(termBytes, u32(termStart, middle), u32(termStart, middle + 1), bytes, 0, bytes.length)
    if (order === 0) return middle
    if (order < 0) low = middle + 1
    else high = middle - 1
  }
  return -1
}

const surrogate = /[\uD800-\uDFFF]/

/** In the order of their UTF-8 bytes, which equals the order of JavaScript strings if all characters have 16 bits. */
export function sortTerms(terms: Iterable<string>): readonly string[] {
  const sorted = [...terms]
  if (!sorted.some((term) => surrogate.test(term))) return sorted.sort()
  return sorted.sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
}
