import { createZstdDecompress, zstdCompressSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DamagedTermsError } from './damaged-terms.ts'
import { FrameReader, openDecompressor } from './zstd-frames.ts'

const contents = fc
  .tuple(fc.uint8Array({ maxLength: 50 }), fc.integer({ min: 0, max: 30_000 }))
  .map(([bytes, times]) => Buffer.concat(Array.from({ length: times }, () => bytes)))

const readers = [
  { name: 'one decompressor', reader: new FrameReader() },
  { name: 'documented functions of Node', reader: new FrameReader(null) },
]

test.each(readers)('compressed frames are read as they were written by $name', ({ reader }) => {
  fc.assert(
    fc.property(fc.array(contents, { maxLength: 4 }), (all) => {
      reader.reuse()
      const read = all.map((content) => reader.read(zstdCompressSync(content)))
      expect(read.map((content, at) => all[at]?.equals(content))).toEqual(all.map(() => true))
    }),
    { numRuns: 40 },
  )
})

test('this Node has the members that one decompressor for all frames needs', () => {
  expect(new FrameReader().isShared).toBe(true)
})

test.each([
  { name: 'missing', members: {} },
  { name: 'without an effect', members: { _handle: { writeSync: () => undefined } } },
  {
    name: 'of another meaning',
    members: { _handle: { writeSync: (...given: unknown[]) => given.length }, _writeState: Uint32Array.of(1, 0) },
  },
  {
    name: 'ones that throw',
    members: {
      _handle: {
        writeSync: () => {
          throw new Error('other arguments')
        },
      },
    },
  },
])('where members of a decompressor are $name, documented functions of Node read the same', ({ members }) => {
  const reader = new FrameReader(openDecompressor(() => Object.assign(createZstdDecompress(), noMembers, members)))
  expect(reader.isShared).toBe(false)
  const content = Buffer.from('the printer has no toner '.repeat(20))
  expect(content.equals(reader.read(zstdCompressSync(content)))).toBe(true)
})

test.each(readers)('a damaged frame is an error, and frames after it are read by $name', ({ reader }) => {
  const content = Buffer.from('the printer has no toner '.repeat(20))
  const frame = zstdCompressSync(content)
  const damaged = [
    Buffer.from('no frame at all'),
    Buffer.concat([frame, Buffer.of(1)]),
    Buffer.concat([frame, frame]),
    ...Array.from(frame, (_, length) => frame.subarray(0, length)),
  ]
  for (const each of damaged) {
    expect(() => reader.read(each)).toThrow(DamagedTermsError)
    reader.reuse()
    expect(content.equals(reader.read(frame))).toBe(true)
  }
})

test('changed frames are an error or have another content, the same for both readers', () => {
  const [shared, documented] = [new FrameReader(), new FrameReader(null)]
  const change = fc.record({ place: fc.nat(), difference: fc.integer({ min: 1, max: 255 }) })
  fc.assert(
    fc.property(contents, fc.array(change, { minLength: 1, maxLength: 3 }), (content, changes) => {
      const frame = Buffer.from(zstdCompressSync(content))
      for (const { place, difference } of changes) {
        const at = place % frame.length
        frame[at] = (frame[at] ?? 0) ^ difference
      }
      expect(readOf(shared, frame)).toEqual(readOf(documented, frame))
      shared.reuse()
      expect(content.equals(shared.read(zstdCompressSync(content)))).toBe(true)
    }),
    { numRuns: 200 },
  )
})

const noMembers = { _handle: undefined, _writeState: undefined }

function readOf(reader: FrameReader, frame: Buffer): string {
  reader.reuse()
  try {
    return Buffer.from(reader.read(frame)).toString('base64')
  } catch (error) {
    expect(error).toBeInstanceOf(DamagedTermsError)
    return 'damaged'
  }
}
