import { compareRanges } from './compare-bytes.ts'
import { type Segment, u8, u32 } from './segment.ts'

/** Terms of several segments. */
export interface TermsToMerge {
  readonly segments: readonly Pick<Segment, 'termCount' | 'termStart' | 'termBytes'>[]
  /** For each segment and term, 0 if the term is not taken. */
  readonly taken: readonly Uint32Array[]
  /** Gets for each segment the new ordinals of the terms that are taken. */
  readonly numbers: readonly Uint32Array[]
}

/** For each merged term, ascending, a segment that has it, and its ordinal there. */
export interface TermOwners {
  readonly count: number
  readonly part: Uint32Array
  readonly term: Uint32Array
}

/** Merges the terms of several segments into one order; equal terms are one. */
export function mergeTerms(terms: TermsToMerge): TermOwners {
  return new TermMerge(terms).run()
}

/** Bytes of a key: the largest whole number of bytes that a number represents exactly. */
const keyBytes = 6
/** Of a byte, and of the end of a term, which is before all bytes. */
const digits = 257

/** Terms of some segments that begin with the same bytes: of each a range. */
class Ranges {
  count = 0
  readonly part: Uint32Array
  readonly next: Uint32Array
  readonly end: Uint32Array
  /** `#keyOf` the next terms; infinite: there are no more. */
  readonly key: Float64Array

  constructor(parts: number) {
    this.part = new Uint32Array(parts)
    this.next = new Uint32Array(parts)
    this.end = new Uint32Array(parts)
    this.key = new Float64Array(parts)
  }

  add(part: number, from: number, to: number): void {
    this.part[this.count] = part
    this.next[this.count] = from
    this.end[this.count++] = to
  }
}

/**
 * The next bytes of a term form one number, so that most comparisons look up no term again. Terms with the same number that are the only
 * ones of their segments, as most words that several segments have, are compared once; others are merged by their bytes after these.
 */
class TermMerge {
  readonly #terms: TermsToMerge
  readonly #starts: readonly Uint32Array[]
  readonly #bytes: readonly Uint8Array[]
  readonly #part: Uint32Array
  readonly #term: Uint32Array
  #count = 0
  /** By the number of keys before them. */
  readonly #levels: Ranges[] = []

  constructor(terms: TermsToMerge) {
    this.#terms = terms
    this.#starts = terms.segments.map(({ termStart }) => termStart)
    this.#bytes = terms.segments.map(({ termBytes }) => termBytes)
    const max = terms.segments.reduce((sum, { termCount }) => sum + termCount, 0)
    this.#part = new Uint32Array(max)
    this.#term = new Uint32Array(max)
  }

  run(): TermOwners {
    const all = this.#rangesAt(0)
    for (const [part, { termCount }] of this.#terms.segments.entries()) {
      const first = this.#following(part, -1, termCount)
      if (first < termCount) all.add(part, first, termCount)
    }
    this.#merge(0)
    return { count: this.#count, part: this.#part, term: this.#term }
  }

  #rangesAt(level: number): Ranges {
    this.#levels[level] ??= new Ranges(this.#terms.segments.length)
    const ranges = this.#levels[level]
    ranges.count = 0
    return ranges
  }

