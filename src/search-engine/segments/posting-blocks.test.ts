import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buildSegment, type DocumentTerms } from './build-segment.ts'
import { mergeSegments } from './merge-segments.ts'
import { seekByBlocks, seekPosting } from './posting-blocks.ts'
import { blockShift, type Segment } from './segment.ts'
import { isBitmap } from './stop-word-bitmaps.ts'

const weights = fc.dictionary(fc.constantFrom('net', 'tray', 'printer', 'zz'), fc.integer({ min: 1, max: 300 }))
const chunk = fc.record({ weights, stopWords: fc.subarray(['~the', '~of']) }).map(({ weights, stopWords }) => ({
  weights: new Map(Object.entries(weights)),
  fields: [Object.keys(weights)],
  stopWords: new Set(stopWords),
}))
const corpus = fc
  .array(fc.array(chunk, { maxLength: 6 }), { maxLength: 60 })
  .map((all) => all.map((chunks, at): DocumentTerms => ({ id: at + 1, docId: `d${at % 5}`, chunks })))

function postingsOf(segment: Segment) {
  const terms = Array.from({ length: segment.termCount }, (_, term) => term).filter((term) => !isBitmap(segment, term))
  return terms.map((term) =>
    Array.from(
      segment.postings.subarray(segment.postingStart[term], segment.postingStart[term + 1]),
      (posting, at) => ({
        block: ((segment.postingStart[term] ?? 0) + at) >>> blockShift,
        chunk: posting >>> 8,
        weight: posting & 255,
      }),
    ),
  )
}

test('the numbers of a block bound its postings, and the postings of a term ascend (issue 14, pruning)', () => {
  fc.assert(
    fc.property(corpus, (documents) => {
      const segment = buildSegment(documents)
      for (const postings of postingsOf(segment))
        for (const [at, { block, chunk, weight }] of postings.entries()) {
          expect(chunk).toBeGreaterThan(postings[at - 1]?.chunk ?? -1)
          expect(weight).toBeLessThanOrEqual(segment.blockWeights[block] ?? 0)
          expect((segment.chunkLength[chunk] ?? 0) / weight).toBeGreaterThanOrEqual(segment.blockRatios[block] ?? 0)
        }
    }),
  )
})

test('a merge gives the segment of all documents, byte for byte, however their ids lie (issue 14, pruning)', () => {
  fc.assert(
    fc.property(corpus, fc.integer({ min: 1, max: 5 }), fc.nat(), (documents, parts, dropped) => {
      const segments = [...Map.groupBy(documents, ({ id }) => (id * 7) % parts).values()].map(buildSegment)
      const merged = mergeSegments(segments, new Set([dropped]))
      const built = buildSegment(documents.filter(({ id }) => id !== dropped))
      expect(Buffer.from(merged.buffer).equals(Buffer.from(built.buffer))).toBe(true)
    }),
  )
})

test('a posting is found from any place before it', () => {
  const sorted = fc.uniqueArray(fc.nat({ max: 500 }), { maxLength: 100 }).map((all) => all.sort((x, y) => x - y))
  fc.assert(
    fc.property(sorted, fc.nat({ max: 520 }), fc.nat(), (all, min, before) => {
      const first = all.findIndex((each) => each >= min)
      const expected = first < 0 ? all.length : first
      const from = before % (expected + 1)
      expect(seekPosting(Uint32Array.from(all), from, all.length, min)).toBe(expected)
    }),
  )
})

test('a posting is found by blocks from any place before it (issue 14, pruning)', () => {
  const size = fc.integer({ min: 1, max: 700 })
  fc.assert(
    fc.property(size, fc.nat(), fc.nat(), fc.integer({ min: 1, max: 4 }), (chunks, wanted, before, every) => {
      const documents = Array.from({ length: chunks }, (_, at): DocumentTerms => {
        const weights = new Map(at % every === 0 ? [['net', 1 + (at % 3)] as const, ['tray', 1] as const] : [])
        return { id: at + 1, docId: `d${at}`, chunks: [{ weights, fields: [] }] }
      })
      const segment = buildSegment(documents)
      for (let term = 0; term < segment.termCount; term++) {
        const start = segment.postingStart[term] ?? 0
        const to = segment.postingStart[term + 1] ?? 0
        const min = (wanted % (chunks + 1)) * 256
        const expected = seekPosting(segment.postings, start, to, min)
        const from = start + (before % (expected - start + 1))
        expect(seekByBlocks(segment, from, to, min)).toBe(expected)
      }
    }),
  )
})
