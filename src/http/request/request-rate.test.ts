import fc from 'fast-check'
import { expect, test } from 'vitest'
import { requestRate } from './request-rate.ts'

test('a user may send the rate at once, then waits for the next token; other users do not (issue 8, A7)', () => {
  let nowMs = 0
  const rate = requestRate(2, () => nowMs)
  expect([rate('a'), rate('a'), rate('a'), rate('b')]).toEqual([0, 0, 1, 0])
  nowMs = 500
  expect([rate('a'), rate('a')]).toEqual([0, 1])
  nowMs = 60_000
  expect([rate('a'), rate('a'), rate('a')]).toEqual([0, 0, 1])
})

test('without a rate nothing is counted', () => {
  const rate = requestRate(0)
  expect(Array.from({ length: 1_000 }, () => rate('a')).every((seconds) => seconds === 0)).toBe(true)
})

test('in any time no more pass than the rate allows, and whoever waits as long as told passes', () => {
  const pauses = fc.array(fc.integer({ min: 0, max: 1_500 }), { minLength: 1, maxLength: 60 })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), pauses, (perSecond, all) => {
      let nowMs = 0
      const rate = requestRate(perSecond, () => nowMs)
      let passed = 0
      for (const pauseMs of all) {
        nowMs += pauseMs
        if (rate('a') === 0) passed += 1
      }
      expect(passed).toBeLessThanOrEqual(perSecond + (nowMs / 1_000) * perSecond)
      const seconds = rate('a')
      nowMs += seconds * 1_000
      if (seconds > 0) expect(rate('a')).toBe(0)
    }),
  )
})
