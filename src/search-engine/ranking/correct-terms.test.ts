import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buildSegment } from '../segments/build-segment.ts'
import { termsOfDocument } from '../segments/document-terms.ts'
import { KnownWords } from '../segments/known-words.ts'
import { canBeMisspelt, correctTerms } from './correct-terms.ts'
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
    new KnownWords([segment]),
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
      const rank = (requested: readonly QueryTerm[]) =>
        JSON.stringify(rankChunks(parts, requested, { k: 10, pairs, explain: true }))
      expect(rank(terms)).toBe(rank(terms.map(({ spelling: _, ...term }) => term)))
    }),
  )
})

test('the terms of a correction are the best of all near terms that visible chunks contain (issue 11, 3.4)', () => {
  const near = ['toner', 'tones', 'tonet', 'tonel', 'lonex', 'bonex', 'honex', 'tuner']
  const texts = fc.array(fc.array(fc.constantFrom(...near), { minLength: 1, maxLength: 6 }), {
    minLength: 1,
    maxLength: 9,
  })
  fc.assert(
    fc.property(texts, fc.array(fc.boolean(), { minLength: 9, maxLength: 9 }), (all, isHidden) => {
      const segments = all.map((text, at) =>
        buildSegment([
          { id: at, docId: `d${at}`, chunks: [{ weights: new Map(text.map((term) => [term, 1])), fields: [] }] },
        ]),
      )
      const parts = segments.map((each, at) => ({ segment: each, chunksWith: () => (isHidden[at] === true ? 0 : 1) }))
      const [correction] = correctTerms(
        parts,
        [{ term: 'tonex', count: 1, spelling: 'tonex' }],
        new KnownWords(segments),
      )
      const chunksOf = (term: string): number => all.filter((text, at) => !isHidden[at] && text.includes(term)).length
      const isWithin = (term: string): boolean => [...term].filter((letter, at) => letter !== 'tonex'[at]).length < 2
      const expected = near
        .filter((term) => isWithin(term) && chunksOf(term) > 0)
        .sort(
          (one, other) =>
            Number(other[0] === 't') - Number(one[0] === 't') ||
            chunksOf(other) - chunksOf(one) ||
            (one < other ? -1 : 1),
        )
      expect(correction?.terms ?? []).toEqual(expected.slice(0, 3))
    }),
  )
})
