import { expect, test } from 'vitest'
import { readLifetime } from './key-lifetime.ts'

test.each([
  ['30m', 1_800_000],
  ['12h', 43_200_000],
  [' 90d ', 7_776_000_000],
  ['8w', 4_838_400_000],
  ['1y', 31_536_000_000],
])('%j is %d ms', (text, ms) => {
  expect(readLifetime(text)).toBe(ms)
})

test.each(['', '90', 'd', '0d', '-1d', '1.5h', '1 d', '1s', '1M', '9999999999d', '٣d', '1dd'])(
  '%j is no time',
  (text) => {
    expect(readLifetime(text)).toBeUndefined()
  },
)
