import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fuseRankings, keyOf, possiblyBest } from './fuse-rankings.ts'

const documents = Array.from({ length: 12 }, (_, at) => ({ documentId: at + 1, chunkIndex: 0 }))
const rankings = fc.record({
  exact: fc.shuffledSubarray(documents),
  near: fc.shuffledSubarray(documents, { minLength: 1 }),
  below: fc.array(fc.nat({ max: 4 }), { minLength: 12, maxLength: 12 }),
  above: fc.array(fc.nat({ max: 4 }), { minLength: 12, maxLength: 12 }),
  weights: fc.constantFrom<readonly [number, number]>([1, 1], [2, 1], [1, 3], [0, 1], [1, 0]),
  depth: fc.integer({ min: 1, max: 12 }),
  count: fc.integer({ min: 1, max: 8 }),
})

test('whatever the exact ranks within their bounds, every chunk of the fused best is possible, and needed if it is in both or near only (issue 14, vectors)', () => {
  fc.assert(
    fc.property(rankings, ({ exact, near, below, above, weights, depth, count }) => {
      const bounded = near.map((chunk, at) => ({
        ...chunk,
        first: Math.max(1, at + 1 - (below[at] ?? 0)),
        last: at + 1 + (above[at] ?? 0),
      }))
      const { needed, possible } = possiblyBest(
        exact,
        bounded.filter(({ first }) => first <= depth),
        { weights, depth, count },
      )
      const fused = fuseRankings([exact, near.slice(0, depth)], weights)
      const last = fused[count - 1]?.score ?? Number.NEGATIVE_INFINITY
      const best = new Set(fused.filter(({ score }) => score >= last).map(keyOf))
      const names = new Set([...needed].map(keyOf))
      for (const chunk of near.slice(0, depth)) if (best.has(keyOf(chunk))) expect(names).toContain(keyOf(chunk))
      const all = possible.map(keyOf)
      expect(new Set(all).size).toBe(all.length)
      for (const name of best) expect(all).toContain(name)
    }),
    { numRuns: 500 },
  )
})

test('few of a hundred ranks are needed for the best ten of two rankings without a common chunk (issue 14, vectors)', () => {
  const chunksFrom = (from: number) =>
    Array.from({ length: 100 }, (_, at) => ({ documentId: from + at, chunkIndex: 0, first: at + 1, last: at + 1 }))
  const { needed, possible } = possiblyBest(chunksFrom(0), chunksFrom(1_000), {
    weights: [1, 1],
    depth: 100,
    count: 10,
  })
  expect([...needed].map(({ documentId }) => documentId)).toEqual([1_000, 1_001, 1_002, 1_003, 1_004])
  expect(possible.map(({ documentId }) => documentId)).toEqual([0, 1, 2, 3, 4, 1_000, 1_001, 1_002, 1_003, 1_004])
})
