import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareCandidates } from './in-memory/nearest-candidates.ts'
import { decidingAmong } from './rank-bounds.ts'

/** Similarities of which many are equal, and by how much their bounds are away. */
const chunks = fc.array(
  fc.record({
    similarity: fc.nat({ max: 30 }),
    below: fc.nat({ max: 4 }),
    above: fc.nat({ max: 4 }),
    isWanted: fc.boolean(),
  }),
  { minLength: 1, maxLength: 40 },
)

test('the open candidates decide the ranks of the needed ones, and those ranks are within their bounds (issue 14, vectors)', async () => {
  await fc.assert(
    fc.asyncProperty(chunks, fc.integer({ min: 1, max: 40 }), async (given, k) => {
      const candidates = given
        .map(({ similarity, below, above, isWanted }, at) => ({
          ...{ documentId: at, docId: `d${at}`, chunkIndex: 0, similarity, isWanted },
          ...{ upper: similarity + above, lower: similarity - below },
        }))
        .sort(compareCandidates)
      const exact = candidates.map((each) => ({ ...each, upper: each.similarity, lower: each.similarity }))
      const rankOf = new Map(exact.toSorted(compareCandidates).map(({ documentId }, at) => [documentId, at + 1]))
      const wanted = new Set(candidates.filter(({ isWanted }) => isWanted).map(({ documentId }) => documentId))
      const { open, above } = await decidingAmong(candidates, {
        k,
        neededOf: async (near) => {
          for (const { documentId, first, last } of near) {
            expect(rankOf.get(documentId)).toBeGreaterThanOrEqual(first)
            expect(rankOf.get(documentId)).toBeLessThanOrEqual(last)
          }
          const names = new Set(near.map(({ documentId }) => documentId))
          for (const [documentId, rank] of rankOf) if (rank <= k) expect(names).toContain(documentId)
          return new Set(near.filter(({ documentId }) => wanted.has(documentId)))
        },
      })
      // The others are anywhere between their bounds.
      const known = candidates.map((each, at) =>
        open.has(each) ? (exact[at] ?? each) : { ...each, lower: each.upper },
      )
      const ranks = new Map(known.toSorted(compareCandidates).map(({ documentId }, at) => [documentId, at + 1]))
      const needed = [...open].filter(({ documentId }) => wanted.has(documentId) && (rankOf.get(documentId) ?? 0) <= k)
      for (const { documentId } of needed) {
        expect(ranks.get(documentId)).toBe(rankOf.get(documentId))
        const before = candidates.filter((each) => (rankOf.get(each.documentId) ?? 0) < (rankOf.get(documentId) ?? 0))
        for (const each of before) expect(above).toContain(each)
      }
    }),
    { numRuns: 300 },
  )
})
