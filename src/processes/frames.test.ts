import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { deserialize } from 'node:v8'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FrameReader, sendValue } from './frames.ts'

/** The bytes that a socket gets. */
function bytesOf(values: readonly unknown[]): Buffer {
  const written: Buffer[] = []
  const socket = Object.assign(new EventEmitter(), {
    cork: () => undefined,
    uncork: () => undefined,
    write: (bytes: Uint8Array) => written.push(Buffer.from(bytes)) > 0,
  })
  for (const value of values) sendValue(socket as unknown as Socket, value)
  return Buffer.concat(written)
}

test('values are read as they were sent, wherever the bytes are cut', () => {
  const value = fc.oneof(
    fc.jsonValue(),
    fc.array(fc.integer({ min: 0, max: 2 ** 40 })).map((ids) => Float64Array.from(ids)),
    // Longer than a frame that is written at once.
    fc.integer().map((id) => new Float64Array(3_000).fill(id)),
  )
  fc.assert(
    fc.property(fc.array(value), fc.array(fc.nat({ max: 400 })), (values, cuts) => {
      const bytes = bytesOf(values)
      const places = [0, ...cuts.filter((cut) => cut < bytes.length).sort((x, y) => x - y), bytes.length]
      const frames = new FrameReader(2 ** 20)
      const read = places.flatMap((from, at) => [...frames.read(bytes.subarray(from, places[at + 1] ?? from))])
      expect(read.map((frame) => deserialize(frame))).toEqual(values)
    }),
  )
})

test('a frame that is longer than expected is rejected before memory is taken for it', () => {
  const frames = new FrameReader(64)
  expect(() => [...frames.read(Buffer.from([65, 0, 0, 0]))]).toThrow('a frame of 65 bytes is not expected')
  expect(() => [...new FrameReader(64).read(Buffer.alloc(4))]).toThrow('a frame of 0 bytes is not expected')
})
