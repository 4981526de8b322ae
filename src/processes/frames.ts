import type { Socket } from 'node:net'
import { serialize } from 'node:v8'

/** The length of a frame, in bytes, before the frame. */
const headBytes = 4
/** A short frame is written at once with its length: a copy costs less than a second write. */
const maxCopied = 16_384

/** Sends a value as node:v8 writes it: numbers of typed arrays are copied as bytes. */
export function sendValue(socket: Socket, value: unknown): void {
  sendFrame(socket, serialize(value))
}

export function sendFrame(socket: Socket, body: Uint8Array): void {
  if (body.byteLength <= maxCopied) {
    const frame = Buffer.allocUnsafe(headBytes + body.byteLength)
    frame.writeUInt32LE(body.byteLength)
    frame.set(body, headBytes)
    socket.write(frame)
    return
  }
  const head = Buffer.allocUnsafe(headBytes)
  head.writeUInt32LE(body.byteLength)
  socket.cork()
  socket.write(head)
  socket.write(body)
  socket.uncork()
}

/** Joins the bytes of a socket to frames. */
export class FrameReader {
  readonly #head = Buffer.alloc(headBytes)
  #headFilled = 0
  #body: Buffer | null = null
  #filled = 0
  /** Bytes of the longest frame that is expected. */
  maxBytes: number

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes
  }

  /** @throws RangeError if a frame is longer than expected */
  *read(bytes: Buffer): Generator<Buffer> {
    for (let at = 0; at < bytes.length; ) {
      if (this.#body === null) {
        at += this.#readHead(bytes, at)
        continue
      }
      const copied = bytes.copy(this.#body, this.#filled, at)
      this.#filled += copied
      at += copied
      if (this.#filled < this.#body.length) return
      const whole = this.#body
      this.#body = null
      yield whole
    }
  }

  #readHead(bytes: Buffer, at: number): number {
    const copied = bytes.copy(this.#head, this.#headFilled, at)
    this.#headFilled += copied
    if (this.#headFilled < headBytes) return copied
    this.#headFilled = 0
    const length = this.#head.readUInt32LE()
    if (length === 0 || length > this.maxBytes) throw new RangeError(`a frame of ${length} bytes is not expected`)
    this.#filled = 0
    // Memory of its own: what is read from it may refer to it for long.
    this.#body = Buffer.allocUnsafeSlow(length)
    return copied
  }
}
