import fc from 'fast-check'
import { expect, test } from 'vitest'
import { changedIds } from './ascending-ids.ts'

test('ids with some added and some removed are those of a set, ascending', () => {
  const ids = fc.uniqueArray(fc.integer({ min: 0, max: 30 }))
  fc.assert(
    fc.property(ids, ids, ids, (before, removed, added) => {
      const expected = new Set([...before.filter((id) => !removed.includes(id)), ...added])
      const changed = changedIds(Float64Array.from(before).sort(), new Set(removed), new Set(added))
      expect([...changed]).toEqual([...expected].sort((one, other) => one - other))
    }),
  )
})
