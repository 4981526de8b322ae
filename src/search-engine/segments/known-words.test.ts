import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buildSegment } from './build-segment.ts'
import { KnownWords } from './known-words.ts'
import { mergeSegments } from './merge-segments.ts'
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
const latinWords = (maxLength: number) => fc.string({ minLength: 1, maxLength, unit: fc.constantFrom(...'aabøẞ') })
const cyrillicWords = (maxLength: number) => fc.string({ minLength: 1, maxLength, unit: fc.constantFrom(...'аабжѣ') })
const words = (maxLength: number) => fc.oneof(latinWords(maxLength), cyrillicWords(maxLength))
const otherTerms = fc.constantFrom('err-42', '12345', 'aж', '~the', '漢字', 'a'.repeat(60))
const isOfOneScript = (term: string): boolean => /^(?:[a-zøẞ]+|[а-яѣ]+)$/.test(term)
const wordsNear = (known: KnownWords, word: string, steps: 1 | 2): readonly string[] =>
  known.near(word, steps).map((near) => near.word)
const inOrder = (terms: Iterable<string>): readonly string[] =>
  [...terms].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))

test('the near words are those that the whole table of steps gives, each once, whatever segments they are in (issue 11, 3.4)', () => {
  const lists = fc.array(fc.uniqueArray(fc.oneof({ weight: 9, arbitrary: words(10) }, otherTerms), { maxLength: 40 }), {
    maxLength: 4,
  })
  fc.assert(
    fc.property(
      lists,
      words(10),
      fc.constantFrom(1 as const, 2 as const),
      fc.nat({ max: 3 }),
      (all, word, max, late) => {
        const known = new KnownWords(all.slice(late).map((terms, at) => segmentOf(at, terms)))
        if (late > 0) known.near(word, max)
        for (const [at, terms] of all.slice(0, late).entries()) known.add(segmentOf(at, terms))
        const held = new Set(all.flat().filter((term) => isOfOneScript(term)))
        const near = [...held].filter((term) => isOfOneScript(term + word) && naiveSteps(word, term) <= max)
        expect(inOrder(wordsNear(known, word, max))).toEqual(inOrder(near))
      },
    ),
    { numRuns: 2_000 },
  )
})

test('a word with one or two mistakes anywhere finds the word', () => {
  const mistake = fc.tuple(fc.nat(), fc.nat({ max: 3 }), fc.constantFrom(...'xø'))
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
      fc.string({ minLength: 5, maxLength: 40, unit: fc.constantFrom(...'abcdeøẞ') }),
      fc.array(mistake, { minLength: 1, maxLength: 2 }),
      fc.uniqueArray(words(8), { maxLength: 20 }),
      (word, mistakes, others) => {
        const misspelt = mistakes.reduce((before, [where, kind, letter]) => wrong(before, where, kind, letter), word)
        fc.pre(naiveSteps(misspelt, word) <= mistakes.length)
        const known = new KnownWords([segmentOf(1, [...new Set([word, ...others])])])
        expect(wordsNear(known, misspelt, mistakes.length === 1 ? 1 : 2)).toContain(word)
      },
    ),
    { numRuns: 2_000 },
  )
})

test('a thousand words of one length are each found, and counted once', () => {
  const many = Array.from(
    { length: 1_000 },
    (_, at) => `w${[...String(at).padStart(4, '0')].map((d) => 'abcdefghij'[Number(d)]).join('')}`,
  )
  const known = new KnownWords([segmentOf(1, many), segmentOf(2, many.slice(500))])
  for (const word of many) expect(wordsNear(known, word, 1)).toContain(word)
  expect(known.count).toBe(1_000)
})

test('words of segments that became one are read there once, unless they were read before', () => {
  const parts = [segmentOf(1, ['toner', 'modem']), segmentOf(2, ['modem', 'router'])]
  const merged = mergeSegments(parts, new Set())
  const known = new KnownWords(parts)
  known.replace(parts, merged)
  expect(known.near('modem', 1)).toEqual([{ word: 'modem', maxChunks: 2 }])
  known.replace([merged], mergeSegments([merged, segmentOf(3, ['modem'])], new Set()))
  expect(known.near('modem', 1)).toEqual([{ word: 'modem', maxChunks: 2 }])
  expect(known.count).toBe(3)
})

test('many words are read little by little, few when they are needed', () => {
  const letters = 'abcdefghijklmnopqrstuvwxyz'
  const many = Array.from({ length: 60_000 }, (_, at) => {
    const [one, two, three, four] = [
      at % 26,
      Math.floor(at / 26) % 26,
      Math.floor(at / 676) % 26,
      Math.floor(at / 17_576),
    ]
    return [one, two, three, four].map((place) => letters[place]).join('')
  })
  const known = new KnownWords([segmentOf(1, many)])
  expect(known.readSome(4_000)).toBe(true)
  expect(known.count).toBe(4_000)
  while (known.readSome(4_000)) expect(known.count).toBeLessThan(10_000)
  expect(known.count).toBe(12_000)
  expect(known.readSome(4_000)).toBe(false)
  expect(known.count).toBe(12_000)
  expect(wordsNear(known, 'abcd', 1)).toContain('abcb')
  expect(known.count).toBe(60_000)
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
