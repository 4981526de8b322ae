import fc from 'fast-check'
import { expect, test } from 'vitest'
import { forEachToken, tokenPattern } from './split-tokens.ts'

const found = (text: string): readonly (readonly [string, number])[] => {
  const tokens: (readonly [string, number])[] = []
  forEachToken(text, (token, from) => tokens.push([token, from]))
  return tokens
}
const matched = (text: string) =>
  Array.from(text.matchAll(new RegExp(tokenPattern)), ({ index, 0: token }) => [token, index])

const pieces = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('printer', 'Принтер', 'C', 'c', 'ё', 'INC0012345', '1,000', '3,14', '007') },
  { weight: 3, arbitrary: fc.constantFrom(...` \n\t.,;:!?()[]{}"<>/|*=+#-_'&@~^$%\\`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('\u00a0', '\u00ad', '\u0301', '’', '—', '«', '»', 'é', 'ß', '漢字', 'ѣ', '٣', '🙂'),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 3 }) },
  { weight: 1, arbitrary: fc.integer({ min: 120, max: 135 }).map((length) => 'a'.repeat(length)) },
)

test('tokens are the matches of their pattern, whichever way they are found (issue 11, search time)', () => {
  const texts = fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(texts, (text) => {
      expect(found(text)).toEqual(matched(text))
    }),
    { numRuns: 5_000 },
  )
})

test('a text may be split while another one is', () => {
  const tokens: string[] = []
  forEachToken('one 2x three', (token) => {
    forEachToken('4y five', (inner) => tokens.push(inner))
    tokens.push(token)
  })
  expect(tokens).toEqual(['4y', 'five', 'one', '4y', 'five', '2x', '4y', 'five', 'three'])
})
