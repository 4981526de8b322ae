import { encodeFrame, FIRST_LINE, type Frame, firstDigest, frameDigest, frameLengths } from './frames.ts'
import { mapAhead } from './map-ahead.ts'

/** Receives bytes; resolves when it can receive more. */
export type Sink = (bytes: Buffer) => Promise<void>

/** This number of frames is compressed in other threads while one is written. */
const framesAhead = 3

/** Writes a whole backup. @returns its size in bytes */
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
