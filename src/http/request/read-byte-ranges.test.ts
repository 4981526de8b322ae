import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readByteRanges } from './read-byte-ranges.ts'

test.each([
  [undefined, 10, 'whole'],
  ['bytes=0-', 10, { from: 0, to: 9 }],
  ['bytes=4-', 10, { from: 4, to: 9 }],
  ['bytes=2-3', 10, { from: 2, to: 3 }],
  ['bytes=9-9', 10, { from: 9, to: 9 }],
  ['bytes=0-999999999999999', 10, { from: 0, to: 9 }],
  ['bytes=-3', 10, { from: 7, to: 9 }],
  ['bytes=-30', 10, { from: 0, to: 9 }],
  ['Bytes=2-3', 10, { from: 2, to: 3 }],
  ['bytes= 2-3 , ', 10, { from: 2, to: 3 }],
  // Behind the end.
  ['bytes=10-', 10, 'unsatisfiable'],
  ['bytes=99999999999999999999-', 10, 'unsatisfiable'],
  ['bytes=8-99999999999999999999', 10, { from: 8, to: 9 }],
  ['bytes=-99999999999999999999', 10, { from: 0, to: 9 }],
  ['bytes=9e3-', 10, 'whole'],
  [`bytes=${'9'.repeat(310)}-`, 10, 'unsatisfiable'],
  ['bytes=10-12,15-', 10, 'unsatisfiable'],
  ['bytes=-0', 10, 'unsatisfiable'],
  ['bytes=0-', 0, 'unsatisfiable'],
  ['bytes=-5', 0, 'whole'],
  // Several.
  ['bytes=0-1,2-3', 10, { from: 0, to: 3 }],
  ['bytes=5-,0-6', 10, { from: 0, to: 9 }],
  ['bytes=2-3,40-50', 10, { from: 2, to: 3 }],
  ['bytes=0-1,3-4', 10, 'whole'],
  [`bytes=${Array(51).fill('0-1').join(',')}`, 10, 'whole'],
  // No range of bytes at all.
  ['lines=1-2', 10, 'whole'],
  ['bytes=', 10, 'whole'],
  ['bytes=3-2', 10, 'whole'],
  ['bytes=3-2,0-1', 10, 'whole'],
  ['bytes=a-b', 10, 'whole'],
  ['bytes=-', 10, 'whole'],
  ['bytes=1', 10, 'whole'],
  ['bytes=1-2-3', 10, 'whole'],
  ['bytes=+1-2', 10, 'whole'],
  ['bytes=1234567890123456-', 10, 'unsatisfiable'],
] as const)('%s of %i bytes', (header, size, expected) => {
  expect(readByteRanges(header, size)).toEqual(expected)
})

test('a part always lies within the file', () => {
  const number = fc.integer({ min: 0, max: 30 })
  const spec = fc.oneof(
    fc.tuple(number, number).map(([from, to]) => `${from}-${to}`),
    number.map((from) => `${from}-`),
    number.map((length) => `-${length}`),
    fc.string({ maxLength: 4 }),
  )
  fc.assert(
    fc.property(fc.array(spec, { maxLength: 4 }), fc.integer({ min: 0, max: 20 }), (specs, size) => {
      const range = readByteRanges(`bytes=${specs.join(',')}`, size)
      if (typeof range === 'string') return
      expect(range.from).toBeGreaterThanOrEqual(0)
      expect(range.to).toBeGreaterThanOrEqual(range.from)
      expect(range.to).toBeLessThan(size)
    }),
  )
})
