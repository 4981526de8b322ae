import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buildSegment } from './build-segment.ts'
import { mergeSegments } from './merge-segments.ts'
import { NearTerms } from './near-terms.ts'
import type { Segment } from './segment.ts'
import { findTerm } from './sorted-terms.ts'

const segmentOf = (id: number, terms: readonly string[]): Segment =>
  buildSegment([{ id, docId: `d${id}`, chunks: [{ weights: new Map(terms.map((term) => [term, 1])), fields: [] }] }])
const termsOf = ({ termStart, termBytes, termCount }: Segment): readonly string[] =>
  Array.from({ length: termCount }, (_, term) =>
    Buffer.from(termBytes.slice(termStart[term], termStart[term + 1])).toString(),
  )

/** Letters that are added, left out, replaced, or exchanged with their neighbour: the whole table, a cell for each two beginnings. */
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

/** Of few letters, so that many words are near each other; of one, two and three bytes. */
const words = (maxLength: number) => fc.string({ minLength: 1, maxLength, unit: fc.constantFrom(...'aabжẞ') })
const inOrder = (terms: Iterable<string>): readonly string[] =>
  [...terms].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))

test('the near terms of a word are those that the whole table of steps gives, each once (issue 11, 3.4)', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(words(10), { maxLength: 60 }),
      words(10),
      fc.constantFrom(1 as const, 2 as const),
      (terms, word, most) => {
        const segment = segmentOf(1, terms)
        const held = termsOf(segment)
        const near = new NearTerms(word, most).of(segment).map((ordinal) => held[ordinal] ?? '')
        expect(inOrder(near)).toEqual(inOrder(terms.filter((term) => naiveSteps(word, term) <= most)))
      },
    ),
    { numRuns: 5_000 },
  )
})

test('a word with one or two mistakes anywhere finds the word', () => {
  const mistake = fc.tuple(fc.nat(), fc.nat({ max: 3 }), fc.constantFrom(...'xж'))
  const wrong = (word: string, where: number, kind: number, letter: string): string => {
    const at = where % (word.length - 1)
    const [head, tail] = [word.slice(0, at), word.slice(at)]
    return (
      [
        `${head}${letter}${tail}`,
        head + tail.slice(1),
        `${head}${letter}${tail.slice(1)}`,
        `${head}${tail[1]}${tail[0]}${tail.slice(2)}`,
      ][kind] ?? word
    )
  }
  fc.assert(
    fc.property(
      fc.string({ minLength: 5, maxLength: 40, unit: fc.constantFrom(...'abcdeжя') }),
      fc.array(mistake, { minLength: 1, maxLength: 2 }),
      fc.uniqueArray(words(8), { maxLength: 20 }),
      (word, mistakes, others) => {
        const misspelt = mistakes.reduce((before, [where, kind, letter]) => wrong(before, where, kind, letter), word)
        fc.pre(naiveSteps(misspelt, word) <= mistakes.length)
        const segment = segmentOf(1, [...new Set([word, ...others])])
        const ordinal = findTerm(segment, Buffer.from(word))
        expect(new NearTerms(misspelt, mistakes.length === 1 ? 1 : 2).of(segment)).toContain(ordinal)
      },
    ),
    { numRuns: 2_000 },
  )
})

test('terms ascend in the order of their bytes, also in merged segments, and each is found', () => {
  const any = fc.oneof(words(6), fc.string({ minLength: 1, maxLength: 4, unit: 'binary' }))
  fc.assert(
    fc.property(fc.array(fc.uniqueArray(any, { maxLength: 12 }), { minLength: 1, maxLength: 5 }), (lists) => {
      const texts = lists.map((list) => [...new Set(list.map((term) => Buffer.from(term).toString()))])
      const segments = texts.map((terms, at) => segmentOf(at + 1, terms))
      const merged = mergeSegments(segments, new Set([1]))
      for (const [segment, terms] of [
        ...segments.map((segment, at) => [segment, texts[at] ?? []] as const),
        [merged, [...new Set(texts.slice(1).flat())]] as const,
      ]) {
        expect(termsOf(segment)).toEqual(inOrder(terms))
        for (const [ordinal, term] of termsOf(segment).entries())
          expect(findTerm(segment, Buffer.from(term))).toBe(ordinal)
        expect(findTerm(segment, Buffer.from('no such term'))).toBe(-1)
      }
    }),
  )
})

test('one word is looked for in one segment after the other', () => {
  const near = new NearTerms('printre', 2)
  const segments = [segmentOf(1, ['printer', 'printed', 'pointer', 'принтер']), segmentOf(2, ['toner', 'printer'])]
  const found = segments.map((segment) => near.of(segment).map((ordinal) => termsOf(segment)[ordinal] ?? ''))
  expect(found.map(inOrder)).toEqual([['pointer', 'printed', 'printer'], ['printer']])
})
