import type { TermList } from './document-stream.ts'
import { u8, u32 } from './segment.ts'

const noTerm = 0xff_ff_ff_ff

/** Max. capacity of a new table, in terms. */
const firstTerms = 1 << 14

/** Numbers terms by their bytes, in the order of their first occurrence. */
export class TermTable {
  #count = 0
  /** For each place the hash of a term and its number + 1, in one line of the cache; 0: free. A power of two, at least half of it free. */
  #places: Uint32Array
  #hashes: Uint32Array
  /** One more than terms: offsets into the bytes. */
  #start: Uint32Array
  #bytes: Uint8Array
  /** Not used: without it, the compiler would leave out reads whose values nobody needs. */
  fetched = 0

  /** @param maxTerms a small table is made faster */
  constructor(maxTerms: number) {
    const terms = Math.min(maxTerms, firstTerms)
    this.#places = new Uint32Array(lengthFor(terms))
    this.#hashes = new Uint32Array(terms)
    this.#start = new Uint32Array(terms + 1)
    this.#bytes = new Uint8Array(terms * 8)
  }

  get count(): number {
    return this.#count
  }

  get byteCount(): number {
    return u32(this.#start, this.#count)
  }

  get start(): Uint32Array {
    return this.#start
  }

  get bytes(): Uint8Array {
    return this.#bytes
  }

  /**
   * Numbers all terms of a document. Places and texts of terms are nowhere near each other in memory, so both are fetched for all terms
   * before they are compared: reads that do not wait for each other take a fraction of the time.
   *
   * @param list different terms
   * @param ordinals gets their numbers
   */
  number(list: TermList, ordinals: Uint32Array): void {
    this.#reserve(list)
    this.fetched = this.#fetchPlaces(list)
    this.#find(list, ordinals)
    this.fetched ^= this.#fetchTexts(list, ordinals)
    for (let at = 0; at < list.count; at++) {
      const ordinal = u32(ordinals, at)
      if (ordinal === noTerm || !this.#isSame(ordinal, list, at)) ordinals[at] = this.#search(list, at)
    }
  }

  #fetchPlaces({ count, hashes }: TermList): number {
    const places = this.#places
    const mask = places.length / 2 - 1
    let fetched = 0
    for (let at = 0; at < count; at++) fetched ^= u32(places, (u32(hashes, at) & mask) * 2)
    return fetched
  }

  #fetchTexts({ count }: TermList, ordinals: Uint32Array): number {
    const bytes = this.#bytes
    const start = this.#start
    const last = this.#count
    let fetched = 0
    for (let at = 0; at < count; at++) fetched ^= bytes[u32(start, Math.min(u32(ordinals, at), last))] ?? 0
    return fetched
  }

  /** Candidates: the first term with the same hash. */
  #find({ count, hashes }: TermList, ordinals: Uint32Array): void {
    const places = this.#places
    const mask = places.length / 2 - 1
    for (let at = 0; at < count; at++) {
      const hash = u32(hashes, at)
      let place = hash & mask
      let held = u32(places, place * 2 + 1)
      while (held !== 0 && u32(places, place * 2) !== hash) {
        place = (place + 1) & mask
        held = u32(places, place * 2 + 1)
      }
      // The number before the first one is `noTerm`.
      ordinals[at] = held - 1
    }
  }

  /** Another term may have the same hash. */
  #search(list: TermList, at: number): number {
    const places = this.#places
    const mask = places.length / 2 - 1
    const hash = u32(list.hashes, at)
    for (let place = hash & mask; ; place = (place + 1) & mask) {
      const held = u32(places, place * 2 + 1)
      if (held === 0) return this.#add(list, at, place)
      if (u32(places, place * 2) === hash && this.#isSame(held - 1, list, at)) return held - 1
    }
  }

  #isSame(ordinal: number, list: TermList, at: number): boolean {
    const bytes = this.#bytes
    let held = u32(this.#start, ordinal)
    let from = u32(list.start, at)
    const to = u32(list.start, at + 1)
    if (u32(this.#start, ordinal + 1) - held !== to - from) return false
    for (; from < to; from++) if (u8(bytes, held++) !== u8(list.bytes, from)) return false
    return true
  }

  #add(list: TermList, at: number, place: number): number {
    const ordinal = this.#count++
    const hash = u32(list.hashes, at)
    this.#places[place * 2] = hash
    this.#places[place * 2 + 1] = ordinal + 1
    this.#hashes[ordinal] = hash
    const bytes = this.#bytes
    let end = u32(this.#start, ordinal)
    for (let from = u32(list.start, at); from < u32(list.start, at + 1); from++) bytes[end++] = u8(list.bytes, from)
    this.#start[ordinal + 1] = end
    return ordinal
  }

  /** Place for all terms of a list. */
  #reserve({ count, start }: TermList): void {
    const bytes = this.byteCount + u32(start, count)
    if (bytes > this.#bytes.length) this.#bytes = copied(this.#bytes, new Uint8Array(bytes * 2))
    const terms = this.#count + count
    if (terms > this.#hashes.length) {
      this.#hashes = copied(this.#hashes, new Uint32Array(terms * 2))
      this.#start = copied(this.#start, new Uint32Array(terms * 2 + 1))
    }
    if (terms * 4 > this.#places.length) this.#spread(lengthFor(terms * 2))
  }

  #spread(length: number): void {
    const places = new Uint32Array(length)
    const mask = length / 2 - 1
    for (let ordinal = 0; ordinal < this.#count; ordinal++) {
      const hash = u32(this.#hashes, ordinal)
      let place = hash & mask
      while (u32(places, place * 2 + 1) !== 0) place = (place + 1) & mask
      places[place * 2] = hash
      places[place * 2 + 1] = ordinal + 1
    }
    this.#places = places
  }
}

/** Twice as many places as terms, or more: two numbers each. */
function lengthFor(terms: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(terms, 1) * 4))
}

function copied<T extends Uint8Array | Uint32Array>(held: T, larger: T): T {
  larger.set(held)
  return larger
}
