import { expect, test } from 'vitest'
import { firstVector } from './dot-products.ts'
import { VectorBlocks } from './vector-blocks.ts'

test('the memory of 2,000 blocks grows a few times only: V8 collects all garbage after each time (issue 14, vectors)', () => {
  const blocks = new VectorBlocks(64)
  const buffers = new Set<unknown>()
  for (let at = 0; at < 2_000; at++) buffers.add(blocks.allocate(768).region.memory.buffer)
  expect(buffers.size).toBeLessThan(10)
})

test('blocks are adjacent to the end of a region, and the next ones are in another one (issue 14, vectors)', () => {
  const blocks = new VectorBlocks(64)
  const blockBytes = 16_384 * 64
  const inRegion = Math.floor((2 ** 30 - firstVector) / blockBytes)
  const allocated = Array.from({ length: inRegion + 1 }, () => blocks.allocate(16_384))
  expect(allocated.map(({ from }) => from)).toEqual([
    ...Array.from({ length: inRegion }, (_, at) => firstVector + at * blockBytes),
    firstVector,
  ])
  expect(allocated.map(({ region }) => blocks.regions.indexOf(region))).toEqual([
    ...Array.from({ length: inRegion }, () => 0),
    1,
  ])
  for (const { region, from } of allocated)
    expect(region.memory.buffer.byteLength).toBeGreaterThanOrEqual(from + blockBytes)
})
