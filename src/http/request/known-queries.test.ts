import { expect, test } from 'vitest'
import { knownQueries } from './known-queries.ts'
import { NO_LISTS, readQueryString } from './query-string.ts'

test('equal query strings give the same map, and it is what reading them gives', () => {
  const read = knownQueries(NO_LISTS)
  const texts = ['', 'a=1', 'a=1&b=%D1%8F+%2B', 'a=%FF', 'a=1&a=2', `a=${'x'.repeat(3_000)}`]
  for (const text of texts) {
    const first = read(text)
    expect(first).toEqual(readQueryString(text))
    expect(read(text)).toEqual(first)
  }
  const [one, again] = [read('a=1'), read('a=1')]
  expect(one.ok && again.ok && one.value === again.value).toBe(true)
})

test('names that may be repeated are joined', () => {
  expect(knownQueries(new Set(['a']))('a=1&a=2')).toEqual({ ok: true, value: new Map([['a', '1,2']]) })
})
