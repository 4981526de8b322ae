import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buildSegment } from '../segments/build-segment.ts'
import { canBeMisspelt, correctTerms, stepsBetween } from './correct-terms.ts'

const segment = buildSegment([
  {
    id: 1,
    docId: 'a',
    chunks: [
      {
        weights: new Map(['printer', 'toner', 'printed', 'принтер', 'err-42', 'net'].map((term) => [term, 1])),
        fields: [],
      },
    ],
  },
])
const termAt = (ordinal: number): string => {
  const { termStart, termBytes } = segment
  return Buffer.from(termBytes.slice(termStart[ordinal], termStart[ordinal + 1])).toString()
}
const correct = (word: string, hidden: readonly string[] = []) =>
  correctTerms(
    [{ segment, chunksWith: (ordinal) => (hidden.includes(termAt(ordinal)) ? 0 : 1) }],
    [{ term: word, count: 1, word: 0, spelling: word }],
  ).flatMap(({ terms }) => terms)

test('the nearest terms are found, those of the same first letter first (issue 11, 3.4)', () => {
  expect(correct('pritner')).toEqual(['printer'])
  expect(correct('xprinter')).toEqual(['printer'])
  expect(correct('пирнтер')).toEqual(['принтер'])
  expect(correct('err-43')).toEqual([])
  expect(correct('quite')).toEqual([])
})

test('a term that only hidden documents hold corrects nothing', () => {
  expect(correct('tonar', ['toner'])).toEqual([])
})

test('identifiers, numbers, short words and mixed scripts are meant as they are', () => {
  for (const word of ['ERR', 'pump7b', 'a_b', '12345', 'приnter', '漢字漢字'])
    expect([word, canBeMisspelt(word)]).toEqual([word, false])
})

test('a mistake is one step, whichever it is', () => {
  const letters = fc.string({ minLength: 4, maxLength: 12, unit: fc.constantFrom(...'abcde') })
  fc.assert(
    fc.property(letters, fc.nat(), fc.nat({ max: 3 }), (word, where, kind) => {
      const at = where % (word.length - 1)
      const [head, tail] = [word.slice(0, at), word.slice(at)]
      const wrong = [
        `${head}x${tail}`,
        head + tail.slice(1),
        `${head}x${tail.slice(1)}`,
        head + tail[1] + tail[0] + tail.slice(2),
      ]
      expect(stepsBetween(word, wrong[kind] ?? '', 2)).toBeLessThanOrEqual(1)
      expect(stepsBetween(wrong[kind] ?? '', word, 2)).toBeLessThanOrEqual(1)
    }),
  )
})
