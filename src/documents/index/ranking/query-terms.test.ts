import { expect, test } from 'vitest'
import { queryTerms } from './query-terms.ts'

const termsOf = (query: string, languages: readonly string[]) =>
  Object.fromEntries(queryTerms(query, languages).map(({ term, count }) => [term, count]))

test('a word is looked for by its stem in every language of the documents, and counts as often as it is said', () => {
  expect(termsOf('printers printing', ['en'])).toEqual({ printer: 1, print: 1 })
  expect(termsOf('Rechnungen und Rechnungen', ['en', 'de'])).toEqual({ rechnungen: 2, rechnung: 2, und: 1 })
})

test('stop words of the query are none of its terms in any other language', () => {
  const query = 'what are the effects of the boundary layer on the wing'
  expect(termsOf(query, ['en', 'fr', 'de', 'it'])).not.toHaveProperty('the')
  expect(Object.keys(termsOf(query, ['en']))).toEqual(expect.arrayContaining(['boundari', 'layer', 'wing']))
})

test('Russian and English stand in one query', () => {
  expect(termsOf('как настроить VPN клиент', ['ru', 'en'])).toMatchObject({ vpn: 1, клиент: 1 })
})
