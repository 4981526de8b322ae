import { expect, test } from 'vitest'
import { readArticles } from './read-articles.ts'

const articles = readArticles()
const words = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

test('there are at least 120 articles, about half of them in each language', () => {
  expect(articles.length).toBeGreaterThanOrEqual(120)
  const russian = articles.filter(({ language }) => language === 'ru').length
  expect(russian / articles.length).toBeGreaterThan(0.4)
  expect(russian / articles.length).toBeLessThan(0.6)
})

test.each(articles)('$name has a complete head, its title as heading, and the length of an article', (article) => {
  expect([
    'access',
    'hardware',
    'software',
    'network',
    'mail',
    'telephony',
    'printing',
    'security',
    'business_app',
    'other',
  ]).toContain(article.category)
  expect(['published', 'draft', 'retired']).toContain(article.status)
  expect([1, 2, 3, 4]).toContain(article.priority)
  expect(article.name.slice(0, 3)).toBe(`${article.language}-`)
  expect(article.text.startsWith(`# ${article.title}\n\n`)).toBe(true)
  expect(article.text).toMatch(/^## /m)
  expect(words(article.text).length).toBeGreaterThanOrEqual(150)
  expect(words(article.text).length).toBeLessThanOrEqual(420)
  expect(/[а-яё]/i.test(article.title)).toBe(article.language === 'ru')
})

test('no article repeats another: they share few runs of five words', () => {
  const runsOf = (text: string): ReadonlySet<string> => {
    const all = words(text)
    return new Set(all.slice(4).map((_, at) => all.slice(at, at + 5).join(' ')))
  }
  const runs = articles.map((article) => ({ name: article.name, runs: runsOf(article.text) }))
  const alike = runs.flatMap((one, at) =>
    runs.slice(at + 1).flatMap((other) => {
      const shared = [...one.runs].filter((run) => other.runs.has(run)).length
      return shared > one.runs.size * 0.05 ? [`${one.name} and ${other.name}: ${shared}`] : []
    }),
  )
  expect(alike).toEqual([])
})

test('the codes that articles explain are found in more than their titles', () => {
  const codes = ['ERR-1042', 'VPN-809', 'NET-4203', 'MAIL-2044', 'ERP-2217', 'PRN-017', 'WMS-614', 'BKP-3301']
  expect(codes.filter((code) => !articles.some(({ text }) => text.includes(code)))).toEqual([])
})
