import { compareRanges } from './compare-bytes.ts'
import { u8, u32 } from './segment.ts'

/** Byte strings in sequence; one more offset than strings. */
export interface ByteTexts {
  readonly start: Uint32Array
  readonly bytes: Uint8Array
}

/** Bits for the ordinal in a key; limits the number of strings that can be sorted. */
const ordinalBits = 24
export const maxTexts = 2 ** ordinalBits
/** Bytes of a string in a key, beside its ordinal. */
const keyBytes = 5
/** Fewer strings with the same key are compared one by one. */
const fewTexts = 24

/**
 * Ordinals of byte strings in ascending byte order. The first bytes and the ordinal form one number, and numbers are sorted
 * without a call for each comparison. Strings with equal first bytes are sorted by the next bytes.
 */
export function sortByBytes(texts: ByteTexts, count: number): Uint32Array {
  if (count > maxTexts) throw new RangeError(`${count} terms are too many for a segment`)
  const ordinals = new Uint32Array(count)
  for (let at = 0; at < count; at++) ordinals[at] = at
  const runs: Run[] = [{ from: 0, to: count, depth: 0 }]
  for (let run = runs.pop(); run !== undefined; run = runs.pop()) sortRun(texts, ordinals, run, runs)
  return ordinals
}

/** Ordinals of strings with the same first bytes. */
interface Run {
  readonly from: number
  readonly to: number
  /** The number of equal bytes. */
  readonly depth: number
}

function sortRun(texts: ByteTexts, ordinals: Uint32Array, { from, to, depth }: Run, runs: Run[]): void {
  const run = ordinals.subarray(from, to)
  // Keys cannot tell them apart: they end in zeros.
  if (run.every((ordinal) => lengthOf(texts, ordinal) <= depth)) {
    run.sort((one, other) => compareTexts(texts, one, other))
    return
  }
  const keys = sortedKeys(texts, run, depth)
  let begin = 0
  for (let at = 0; at < run.length; at++) {
    run[at] = u32(keys, at * 2) & (maxTexts - 1)
    if (at + 1 < run.length && isSameKey(keys, at, at + 1)) continue
    if (at - begin >= fewTexts) runs.push({ from: from + begin, to: from + at + 1, depth: depth + keyBytes })
    else if (at > begin) sortFew(texts, run, begin, at + 1)
    begin = at + 1
  }
}

/** Sorts by insertion: most runs have two or three strings, for which a call of `sort` takes longer than the comparisons. */
function sortFew(texts: ByteTexts, run: Uint32Array, from: number, to: number): void {
  for (let at = from + 1; at < to; at++) {
    const ordinal = u32(run, at)
    let place = at
    while (place > from && compareTexts(texts, u32(run, place - 1), ordinal) > 0) {
      run[place] = u32(run, place - 1)
      place--
    }
    run[place] = ordinal
  }
}

/** Two 32-bit numbers for each string, the lower one first. */
function sortedKeys({ start, bytes }: ByteTexts, run: Uint32Array, depth: number): Uint32Array {
  const keys = new BigUint64Array(run.length)
  const halves = new Uint32Array(keys.buffer)
  for (let at = 0; at < run.length; at++) {
    const ordinal = u32(run, at)
    const end = u32(start, ordinal + 1)
    const from = u32(start, ordinal) + depth
    const byte = (place: number): number => (from + place < end ? u8(bytes, from + place) : 0)
    halves[at * 2] = ((byte(4) << ordinalBits) | ordinal) >>> 0
    halves[at * 2 + 1] = ((byte(0) << 24) | (byte(1) << 16) | (byte(2) << 8) | byte(3)) >>> 0
  }
  keys.sort()
  return halves
}

function isSameKey(keys: Uint32Array, one: number, other: number): boolean {
  return (
    u32(keys, one * 2 + 1) === u32(keys, other * 2 + 1) &&
    u32(keys, one * 2) >>> ordinalBits === u32(keys, other * 2) >>> ordinalBits
  )
}

function lengthOf({ start }: ByteTexts, ordinal: number): number {
  return u32(start, ordinal + 1) - u32(start, ordinal)
}

function compareTexts({ start, bytes }: ByteTexts, one: number, other: number): number {
  return compareRanges(bytes, u32(start, one), u32(start, one + 1), bytes, u32(start, other), u32(start, other + 1))
}
