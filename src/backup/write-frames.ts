import { encodeFrame, FIRST_LINE, type Frame, firstDigest, frameDigest, frameLengths } from './frames.ts'
import { mapAhead } from './map-ahead.ts'

/** Takes bytes; resolves when it can take more. */
export type Sink = (bytes: Buffer) => Promise<void>

/** Compression of so many frames goes on in other threads while one is written. */
const framesAhead = 3

/** Writes a whole backup. @returns how many bytes it has */
export async function writeFrames(frames: AsyncIterable<Frame>, sink: Sink): Promise<number> {
  let digest = firstDigest()
  let bytes = FIRST_LINE.length
  await sink(Buffer.from(FIRST_LINE))
  for await (const frame of mapAhead(frames, framesAhead, encodeFrame)) {
    const lengths = frameLengths(frame)
    digest = frameDigest(digest, lengths, frame)
    const written = Buffer.concat([lengths, frame.header, frame.payload, digest])
    bytes += written.length
    await sink(written)
  }
  return bytes
}
