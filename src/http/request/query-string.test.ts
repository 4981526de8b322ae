import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readQueryString } from './query-string.ts'

function read(text: string, lists?: ReadonlySet<string>): unknown {
  const result = readQueryString(text, lists)
  return result.ok ? Object.fromEntries(result.value) : result.error
}

const readings: readonly { readonly name: string; readonly text: string; readonly gives: unknown }[] = [
  { name: 'nothing', text: '', gives: {} },
  { name: 'a pair', text: 'a=1', gives: { a: '1' } },
  { name: 'empty pairs', text: '&&a=1&&', gives: { a: '1' } },
  { name: 'a name without a value', text: 'a&b=', gives: { a: '', b: '' } },
  {
    name: 'the signs of an encoded query as they are',
    text: 'sysparm_query=a=1^b<2^c>3^(d@e)^f=',
    gives: { sysparm_query: 'a=1^b<2^c>3^(d@e)^f=' },
  },
  {
    name: 'the signs of an encoded query in their %-form',
    text: 'sysparm_query=a%3D1%5Eb%3C2%5Ec%3E3%5E%28d%40e%29',
    gives: { sysparm_query: 'a=1^b<2^c>3^(d@e)' },
  },
  { name: 'Cyrillic in its %-form', text: 'q=%D0%BF%d1%80', gives: { q: 'пр' } },
  { name: 'a plus as a space and an encoded plus as a plus', text: 'q=a+b%2Bc%20d', gives: { q: 'a b+c d' } },
  { name: 'an encoded ampersand inside a value', text: 'q=a%26b=c', gives: { q: 'a&b=c' } },
  { name: 'an encoded name', text: 'sysparm%5Flimit=3', gives: { sysparm_limit: '3' } },
  {
    name: 'names that objects have',
    text: '__proto__=1&constructor=2',
    gives: { ['__proto__']: '1', constructor: '2' },
  },
  { name: 'the same value twice', text: 'a=1&a=1', gives: { a: '1' } },
  {
    name: 'two values for one name',
    text: 'sysparm_limit=1&sysparm_limit=2',
    gives: { kind: 'bad-parameter', parameter: 'sysparm_limit', found: 'two different values', expected: 'one value' },
  },
  {
    name: 'a lonely percent sign',
    text: 'a=1&q=100%',
    gives: {
      kind: 'bad-parameter',
      parameter: 'q',
      found: '100%',
      expected: 'UTF-8, %-encoded where needed (a percent sign itself is %25)',
    },
  },
  {
    name: 'bytes that are not UTF-8 (windows-1251)',
    text: 'q=%EF%F0',
    gives: {
      kind: 'bad-parameter',
      parameter: 'q',
      found: '%EF%F0',
      expected: 'UTF-8, %-encoded where needed (a percent sign itself is %25)',
    },
  },
  {
    name: 'a malformed name',
    text: '%zz=1',
    gives: {
      kind: 'bad-parameter',
      parameter: '%zz',
      found: '%zz',
      expected: 'UTF-8, %-encoded where needed (a percent sign itself is %25)',
    },
  },
  {
    name: 'the character that PostgreSQL cannot store',
    text: 'q=a%00b',
    gives: { kind: 'bad-parameter', parameter: 'q', found: 'the character U+0000', expected: 'text' },
  },
]

describe('a query string with', () => {
  test.each(readings)('$name', ({ text, gives }) => {
    expect(read(text)).toEqual(gives)
  })
})

test('a name that knows lists may come several times', () => {
  expect(read('c=a&c=b&c=a', new Set(['c']))).toEqual({ c: 'a,b,a' })
})

const anyText = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0'))

test('whatever is encoded as a form, or as a URI component, is read back', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.tuple(anyText, anyText), { selector: ([name]) => name }), (pairs) => {
      const expected = Object.fromEntries(pairs)
      expect(read(new URLSearchParams(pairs).toString())).toEqual(expected)
      const encode = ([name, value]: readonly [string, string]) =>
        `${encodeURIComponent(name)}=${encodeURIComponent(value)}`
      // A pair of an empty name and an empty value is written '=', and is still a pair.
      expect(read(pairs.map(encode).join('&'))).toEqual(expected)
    }),
  )
})

test('any bytes give parameters or a problem, never an exception', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const result = readQueryString(text)
      expect(result.ok || result.error.kind === 'bad-parameter').toBe(true)
    }),
  )
})
