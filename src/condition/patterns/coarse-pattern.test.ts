import { expect, test } from 'vitest'
import { coarsePattern, sampleOf } from './coarse-pattern.ts'

const words = ['не печатает принтер', 'cannot sign in to the mail', 'laptop runs slowly', 'сбой сети на этаже']

/** A hundred subjects as they are in a table of ten million: each begins with one of four texts, and ends in a number of its own. */
const subjects = sampleOf(
  Array.from({ length: 100 }, (_each, n) => ({
    text: `${words[n % words.length]} ${1_000_000 + n * 89_107}`,
    share: 0.01,
  })),
)

test.each([
  // A quarter of all texts have each part of the word.
  ['%slowly 1234%', '%slo%y 1234%'],
  ['не печатает принтер 12%', '%печ%р 12%'],
  ['%печат%', '%печ%'],
  ['%Печатает%Принтер%', '%Печ%'],
  ['%slowly_12%', '%slo%12%'],
  // An escaped character is one character.
  ['%slowly \\%\\_%', '%slo%y \\%\\_%'],
  // Rare parts are all looked up.
  ['%qwxz%', '%qwxz%'],
  ['%щъёж', '%щъёж'],
  // Too short for a part, or one part only.
  ['%12%', '%12%'],
  ['%mai%', '%mai%'],
  ['%', '%'],
  ['', ''],
])('of the frequent parts of %s only those that narrow a search are kept: %s (issue 12, C)', (pattern, coarse) => {
  expect(coarsePattern(pattern, subjects)).toBe(coarse)
})

test('frequent parts are kept where they are in different texts, or where the sample does not show whether they are (issue 12, C)', () => {
  // Half of the texts have the one, half the other, few have both.
  const half = Array.from({ length: 100 }, (_each, n) => ({ text: n % 2 === 0 ? 'alpha' : 'omega', share: 0.01 }))
  expect(coarsePattern('%alpha omega%', sampleOf(half))).toBe('%alp%ha ome%')
  // A tenth have the one, a tenth the other, none both: the sample is too small to say more of the third.
  const tenth = Array.from({ length: 100 }, (_each, n) => ({
    text: ['abc', 'xyz', 'klm'][n % 10] ?? 'none',
    share: 0.01,
  }))
  expect(coarsePattern('%abc%xyz%klm%', sampleOf(tenth))).toBe('%abc%xyz%klm%')
})

test('without a sample, or where the case of a character depends on the next one, a pattern stays as it is (issue 12, C)', () => {
  expect(coarsePattern('%slowly 1234%', sampleOf([]))).toBe('%slowly 1234%')
  expect(coarsePattern('%slowly ΟΔΟΣ%', subjects)).toBe('%slowly ΟΔΟΣ%')
})
