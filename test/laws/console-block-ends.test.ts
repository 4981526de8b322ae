import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type BlockEnds,
  blocksToDrop,
  extentOf,
  isBehindEnd,
  type LoadedBlock,
  recordEnds,
} from '../../console/src/list/block-ends.ts'

const blockRows = 5
const listOf = (size: number): string[] => Array.from({ length: size }, (_, at) => `row ${at}`)

/** Reads a block by the cursor that is known; the cursor of a list of texts is the text before. */
function readBlock(list: readonly string[], ends: BlockEnds, block: number, isReread: boolean): LoadedBlock {
  const before = block === 0 ? null : (ends.get(block - 1)?.sysIds.at(-1) ?? null)
  const after = ends.get(block - 1)?.cursor ?? null
  // A row that is gone still has a place: that of the row that followed it.
  const from = block === 0 ? 0 : Number(after)
  const start = list.findIndex((row) => orderOf(row) > from)
  const sysIds = block === 0 ? list.slice(0, blockRows) : start < 0 ? [] : list.slice(start, start + blockRows)
  const last = sysIds.at(-1)
  const isEnd = last === undefined || last === list.at(-1)
  return { block, before, sysIds, cursor: isEnd ? null : String(orderOf(last)), isReread }
}
const orderOf = (row: string): number => Number(row.slice(4))

/** Scrolls over a list by blocks, as far as can be scrolled, and drops what is far away. */
function scroll(list: readonly string[], views: readonly number[], max: number) {
  const ends: BlockEnds = new Map()
  const loaded = new Map<number, LoadedBlock>([[0, readBlock(list, ends, 0, false)]])
  recordEnds(ends, [...loaded.values()])
  let peak = 1
  for (const view of views) {
    const { rows, isWhole } = extentOf(ends, blockRows)
    const block = Math.min(view, Math.max(0, Math.ceil((rows + Number(!isWhole)) / blockRows) - 1))
    loaded.set(block, loaded.get(block) ?? readBlock(list, ends, block, false))
    recordEnds(ends, [...loaded.values()])
    for (const far of blocksToDrop([...loaded.keys()], [block], max)) loaded.delete(far)
    expect(loaded.has(block)).toBe(true)
    peak = Math.max(peak, loaded.size)
  }
  return { ends, loaded, peak }
}

describe('blocks of a long list, by cursor (issue 13)', () => {
  const views = fc.array(fc.nat({ max: 12 }), { maxLength: 40 })

  test('wherever one scrolls, each block has the rows of its place, and no more blocks than allowed are in memory', () => {
    fc.assert(
      fc.property(fc.nat({ max: 50 }), views, fc.integer({ min: 1, max: 4 }), (size, scrolled, max) => {
        const list = listOf(size)
        const { ends, loaded, peak } = scroll(list, scrolled, max)
        expect(peak).toBeLessThanOrEqual(max)
        for (const { block, sysIds } of loaded.values())
          expect(sysIds).toEqual(list.slice(block * blockRows, (block + 1) * blockRows))
        const { rows, isWhole } = extentOf(ends, blockRows)
        expect(isWhole).toBe(rows === size)
        const known = [...ends].toSorted(([one], [other]) => one - other).flatMap(([, { sysIds }]) => sysIds)
        expect(known).toEqual(list.slice(0, rows))
      }),
    )
  })

  test('blocks that are read again after a change fit together again, one after the other', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.array(fc.nat({ max: 40 }), { minLength: 1, maxLength: 6 }),
        (size, removed) => {
          const list = listOf(size)
          const { ends, loaded } = scroll(list, [1, 2, 3, 4, 5, 6, 7, 8], 20)
          const changed = list.filter((_, at) => !removed.includes(at))
          const after = new Map([...loaded.keys()].map((block) => [block, readBlock(changed, ends, block, true)]))
          for (let turn = 0; turn < 40; turn += 1) {
            const again = recordEnds(ends, [...after.values()])
            for (const block of [...after.keys()]) if (isBehindEnd(ends, block, blockRows)) after.delete(block)
            if (again.length === 0) break
            for (const block of again) if (after.has(block)) after.set(block, readBlock(changed, ends, block, true))
          }
          const { rows } = extentOf(ends, blockRows)
          const known = [...ends].toSorted(([one], [other]) => one - other).flatMap(([, { sysIds }]) => sysIds)
          expect(known).toEqual(changed.slice(0, rows))
          expect(rows).toBe(changed.length)
        },
      ),
    )
  })

  test('a dropped block that comes back changed moves nothing behind it', () => {
    const list = listOf(20)
    const { ends } = scroll(list, [1, 2, 3], 2)
    const second = readBlock(list, ends, 2, false)
    const kept = ends.get(1)
    const first = readBlock(
      list.filter((row) => row !== 'row 7'),
      ends,
      1,
      false,
    )
    expect(recordEnds(ends, [first, second])).toEqual([])
    expect(ends.get(1)).toEqual(kept)
    expect(recordEnds(ends, [{ ...first, isReread: true }, second])).toEqual([2])
    expect(ends.get(1)?.sysIds).toEqual(first.sysIds)
  })
})
