import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readCompoundFile } from '../../src/extraction/read/compound-file.ts'
import { compoundFile } from './write-ole.ts'

const content = fc
  .tuple(fc.integer({ min: 1, max: 20_000 }), fc.nat({ max: 255 }))
  .map(([size, seed]) => Buffer.from(Uint8Array.from({ length: size }, (_, at) => (at * 31 + seed) % 251)))
const streams = fc.dictionary(fc.stringMatching(/^[A-Za-z]{1,20}$/), content, { minKeys: 1, maxKeys: 5 })

test('every stream of a compound file is read as it was written, and no other (issue 11, 1.4)', () => {
  fc.assert(
    fc.property(streams, (written) => {
      const names = Object.keys(written)
      const read = readCompoundFile(compoundFile(written), new Set(names.slice(1)))
      expect(Object.fromEntries(read.map(({ name, bytes }) => [name, bytes.toString('hex')]))).toEqual(
        Object.fromEntries(names.slice(1).map((name) => [name, written[name]?.toString('hex')])),
      )
    }),
  )
})

test('a damaged compound file gives what is left of it, in time and without an error', () => {
  const damage = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { maxLength: 40 })
  fc.assert(
    fc.property(streams, damage, fc.nat(), (written, changes, cut) => {
      const file = compoundFile(written)
      for (const [at, byte] of changes) file[8 + (at % (file.length - 8))] = byte
      const kept = file.subarray(0, Math.max(512, file.length - (cut % 4_000)))
      for (const { bytes } of readCompoundFile(kept, new Set(Object.keys(written))))
        expect(bytes.length).toBeLessThanOrEqual(kept.length + 512)
    }),
    { numRuns: 300 },
  )
})
