import { hashOfBytes, tokenOf, u8, u32 } from './segment.ts'

/** Numbers terms by their bytes, in the order of their first occurrence. */
export class TermTable {
  #count = 0
  /** Ordinal + 1 by hash; 0: free. The length is a power of two, and at least half of it is free. */
  #places = new Uint32Array(1 << 15)
  #hashes = new Uint32Array(1 << 14)
  /** One more than terms: offsets into the bytes. */
  #start = new Uint32Array((1 << 14) + 1)
  #bytes = new Uint8Array(1 << 17)

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

  /** @returns the number of the term with these bytes */
  ordinalOf(source: Uint8Array, from: number, to: number): number {
    const hash = hashOfBytes(source, from, to)
    const mask = this.#places.length - 1
    for (let place = hash & mask; ; place = (place + 1) & mask) {
      const held = u32(this.#places, place)
      if (held === 0) return this.#add({ place, hash, source, from, to })
      if (u32(this.#hashes, held - 1) === hash && this.#isSame(held - 1, source, from, to)) return held - 1
    }
  }

  /** Its token in a segment. */
  tokenAt(ordinal: number): number {
    return tokenOf(u32(this.#hashes, ordinal))
  }

  #isSame(ordinal: number, source: Uint8Array, from: number, to: number): boolean {
    const start = u32(this.#start, ordinal)
    if (u32(this.#start, ordinal + 1) - start !== to - from) return false
    const bytes = this.#bytes
    for (let at = from; at < to; at++) if (u8(bytes, start + at - from) !== u8(source, at)) return false
    return true
  }

  #add({ place, hash, source, from, to }: NewTerm): number {
    const ordinal = this.#count++
    const end = u32(this.#start, ordinal) + to - from
    this.#places[place] = ordinal + 1
    // Set before the table grows: growing inserts each term again by its hash.
    this.#hashes[ordinal] = hash
    this.#grow(end)
    this.#bytes.set(source.subarray(from, to), u32(this.#start, ordinal))
    this.#start[ordinal + 1] = end
    return ordinal
  }

  #grow(bytes: number): void {
    if (bytes > this.#bytes.length)
      this.#bytes = twice(this.#bytes, new Uint8Array(Math.max(bytes, this.#bytes.length * 2)))
    if (this.#count < this.#hashes.length) return
    this.#hashes = twice(this.#hashes, new Uint32Array(this.#hashes.length * 2))
    this.#start = twice(this.#start, new Uint32Array(this.#start.length * 2))
    const mask = this.#places.length * 2 - 1
    const places = new Uint32Array(mask + 1)
    for (const held of this.#places) {
      if (held === 0) continue
      let place = u32(this.#hashes, held - 1) & mask
      while (u32(places, place) !== 0) place = (place + 1) & mask
      places[place] = held
    }
    this.#places = places
  }
}

interface NewTerm {
  readonly place: number
  readonly hash: number
  readonly source: Uint8Array
  readonly from: number
  readonly to: number
}

function twice<T extends Uint8Array | Uint32Array>(held: T, larger: T): T {
  larger.set(held)
  return larger
}
