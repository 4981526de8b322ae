import { zstdCompressSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FrameReader } from './zstd-frames.ts'

const contents = fc
  .tuple(fc.uint8Array({ maxLength: 50 }), fc.integer({ min: 0, max: 30_000 }))
  .map(([bytes, times]) => Buffer.concat(Array.from({ length: times }, () => bytes)))

test.each([
  { name: 'one decompressor', reader: new FrameReader() },
  { name: 'documented functions of Node', reader: new FrameReader(null) },
])('compressed frames are read as they were written by $name', ({ reader }) => {
  fc.assert(
    fc.property(fc.array(contents, { maxLength: 4 }), (all) => {
      reader.reuse()
      const read = all.map((content) => reader.read(zstdCompressSync(content)))
      expect(read.map((content, at) => all[at]?.equals(content))).toEqual(all.map(() => true))
    }),
    { numRuns: 40 },
  )
})

test('a damaged frame is an error, and frames after it are read', () => {
  const reader = new FrameReader()
  const content = Buffer.from('the printer has no toner '.repeat(20))
  const frame = zstdCompressSync(content)
  for (let round = 0; round < 3; round++) {
    expect(() => reader.read(Buffer.from('no frame at all'))).toThrow('damaged compressed terms')
    expect(() => reader.read(Buffer.concat([frame, Buffer.of(1)]))).toThrow('bytes after the end')
    reader.reuse()
    expect(content.equals(reader.read(frame))).toBe(true)
  }
})
