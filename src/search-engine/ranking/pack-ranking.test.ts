import fc from 'fast-check'
import { expect, test } from 'vitest'
import { packRanking, unpackRanking } from './pack-ranking.ts'
import type { Ranking } from './rank-chunks.ts'

// Scores are sums of finite numbers, never negative.
const number = fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }).map(Math.abs)
const count = fc.integer({ min: 0, max: 2 ** 32 })
const arbitraryRanking: fc.Arbitrary<Ranking> = fc.record({
  ranked: fc.array(fc.record({ documentId: fc.maxSafeNat(), chunkIndex: count, score: number, relevance: number }), {
    maxLength: 20,
  }),
  statistics: fc.record({
    chunks: count,
    averageLength: number,
    terms: fc.array(fc.record({ term: fc.string({ unit: 'grapheme' }), count: number, chunks: count })),
  }),
  explained: fc.option(fc.array(fc.array(number))),
  corrections: fc.array(
    fc.record({ word: count, spelling: fc.string({ unit: 'grapheme' }), terms: fc.array(fc.string()) }),
  ),
})

test('a ranking is the same to the last digit after it crossed a process, wherever its bytes are in a frame', () => {
  fc.assert(
    fc.property(arbitraryRanking, fc.nat({ max: 15 }), (ranking, offset) => {
      const packed = packRanking(ranking)
      const frame = new Uint8Array(offset + packed.length)
      frame.set(packed, offset)
      expect(unpackRanking(frame.subarray(offset))).toEqual(ranking)
    }),
  )
})
