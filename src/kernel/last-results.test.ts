import { expect, test } from 'vitest'
import { LastResults } from './last-results.ts'

test('a result is kept for its object while what else it depends on stays the same', () => {
  const results = new LastResults<object, number>()
  let made = 0
  const make = (): number => ++made
  const [key, other, rules] = [{}, {}, {}]
  expect([results.get(key, [rules, 1], make), results.get(key, [rules, 1], make)]).toEqual([1, 1])
  expect(results.get(key, [rules, 2], make)).toBe(2)
  expect(results.get(key, [{}, 2], make)).toBe(3)
  expect(results.get(other, [rules, 1], make)).toBe(4)
  expect(results.get(other, [rules, 1], make)).toBe(4)
})
