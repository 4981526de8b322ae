import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { placeBlocks, type ReadBlock } from '../../console/src/list/place-blocks.ts'

const blockRows = 5
const idOf = (row: number): string => String(row)

interface Change {
  readonly isInsert: boolean
  readonly at: number
}
const changes = fc.array(fc.record({ isInsert: fc.boolean(), at: fc.nat({ max: 40 }) }), { maxLength: 3 })

function blockOf(list: readonly number[], block: number): ReadBlock<number> {
  const from = block * blockRows
  const to = from + blockRows
  return { block, rows: list.slice(from, to), before: list[from - 1] ?? null, isLast: to >= list.length }
}

/** Reads all blocks of a list one after the other; others change the list before each of them. */
function readWhile(size: number, before: readonly (readonly Change[])[]) {
  const list = Array.from({ length: size }, (_, at) => at)
  const start = new Set(list)
  let fresh = size
  const blocks: ReadBlock<number>[] = []
  for (let block = 0; block * blockRows < list.length || block === 0; block += 1) {
    for (const { isInsert, at } of block === 0 ? [] : (before[block] ?? [])) {
      if (isInsert) list.splice(Math.min(at, list.length), 0, fresh++)
      else list.splice(at, 1)
    }
    blocks.push(blockOf(list, block))
  }
  const stayed = list.filter((row) => start.has(row))
  return { blocks, stayed }
}

describe('blocks of a list that changes while it is read (issue 13)', () => {
  test('a list that does not change is what it is', () => {
    fc.assert(
      fc.property(fc.nat({ max: 30 }), (size) => {
        const { blocks, stayed } = readWhile(size, [])
        const { rows, end, isShifted } = placeBlocks(blocks, blockRows, idOf)
        expect([...rows]).toEqual(stayed.map((row, at) => [at, row]))
        expect({ end, isShifted }).toEqual({ end: size, isShifted: false })
      }),
    )
  })

  test('no row is displayed twice, none is left empty, and where rows may be missing it is reported', () => {
    const counts = { shifted: 0, quiet: 0 }
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30 }), fc.array(changes, { maxLength: 8 }), (size, before) => {
        const { blocks, stayed } = readWhile(size, before)
        const { rows, isShifted } = placeBlocks(blocks, blockRows, idOf)
        const displayed = [...rows.values()]
        expect(new Set(displayed).size).toBe(displayed.length)
        expect([...rows.keys()]).toEqual(displayed.map((_, at) => at))
        counts[isShifted ? 'shifted' : 'quiet'] += 1
        if (!isShifted) expect(displayed).toEqual(expect.arrayContaining(stayed))
      }),
    )
    expect(Math.min(counts.shifted, counts.quiet)).toBeGreaterThan(10)
  })

  test('a block far away has its place; blocks between them join it', () => {
    const list = Array.from({ length: 40 }, (_, at) => at)
    const far = blockOf(list, 5)
    expect([...placeBlocks([blockOf(list, 0), far], blockRows, idOf).rows.keys()]).toEqual([
      0, 1, 2, 3, 4, 25, 26, 27, 28, 29,
    ])
    const inserted = [100, ...list]
    const shifted = placeBlocks([far, blockOf(inserted, 1), blockOf(list, 0)], blockRows, idOf)
    expect(shifted.isShifted).toBe(true)
    expect([...shifted.rows.values()].slice(0, 9)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
  })
})
