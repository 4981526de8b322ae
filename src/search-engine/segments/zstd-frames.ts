import type { Transform } from 'node:stream'
import { constants, createZstdDecompress, zstdDecompressSync } from 'node:zlib'
import { DamagedTermsError } from './damaged-terms.ts'

/**
 * What Node's decompressor has, beyond its documented members; npm itself needs them, too (`minizlib`).
 *
 * If a later Node has not got them, or if they do not read a known frame right, the documented function is called for each frame: the
 * content is the same, and takes longer. Only native code that ends the process because it gets other arguments cannot be noticed here.
 * Docket runs on the one Node that `package.json` names, so the tests of this module notice it before another one is taken.
 */
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
/** Content of a larger frame is not read: no document has so much. */
const maxContent = 1024 * 1024 * 1024
/** A write that fails leaves the state as it was. */
const failed = 0xff_ff_ff_ff

/**
 * Decompresses many small frames by one decompressor, into one buffer. `zstdDecompressSync` makes a stream and a buffer of 16 kB for each
 * frame: that takes longer than the frame itself, and then it is garbage.
 */
export class FrameReader {
  #decompressor: Decompressor | null
  #target = new Uint8Array(firstCapacity)
  #to = 0

  /** @param decompressor null: only documented functions of Node are called */
  constructor(decompressor: Decompressor | null = openDecompressor()) {
    this.#decompressor = decompressor
  }

  /** Whether one decompressor reads all frames. */
  get isShared(): boolean {
    return this.#decompressor !== null
  }

  /** The next frames may overwrite the contents that were returned before. */
  reuse(): void {
    if (this.#target.length > maxKept) this.#target = new Uint8Array(firstCapacity)
    this.#to = 0
  }

  /**
   * @param frame with the length of its content, as `zstdCompressSync` writes it
   * @returns the content, until `reuse`
   * @throws DamagedTermsError if it is not a whole frame, or more than one
   */
  read(frame: Uint8Array): Uint8Array {
    const length = contentLength(frame)
    if (length === undefined || length > maxContent) throw new DamagedTermsError('no frame of compressed terms')
    const content = this.#decompressor === null ? decompressed(frame) : this.#read(this.#decompressor, frame, length)
    if (content?.length === length) return content
    // It may wait for the rest of this frame.
    if (this.#decompressor !== null) this.#decompressor = openDecompressor()
    throw new DamagedTermsError('damaged compressed terms')
  }

  /** @returns null: it is damaged */
  #read(decompressor: Decompressor, frame: Uint8Array, length: number): Uint8Array | null {
    // One byte more than needed: then a longer content is noticed.
    this.#reserve(length + 1)
    const from = this.#to
    const { _handle: handle, _writeState: state } = decompressor
    state[1] = failed
    handle.writeSync(constants.ZSTD_e_end, frame, 0, frame.length, this.#target, from, length + 1)
    const [free = 0, left = failed] = state
    if (left !== 0) return null
    this.#to = from + length + 1 - free
    return this.#target.subarray(from, this.#to)
  }

  /** Contents that were returned before keep their buffer. */
  #reserve(bytes: number): void {
    if (this.#to + bytes <= this.#target.length) return
    this.#target = new Uint8Array(Math.max(this.#target.length * 2, bytes))
    this.#to = 0
  }
}

/** @returns null: it is damaged */
function decompressed(frame: Uint8Array): Uint8Array | null {
  try {
    // With `info`, the result is an object, which the types do not say.
    const { buffer, engine } = zstdDecompressSync(frame, { info: true }) as unknown as {
      readonly buffer: Buffer
      readonly engine: { readonly bytesWritten: number }
    }
    return engine.bytesWritten === frame.length ? buffer : null
  } catch {
    return null
  }
}

const magic = 0xfd_2f_b5_28

/** @returns length of the content, by the header of the frame; undefined: the header has none, or these bytes are not a frame */
export function contentLength(frame: Uint8Array): number | undefined {
  if (frame.length < 5) return undefined
  const head = new DataView(frame.buffer, frame.byteOffset, frame.length)
  const descriptor = head.getUint8(4)
  const isSingleSegment = (descriptor & 0x20) !== 0
  const bytes = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >>> 6] ?? 0
  // A frame with a dictionary is not one of ours.
  const at = isSingleSegment ? 5 : 6
  if (head.getUint32(0, true) !== magic || (descriptor & 3) !== 0 || bytes === 0 || at + bytes > frame.length)
    return undefined
  if (bytes === 1) return head.getUint8(at)
  if (bytes === 2) return head.getUint16(at, true) + 0x1_00
  return bytes === 4 ? head.getUint32(at, true) : Number(head.getBigUint64(at, true))
}

/** The smallest frame that is stored as it is. */
const knownContent = 'docket'
const knownFrame = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0x20, 6, 0x31, 0, 0, ...Buffer.from(knownContent))

/** @returns null: this Node has other members */
export function openDecompressor(create: () => Transform = createZstdDecompress): Decompressor | null {
  const stream = create()
  // An error is noticed in the state: the stream reports it later, when nobody waits for it.
  stream.on('error', () => undefined)
  const { _handle: handle, _writeState: state } = stream as unknown as Partial<Decompressor>
  if (typeof handle?.writeSync !== 'function' || !(state instanceof Uint32Array) || state.length !== 2) return null
  return readsKnownFrame({ _handle: handle, _writeState: state }) ? { _handle: handle, _writeState: state } : null
}

function readsKnownFrame({ _handle: handle, _writeState: state }: Decompressor): boolean {
  const target = new Uint8Array(knownContent.length + 1)
  try {
    handle.writeSync(constants.ZSTD_e_end, knownFrame, 0, knownFrame.length, target, 0, target.length)
  } catch {
    return false
  }
  return (
    state[0] === 1 && state[1] === 0 && Buffer.from(target).toString('latin1', 0, knownContent.length) === knownContent
  )
}
