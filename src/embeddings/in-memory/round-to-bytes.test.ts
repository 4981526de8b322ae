import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lengthOf, unitLength } from '../similarity.ts'
import { roundToBytes, strideOf } from './round-to-bytes.ts'

test('a vector is rounded as one of length 1, over whatever was in its place (issue 14, vectors)', () => {
  const number = fc.float({ noNaN: true, min: -1e6, max: 1e6 })
  fc.assert(
    fc.property(
      fc.array(number, { minLength: 1, maxLength: 40 }),
      fc.integer({ min: -127, max: 127 }),
      (given, was) => {
        const vector = Float32Array.from(given)
        const codes = new Int8Array(strideOf(vector.length)).fill(was)
        const { scale, error } = roundToBytes(vector, codes)
        const unit = unitLength(vector)
        const largest = unit.reduce((max, each) => Math.max(max, Math.abs(each)), 0)
        expect(scale).toBe(Math.fround(largest / 127))
        const numbers = [...unit].map((each) =>
          scale === 0 ? 0 : Math.max(-127, Math.min(127, Math.round(each / scale))),
        )
        expect([...codes]).toEqual([...codes.keys()].map((at) => (numbers[at] ?? 0) + 0))
        const difference =
          unit.length === 0 ? 0 : Math.hypot(...[...unit].map((each, at) => each - (codes[at] as number) * scale))
        expect(error).toBeCloseTo(difference, 10)
        expect(lengthOf(unit)).toBeLessThan(1 + 1e-6)
      },
    ),
  )
})
