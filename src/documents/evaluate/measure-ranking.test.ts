import { expect, test } from 'vitest'
import { measureRankings } from './measure-ranking.ts'

const judgements = new Map([
  [
    'q1',
    new Map([
      ['a', 3],
      ['b', 1],
      ['c', 0],
    ]),
  ],
  ['q2', new Map([['x', 1]])],
  ['nothing relevant', new Map([['a', 0]])],
])

test('a perfect ranking measures 1', () => {
  const rankings = new Map([
    ['q1', ['a', 'b', 'c']],
    ['q2', ['x']],
  ])
  expect(measureRankings(rankings, judgements)).toEqual({ queries: 2, ndcg10: 1, map: 1, recall10: 1, recall100: 1 })
})

test('gains are discounted by rank; queries without a judgement of relevance do not count', () => {
  const measures = measureRankings(
    new Map([
      ['q1', ['c', 'b', 'a']],
      ['q2', ['y', 'x']],
    ]),
    judgements,
  )
  const q1 = (1 / Math.log2(3) + 3 / Math.log2(4)) / (3 + 1 / Math.log2(3))
  const q2 = 1 / Math.log2(3)
  expect(measures.ndcg10).toBeCloseTo((q1 + q2) / 2, 12)
  expect(measures.map).toBeCloseTo(((1 / 2 + 2 / 3) / 2 + 1 / 2) / 2, 12)
})

test('recall looks at the first 10 and the first 100; what was not found counts as missed', () => {
  const far = [...Array.from({ length: 20 }, (_, n) => `n${n}`), 'x']
  const measures = measureRankings(new Map([['q2', far]]), judgements)
  expect(measures).toMatchObject({ recall10: 0, recall100: 0.5, ndcg10: 0 })
})
