import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addRun, noTimes, percentileOf } from './statement-times.ts'

const times = fc.array(fc.double({ min: 0, max: 200_000, noNaN: true }), { minLength: 1, maxLength: 200 })

test('a percentile is at most 19 % above the time within which so many runs ended, and never below it', () => {
  fc.assert(
    fc.property(times, fc.constantFrom(0.5, 0.95, 1), (all, part) => {
      const counted = noTimes()
      for (const tookMs of all) addRun(counted, { tookMs, isSlow: false, rows: 0 })
      const exact = all.toSorted((one, other) => one - other)[Math.ceil(all.length * part) - 1] ?? 0
      const found = percentileOf(counted.histogram, counted.maxMs, part)
      expect(found).toBeGreaterThanOrEqual(exact)
      if (exact > 1 && exact < 65_536) expect(found).toBeLessThanOrEqual(exact * 1.19)
    }),
  )
})

test('runs, slow runs, rows and the longest time are added up', () => {
  const counted = noTimes()
  addRun(counted, { tookMs: 120, isSlow: true, rows: 20 })
  addRun(counted, { tookMs: 3, isSlow: false, rows: 7 })
  expect({ ...counted, histogram: counted.histogram.length }).toEqual({
    runs: 2,
    slowRuns: 1,
    totalMs: 123,
    maxMs: 120,
    rowsReturned: 27,
    histogram: 65,
  })
})
