import { expect, test } from 'vitest'
import { queryTerms } from './query-terms.ts'

const termsOf = (query: string, languages: readonly string[]) =>
  Object.fromEntries(queryTerms(query, languages).terms.map(({ term, count }) => [term, count]))

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

test('phrases that only ask are no part of a query (issue 11, 3.6)', () => {
  const requested: readonly (readonly [string, readonly string[]])[] = [
    ['I am interested in articles on packet radio networks', ['packet', 'radio', 'network']],
    ['Find all discussions of horizontal microcode', ['horizont', 'microcod']],
    ['Articles about text formatting', ['text', 'format']],
    ['Как называется алгоритм сортировки?', ['алгоритм', 'сортировк']],
    // Their words are left alone where they are the subject.
    ['information retrieval', ['inform', 'retriev']],
    ['article 5 of the interest rate paper', ['articl', '5', 'interest', 'rate', 'paper']],
    ['статья о найме', ['стат', 'найм']],
    // And where nothing else is said.
    ['interested in articles', ['interest', 'articl']],
  ]
  for (const [query, terms] of requested)
    expect({ query, terms: queryTerms(query, ['en', 'ru']).terms.map(({ term }) => term) }).toEqual({ query, terms })
})

test('words that follow each other in a query are its pairs, stop words aside (issue 11, 3.6)', () => {
  expect(queryTerms('wing in a slipstream, wing in a slipstream of air', ['en']).pairs).toEqual([
    ['wing', 'slipstream'],
    ['slipstream', 'air'],
  ])
})
