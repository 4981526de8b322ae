/** More than needed, so that pages of nearly the same size share one memory. */
const reserve = 1.25

/**
 * Shared memory for the vectors of one statement, used again for the next one: memory of its own for each row would be given back only when
 * the garbage of both threads is collected (docs/decisions/0054).
 */
export class VectorPage {
  #buffer = new SharedArrayBuffer(0)

  /** @returns the numbers of each row, until the next call */
  put(rows: readonly Uint8Array[]): readonly Float32Array[] {
    const lengths = rows.map((bytes) => Math.floor(bytes.length / 4))
    const needed = lengths.reduce((sum, length) => sum + length * 4, 0)
    if (needed > this.#buffer.byteLength) this.#buffer = new SharedArrayBuffer(Math.ceil(needed * reserve))
    const all = new Uint8Array(this.#buffer)
    let from = 0
    return rows.map((bytes, at) => {
      const length = lengths[at] as number
      all.set(bytes.subarray(0, length * 4), from)
      const numbers = new Float32Array(this.#buffer, from, length)
      from += length * 4
      return numbers
    })
  }

  /** Gives the memory back. */
  clear(): void {
    this.#buffer = new SharedArrayBuffer(0)
  }
}
