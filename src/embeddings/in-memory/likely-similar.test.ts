import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ComparedVector, largestLikelyDifference, lastOfSmallest } from './likely-similar.ts'

const compared = fc.array(
  fc.record({ difference: fc.nat({ max: 1_000 }), similarity: fc.double({ min: -1, max: 1, noNaN: true }) }),
  { minLength: 3, maxLength: 60 },
)

test('the order in which vectors were compared decides nothing (issue 14, vectors)', () => {
  fc.assert(
    fc.property(compared, fc.nat({ max: 30 }), fc.infiniteStream(fc.nat()), (vectors, needed, keys) => {
      const keyed = vectors.map((vector) => ({ vector, key: keys.next().value as number }))
      const shuffled = keyed.sort((one, other) => one.key - other.key).map(({ vector }) => vector)
      expect(largestLikelyDifference(shuffled, needed + 1)).toBe(largestLikelyDifference(vectors, needed + 1))
    }),
  )
})

test('where signs say how similar vectors are, those that differ more than the last needed one are left out (issue 14, vectors)', () => {
  const onLine = Array.from({ length: 100 }, (_, at): ComparedVector => ({ difference: at, similarity: 1 - at / 200 }))
  expect(largestLikelyDifference(onLine, 10)).toBeCloseTo(9, 6)
})

test('the farther similarities are from what signs predict, the more vectors are compared (issue 14, vectors)', () => {
  const spread = (share: number) =>
    Array.from({ length: 100 }, (_, at): ComparedVector => {
      return { difference: at, similarity: 1 - at / 200 + (at % 2 === 0 ? share : -share) }
    })
  const limits = [0, 0.05, 0.1].map((share) => largestLikelyDifference(spread(share), 10))
  expect(limits).toEqual(limits.toSorted((one, other) => one - other))
  expect(limits.at(-1)).toBeGreaterThan(40)
})

test('where signs say nothing, or too few were compared, all vectors are compared (issue 14, vectors)', () => {
  const equal = Array.from({ length: 10 }, (_, at): ComparedVector => ({ difference: 5, similarity: at / 10 }))
  expect(largestLikelyDifference(equal, 3)).toBe(Number.POSITIVE_INFINITY)
  const rising = Array.from({ length: 10 }, (_, at): ComparedVector => ({ difference: at, similarity: at / 10 }))
  expect(largestLikelyDifference(rising, 3)).toBe(Number.POSITIVE_INFINITY)
  expect(largestLikelyDifference(rising, 11)).toBe(Number.POSITIVE_INFINITY)
})

test('the last of the smallest numbers has so many up to it', () => {
  expect(lastOfSmallest(Uint32Array.of(5, 3, 9, 3), 3)).toBe(5)
  expect(lastOfSmallest(Uint32Array.of(5, 3, 9, 3), 5)).toBeUndefined()
})
