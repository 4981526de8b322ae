import { expect, test } from 'vitest'
import type { RankedChunk } from '../../search-engine/ranking/best-chunks.ts'
import type { FoundChunk } from '../store/read-chunks.ts'
import { BestTexts } from './best-texts.ts'
import type { VisibleRanking } from './rank-visible.ts'

const lexical: VisibleRanking = {
  ranked: [],
  statistics: { chunks: 0, averageLength: 0, terms: [] },
  explained: null,
  corrections: [],
  position: 1,
} as unknown as VisibleRanking

const chunk = (documentId: number, score = 0): RankedChunk => ({ documentId, chunkIndex: 0, score, relevance: 0 })

/** What was read, and texts of all chunks but those of missing documents. */
function textsWithout(...missing: readonly number[]) {
  const read: (readonly number[])[] = []
  const texts = new BestTexts(async (chunks) => {
    read.push(chunks.map(({ documentId }) => documentId))
    const there = chunks.filter(({ documentId }) => !missing.includes(documentId))
    return {
      chunks: there.map((each) => ({ ...each, text: `text ${each.documentId}` }) as unknown as FoundChunk),
      relevance: new Map(there.map(({ documentId }) => [`${documentId} 0`, documentId / 10])),
    }
  })
  return { texts, read }
}

test('texts that were read ahead are not read again, and have the scores of the ranking (issue 14)', async () => {
  const { texts, read } = textsWithout()
  texts.readAhead(
    [1, 2, 3].map((id) => chunk(id)),
    lexical,
    2,
  )
  // Only the first time: later bounds are narrower.
  texts.readAhead([chunk(2)], lexical, 2)
  const { chunks, relevance } = await texts.of([chunk(3, 0.7), chunk(1, 0.5)], lexical)
  expect(chunks.map(({ documentId, score, text }) => ({ documentId, score, text }))).toEqual([
    { documentId: 1, score: 0.5, text: 'text 1' },
    { documentId: 3, score: 0.7, text: 'text 3' },
  ])
  expect(relevance.get('3 0')).toBe(0.3)
  expect(read).toEqual([[1, 2, 3]])
})

test('texts that were not read ahead are read, and one that does not exist any more is left out (issue 14)', async () => {
  const { texts, read } = textsWithout(1)
  texts.readAhead(
    [1, 2].map((id) => chunk(id)),
    lexical,
    2,
  )
  const { chunks, relevance } = await texts.of([chunk(4, 0.9), chunk(1, 0.8), chunk(2, 0.7)], lexical)
  expect(chunks.map(({ documentId, score }) => [documentId, score])).toEqual([
    [2, 0.7],
    [4, 0.9],
  ])
  expect(relevance.get('4 0')).toBe(0.4)
  expect(read).toEqual([[1, 2], [4]])
})

test('where the ranks leave much open, nothing is read ahead (issue 14)', async () => {
  const { texts, read } = textsWithout()
  texts.readAhead(
    [1, 2, 3, 4].map((id) => chunk(id)),
    lexical,
    1,
  )
  await texts.settled()
  expect(read).toEqual([])
  expect((await texts.of([chunk(4, 0.9)], lexical)).chunks).toHaveLength(1)
})
