import fc from 'fast-check'
import { expect, test } from 'vitest'
import { withLines } from './written-rows.ts'

test('ranges hold the lines that were added, each once and none besides', () => {
  const lines = fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 20 })
  fc.assert(
    fc.property(fc.array(lines, { maxLength: 6 }), (batches) => {
      const ranges = batches.reduce<ReturnType<typeof withLines>>((known, batch) => withLines(known, batch), [])
      const held = ranges.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, at) => from + at))
      expect(held).toEqual([...new Set(batches.flat())].sort((one, other) => one - other))
      for (const [at, [from]] of ranges.entries()) expect(from).toBeGreaterThan((ranges[at - 1]?.[1] ?? -1) + 1)
    }),
  )
})
