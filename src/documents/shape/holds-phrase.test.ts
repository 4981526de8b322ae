import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PhraseMatcher } from './holds-phrase.ts'

const words = ['to', 'be', 'Or', 'NOT', 'ещё', 'еще', 'и', 'printer', 'printers', 'принтеры', '漢', '字', 'ß', 'ﬁle']
const separators = [' ', ', ', '\n', '—', "'", '. ']
const text = (maxLength: number) =>
  fc
    .array(fc.tuple(fc.constantFrom(...words), fc.constantFrom(...separators)), { minLength: 1, maxLength })
    .map((parts) => ({ text: parts.flat().join(''), words: parts.map(([word]) => word) }))

/** What counts as the same word in an English text. */
const formOf = (word: string): string =>
  word
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('ё', 'е')
    .replace(/(?<=printer)s$/, '')

test('a phrase is in a text exactly if its words follow each other there, stop words as they are (issue 11, 3.3)', () => {
  fc.assert(
    fc.property(text(4), text(12), (phrase, whole) => {
      const [wanted, held] = [phrase.words.map(formOf), whole.words.map(formOf)]
      const isHeld = held.some((_, at) => wanted.every((word, next) => held[at + next] === word))
      expect(new PhraseMatcher(phrase.text).isIn(whole.text, 'en')).toBe(isHeld)
    }),
    { numRuns: 2_000 },
  )
})

test('one matcher looks through texts of several languages', () => {
  const matcher = new PhraseMatcher('die with')
  expect(matcher.isIn('they die with it', 'en')).toBe(true)
  expect(matcher.isIn('they died with it', 'en')).toBe(true)
  expect(matcher.isIn('they died with it', 'de')).toBe(false)
  expect(matcher.isIn('die, with', 'de')).toBe(true)
})
