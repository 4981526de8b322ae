import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buildSegment } from '../segments/build-segment.ts'
import { termsOfDocument } from '../segments/document-terms.ts'
import { canBeMisspelt, correctTerms, stepsBetween } from './correct-terms.ts'
import type { QueryTerm } from './query-term.ts'
import { queryTerms } from './query-terms.ts'
import { rankChunks } from './rank-chunks.ts'

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

test('a query whose words visible chunks hold gets the same response, byte for byte, with corrections and without (issue 11, 3.4)', () => {
  const near = ['toner', 'tuner', 'toners', 'tower', 'printer', 'sprinter', 'принтер', 'принтеры', 'err-42']
  const texts = fc.array(fc.array(fc.constantFrom(...near), { minLength: 1, maxLength: 6 }), {
    minLength: 1,
    maxLength: 6,
  })
  fc.assert(
    fc.property(texts, fc.array(fc.nat(), { minLength: 1, maxLength: 5 }), (all, chosen) => {
      const words = all.flat()
      const query = chosen.map((at) => words[at % words.length]).join(' ')
      const documents = all.map((text, at) => ({ id: at + 1, docId: `d${at}`, title: null, language: null, text }))
      const held = buildSegment(
        documents.map((document) =>
          termsOfDocument({ ...document, chunks: [{ text: document.text.join(' '), headingPath: [] }] }),
        ),
      )
      const length = held.chunkLength.reduce((sum, units) => sum + units, 0)
      const parts = [{ segment: held, hidden: null, chunks: held.chunkCount, length }]
      const { terms, pairs } = queryTerms(query, ['en', 'ru'])
      const rank = (asked: readonly QueryTerm[]) =>
        JSON.stringify(rankChunks(parts, asked, { k: 10, pairs, explain: true }))
      expect(rank(terms)).toBe(rank(terms.map(({ spelling: _, ...term }) => term)))
    }),
  )
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

/** The whole table, a cell for each two beginnings. */
function naiveSteps(one: string, other: string): number {
  const table = Array.from({ length: one.length + 1 }, (_, row) =>
    Array.from({ length: other.length + 1 }, (__, column) => (row === 0 ? column : column === 0 ? row : 0)),
  )
  const at = (row: number, column: number): number => table[row]?.[column] ?? Number.POSITIVE_INFINITY
  for (let row = 1; row <= one.length; row++)
    for (let column = 1; column <= other.length; column++) {
      const isExchanged = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      ;(table[row] as number[])[column] = Math.min(
        at(row - 1, column) + 1,
        at(row, column - 1) + 1,
        at(row - 1, column - 1) + (one[row - 1] === other[column - 1] ? 0 : 1),
        isExchanged ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
      )
    }
  return at(one.length, other.length)
}

test('steps are those of the whole table, up to the most, also in rows that are used again', () => {
  const letters = fc.string({ maxLength: 9, unit: fc.constantFrom(...'abж') })
  fc.assert(
    fc.property(
      letters,
      fc.array(letters, { minLength: 1, maxLength: 5 }),
      fc.constantFrom(1, 2),
      (one, others, most) => {
        const rows = [new Uint8Array(12), new Uint8Array(12), new Uint8Array(12)] as const
        for (const other of others)
          expect(stepsBetween(one, other, most, rows)).toBe(Math.min(naiveSteps(one, other), most + 1))
      },
    ),
    { numRuns: 5_000 },
  )
})
