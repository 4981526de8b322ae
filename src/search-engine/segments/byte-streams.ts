import { u8 } from './segment.ts'

/** Seven bits per byte. */
export const maxVarintBytes = 5

/** Bytes and varints: seven bits per byte, the lowest first, with a continuation bit. */
export class ByteWriter {
  at = 0
  readonly #target: Uint8Array

  /** @param capacity bytes; not checked, because bytes are written one by one */
  constructor(capacity: number) {
    this.#target = new Uint8Array(capacity)
  }

  byte(value: number): void {
    this.#target[this.at++] = value
  }

  varint(value: number): void {
    let left = value
    while (left >= 0x80) {
      this.#target[this.at++] = (left & 0x7f) | 0x80
      left >>>= 7
    }
    this.#target[this.at++] = left
  }

  bytes(source: Uint8Array, from: number, to: number): void {
    const target = this.#target
    let place = this.at
    for (let at = from; at < to; at++) target[place++] = u8(source, at)
    this.at = place
  }

  written(): Uint8Array {
    return this.#target.subarray(0, this.at)
  }
}

/** Reads the output of `ByteWriter`. */
export class ByteReader {
  at: number
  readonly bytes: Uint8Array

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes
    this.at = at
  }

  byte(): number {
    return u8(this.bytes, this.at++)
  }

  varint(): number {
    let byte = u8(this.bytes, this.at++)
    let value = byte & 0x7f
    for (let shift = 7; byte >= 0x80; shift += 7) {
      byte = u8(this.bytes, this.at++)
      value |= (byte & 0x7f) << shift
    }
    return value
  }
}
