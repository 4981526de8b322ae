import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { wordDiff } from '../../console/src/form/word-diff.ts'

const word = fc.oneof(fc.constantFrom('a', 'b', 'the', '\ud83d\ude00', ' ', '\n', '  '), fc.string({ unit: 'binary' }))
const text = fc.array(word, { maxLength: 60 }).map((words) => words.join(' '))
const without = (kind: 'old' | 'new', before: string, after: string): string =>
  wordDiff(before, after)
    .filter((part) => part.kind !== kind)
    .map((part) => part.text)
    .join('')

describe('differences of texts by words', () => {
  test('they give both texts, whatever is in them', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect(without('new', before, after)).toBe(before)
        expect(without('old', before, after)).toBe(after)
      }),
    )
  })

  test('no part is empty, and no two of a kind are neighbours', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const parts = wordDiff(before, after)
        expect(parts.filter((part, at) => part.text === '' || part.kind === parts[at + 1]?.kind)).toEqual([])
      }),
    )
  })

  test('the words that both have stay', () => {
    expect(wordDiff('The printer on floor 2 jams', 'The old printer on floor 3 jams')).toEqual([
      { kind: 'same', text: 'The ' },
      { kind: 'new', text: 'old ' },
      { kind: 'same', text: 'printer on floor ' },
      { kind: 'old', text: '2' },
      { kind: 'new', text: '3' },
      { kind: 'same', text: ' jams' },
    ])
  })

  test('very long texts without a common word are replaced as a whole', () => {
    const [before, after] = ['a ', 'b '].map((each) => each.repeat(3_000))
    expect(wordDiff(before ?? '', after ?? '').map(({ kind }) => kind)).toEqual(['old', 'new', 'same'])
  })
})
