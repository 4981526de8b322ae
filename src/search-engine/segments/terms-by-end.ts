import { type Segment, u8, u32 } from './segment.ts'

/** Bytes of a term's end that decide its place. */
const endBytes = 4

/** Fills `termsByEnd` of a segment whose terms stand: one counting sort for each byte, the last byte of the terms last. */
export function sortTermsByEnd({ termCount, termStart, termBytes, termsByEnd }: Segment): void {
  let order = Uint32Array.from({ length: termCount }, (_, term) => term)
  let next = new Uint32Array(termCount)
  for (let place = endBytes; place > 0; place--) {
    const starts = new Uint32Array(257)
    for (let term = 0; term < termCount; term++) {
      const byte = byteFromEnd(termBytes, u32(termStart, term), u32(termStart, term + 1), place)
      starts[byte + 1] = u32(starts, byte + 1) + 1
    }
    for (let byte = 0; byte < 256; byte++) starts[byte + 1] = u32(starts, byte + 1) + u32(starts, byte)
    for (let at = 0; at < termCount; at++) {
      const term = u32(order, at)
      const byte = byteFromEnd(termBytes, u32(termStart, term), u32(termStart, term + 1), place)
      next[u32(starts, byte)] = term
      starts[byte] = u32(starts, byte) + 1
    }
    ;[order, next] = [next, order]
  }
  termsByEnd.set(order)
}

/** @returns terms that end in some bytes, and perhaps others: only the last four decide */
export function termsWithEnd(segment: Segment, end: Uint8Array): Uint16Array | Uint32Array {
  const { termCount, termsByEnd } = segment
  const from = firstWhere(termCount, (at) => compareEnd(segment, termsByEnd[at] ?? 0, end) >= 0)
  const to = firstWhere(termCount, (at) => compareEnd(segment, termsByEnd[at] ?? 0, end) > 0)
  return termsByEnd.subarray(from, to)
}

function compareEnd({ termStart, termBytes }: Segment, term: number, end: Uint8Array): number {
  const [from, to] = [u32(termStart, term), u32(termStart, term + 1)]
  for (let place = 1; place <= endBytes && place <= end.length; place++) {
    const difference = byteFromEnd(termBytes, from, to, place) - u8(end, end.length - place)
    if (difference !== 0) return difference
  }
  return 0
}

/** @returns 0 where the text is shorter */
function byteFromEnd(bytes: Uint8Array, from: number, to: number, place: number): number {
  return to - place < from ? 0 : u8(bytes, to - place)
}

function firstWhere(count: number, isBeyond: (at: number) => boolean): number {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isBeyond(middle)) high = middle
    else low = middle + 1
  }
  return low
}
