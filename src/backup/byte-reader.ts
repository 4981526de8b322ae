/** The stream ended before the requested bytes. */
export class TooShort extends Error {}

/** Reads a stream of chunks in parts of a given length; at most one part and one chunk are in memory. */
export class ByteReader {
  readonly #pieces: AsyncIterator<Buffer>
  #piece: Buffer = Buffer.alloc(0)
  #isDone = false
  /** Bytes read so far. */
  offset = 0

  constructor(pieces: AsyncIterable<Buffer>) {
    this.#pieces = pieces[Symbol.asyncIterator]()
  }

  async isAtEnd(): Promise<boolean> {
    while (this.#piece.length === 0 && !this.#isDone) await this.#next()
    return this.#piece.length === 0
  }

  /** @throws TooShort if fewer bytes are left */
  async take(length: number): Promise<Buffer> {
    const parts: Buffer[] = []
    let missing = length
    while (missing > 0) {
      if (await this.isAtEnd()) throw new TooShort(`${missing} of ${length} bytes are missing`)
      const part = this.#piece.subarray(0, missing)
      this.#piece = this.#piece.subarray(part.length)
      missing -= part.length
      parts.push(part)
    }
    this.offset += length
    return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts, length)
  }

  async #next(): Promise<void> {
    const { value, done } = await this.#pieces.next()
    if (done === true) this.#isDone = true
    else this.#piece = Buffer.isBuffer(value) ? value : Buffer.from(value)
  }
}
