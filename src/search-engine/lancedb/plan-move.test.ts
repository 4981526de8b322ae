import { expect, test } from 'vitest'
import { planMove } from './plan-move.ts'

const table = { chunks: 1_000_000, removedChunks: 0, isMoved: true, postings: 1_000, tokens: 1_000 }
const request = { collectionIds: [1], minChunks: 200_000, keepFrom: 1 }

function planOf(sizes: readonly Partial<typeof table>[]): readonly string[] | undefined {
  const held = {
    sizesOf: () => sizes.map((size, at) => ({ ...table, ...size, segmentId: `s${at}` })),
    droppable: () => [],
  }
  return planMove(held, request)?.segmentIds
}

test('four tables of similar size become one (issue 14, 5)', () => {
  expect(planOf([{}, {}, {}])).toBeUndefined()
  expect(planOf([{}, {}, {}, {}, {}])).toEqual(['s0', 's1', 's2', 's3'])
})

test.each(['postings', 'tokens'] as const)(
  'tables are merged only while their %s have places of 32 bits (issue 14, 5)',
  (kind) => {
    const large = { [kind]: 2 ** 31 }
    expect(planOf([large, large, large, large])).toBeUndefined()
    expect(planOf([large, {}, large, {}, large])).toEqual(['s0', 's1', 's3'])
    const third = { [kind]: 1_400_000_000 }
    expect(planOf([third, third, third, third])).toEqual(['s0', 's1', 's2'])
  },
)