  #merge(level: number): void {
    const ranges = this.#levels[level] as Ranges
    const { part, next, key, count } = ranges
    const depth = level * keyBytes
    for (let at = 0; at < count; at++) key[at] = this.#keyOf(u32(part, at), u32(next, at), depth)
    while (this.#takeNext(ranges, level)) {
      // There may be more.
    }
  }

  /** Takes all terms with the smallest key. @returns whether there was one */
  #takeNext(ranges: Ranges, level: number): boolean {
    const { part, next, key, count } = ranges
    let first = 0
    let min = Number.POSITIVE_INFINITY
    let isAlone = true
    for (let at = 0; at < count; at++) {
      const other = key[at] as number
      if (other < min) {
        first = at
        min = other
        isAlone = true
      } else if (other === min) isAlone = false
    }
    if (min === Number.POSITIVE_INFINITY) return false
    if (isAlone) {
      this.#take(u32(part, first), u32(next, first))
      this.#advance(ranges, first, level * keyBytes)
    } else this.#takeWithKey(level, min)
    return true
  }

  /** Takes all terms with a key that several segments have. */
  #takeWithKey(level: number, min: number): void {
    const ranges = this.#levels[level] as Ranges
    const { count, part, next, key } = ranges
    const depth = level * keyBytes
    const same = this.#rangesAt(level + 1)
    let isOneOfEach = true
    for (let at = 0; at < count; at++) {
      if (key[at] !== min) continue
      const from = u32(next, at)
      this.#advance(ranges, at, depth)
      while (key[at] === min) {
        isOneOfEach = false
        this.#advance(ranges, at, depth)
      }
      same.add(u32(part, at), from, u32(next, at))
    }
    if (!isOneOfEach && min !== 0) this.#merge(level + 1)
    else if (this.#areEqual(same, depth + keyBytes)) this.#takeEqual(same)
    else this.#mergeByBytes(same, depth + keyBytes)
  }

  #advance({ part, next, end, key }: Ranges, at: number, depth: number): void {
    const of = u32(part, at)
    const following = this.#following(of, u32(next, at), u32(end, at))
    next[at] = following
    key[at] = following < u32(end, at) ? this.#keyOf(of, following, depth) : Number.POSITIVE_INFINITY
  }

  /** The next term that is taken; `end` if there is none. */
  #following(part: number, term: number, end: number): number {
    const taken = this.#terms.taken[part] as Uint32Array
    let next = term + 1
    while (next < end && u32(taken, next) === 0) next++
    return next
  }

  #keyOf(part: number, term: number, depth: number): number {
    const starts = this.#starts[part] as Uint32Array
    const bytes = this.#bytes[part] as Uint8Array
    const from = u32(starts, term) + depth
    const end = u32(starts, term + 1)
    let key = 0
    for (let at = from; at < from + keyBytes; at++) key = key * digits + (at < end ? u8(bytes, at) + 1 : 0)
    return key
  }

  #take(part: number, term: number): void {
    this.#part[this.#count] = part
    this.#term[this.#count] = term
    this.#number(part, term, this.#count++)
  }

  #number(part: number, term: number, number: number): void {
    const numbers = this.#terms.numbers[part] as Uint32Array
    numbers[term] = number
  }

  /** Whether the next terms are the same, and no others follow. */
  #areEqual(ranges: Ranges, depth: number): boolean {
    const { count, part, next, end } = ranges
    for (let at = 0; at < count; at++) {
      if (this.#following(u32(part, at), u32(next, at), u32(end, at)) < u32(end, at)) return false
      if (at > 0 && this.#compare(ranges, 0, at, depth) !== 0) return false
    }
    return true
  }

  #takeEqual({ count, part, next }: Ranges): void {
    this.#take(u32(part, 0), u32(next, 0))
    for (let at = 1; at < count; at++) this.#number(u32(part, at), u32(next, at), this.#count - 1)
  }

  /** For few terms. */
  #mergeByBytes(ranges: Ranges, depth: number): void {
    const { count, part, next, end } = ranges
    const isLeft = (at: number): boolean => u32(next, at) < u32(end, at)
    for (;;) {
      let first = -1
      for (let at = 0; at < count; at++)
        if (isLeft(at) && (first < 0 || this.#compare(ranges, at, first, depth) < 0)) first = at
      if (first < 0) return
      const number = this.#count
      const owner = u32(part, first)
      const term = u32(next, first)
      this.#take(owner, term)
      next[first] = this.#following(owner, term, u32(end, first))
      for (let at = 0; at < count; at++) {
        while (isLeft(at) && this.#compareWith(owner, term, ranges, at, depth) === 0) {
          this.#number(u32(part, at), u32(next, at), number)
          next[at] = this.#following(u32(part, at), u32(next, at), u32(end, at))
        }
      }
    }
  }

  #compare(ranges: Ranges, one: number, other: number, depth: number): number {
    return this.#compareWith(u32(ranges.part, one), u32(ranges.next, one), ranges, other, depth)
  }

  #compareWith(part: number, term: number, ranges: Ranges, other: number, depth: number): number {
    const starts = this.#starts[part] as Uint32Array
    const otherPart = u32(ranges.part, other)
    const otherTerm = u32(ranges.next, other)
    const otherStarts = this.#starts[otherPart] as Uint32Array
    return compareRanges(
      this.#bytes[part] as Uint8Array,
      u32(starts, term) + depth,
      u32(starts, term + 1),
      this.#bytes[otherPart] as Uint8Array,
      u32(otherStarts, otherTerm) + depth,
      u32(otherStarts, otherTerm + 1),
    )
  }
}
