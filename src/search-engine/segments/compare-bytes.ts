import { u8 } from './segment.ts'

/** Negative, zero or positive, as the first range of bytes is before, equal to or after the second. No object is made for it. */
export function compareRanges(
  one: Uint8Array,
  from: number,
  to: number,
  other: Uint8Array,
  otherFrom: number,
  otherTo: number,
): number {
  const length = Math.min(to - from, otherTo - otherFrom)
  for (let at = 0; at < length; at++) {
    const difference = u8(one, from + at) - u8(other, otherFrom + at)
    if (difference !== 0) return difference
  }
  return to - from - (otherTo - otherFrom)
}
