import { constants, createZstdDecompress, zstdDecompressSync } from 'node:zlib'

/** What Node's decompressor has, beyond its documented members; npm itself needs them, too (`minizlib`). */
interface Decompressor {
  readonly _handle: {
    writeSync(
      flush: number,
      input: Uint8Array,
      inputFrom: number,
      inputBytes: number,
      output: Uint8Array,
      outputFrom: number,
      outputBytes: number,
    ): void
  }
  /** After a write: free bytes of the output, and bytes of the input that were not read. */
  readonly _writeState: Uint32Array
}

const firstCapacity = 256 * 1024
/** A larger buffer is let go: few documents need one. */
const maxKept = 4 * 1024 * 1024
/** A write that fails leaves the state as it was. */
const failed = 0xff_ff_ff_ff

/**
 * Decompresses many small frames by one decompressor, into one buffer. `zstdDecompressSync` makes a stream and a buffer of 16 kB for each
 * frame: that takes longer than the frame itself, and then it is garbage.
 */
export class FrameReader {
  #decompressor: Decompressor | null
  #target = new Uint8Array(firstCapacity)
  #from = 0
  #to = 0

  /** @param decompressor null: only documented functions of Node are called */
  constructor(decompressor: Decompressor | null = openDecompressor()) {
    this.#decompressor = decompressor
  }

  /** The next frames may overwrite the contents that were returned before. */
  reuse(): void {
    if (this.#target.length > maxKept) this.#target = new Uint8Array(firstCapacity)
    this.#to = 0
  }

  /**
   * @returns the content, until `reuse`
   * @throws Error if it is not a frame
   */
  read(frame: Uint8Array): Uint8Array {
    if (this.#decompressor === null) return zstdDecompressSync(frame)
    this.#from = this.#to
    let read = 0
    do {
      if (this.#to === this.#target.length) this.#grow()
      read += this.#write(this.#decompressor, frame, read)
      // A full buffer: there may be more.
    } while (this.#to === this.#target.length)
    if (read < frame.length) throw new Error('bytes after the end of compressed terms')
    return this.#target.subarray(this.#from, this.#to)
  }

  /** @returns the bytes of the frame that were read */
  #write({ _handle: handle, _writeState: state }: Decompressor, frame: Uint8Array, from: number): number {
    const target = this.#target
    const bytes = frame.length - from
    state[1] = failed
    handle.writeSync(constants.ZSTD_e_end, frame, from, bytes, target, this.#to, target.length - this.#to)
    const [free = 0, left = failed] = state
    if (left === failed) {
      this.#decompressor = openDecompressor()
      throw new Error('damaged compressed terms')
    }
    this.#to = target.length - free
    return bytes - left
  }

  /** Contents that were returned before keep their buffer. */
  #grow(): void {
    const larger = new Uint8Array(this.#target.length * 2)
    larger.set(this.#target.subarray(this.#from, this.#to))
    this.#to -= this.#from
    this.#from = 0
    this.#target = larger
  }
}

/** @returns null: this Node has other members */
function openDecompressor(): Decompressor | null {
  const stream = createZstdDecompress()
  // An error is noticed in the state: the stream reports it later, when nobody waits for it.
  stream.on('error', () => undefined)
  const { _handle: handle, _writeState: state } = stream as unknown as Partial<Decompressor>
  const isKnown = typeof handle?.writeSync === 'function' && state instanceof Uint32Array && state.length === 2
  return isKnown ? { _handle: handle, _writeState: state } : null
}
