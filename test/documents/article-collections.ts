import type { JudgedCollection } from '../../bench/search/judged-collections.ts'
import { readArticles } from '../../src/demo/read-articles.ts'

/**
 * The articles of the demo desk as test collections, one for each language: the text below the title is the document, the title is
 * the query, and the article that has this title is the answer.
 */
export function articleCollections(): readonly JudgedCollection[] {
  return [...Map.groupBy(readArticles(), ({ language }) => language)].map(([language, articles]) => ({
    name: `articles-${language}`,
    documents: articles.map(({ name, text }) => ({ id: name, text: text.replace(/^#[^\n]*\n+/, '') })),
    queries: articles.map(({ name, title }) => ({ id: name, text: title })),
    judgements: new Map(articles.map(({ name }) => [name, new Map([[name, 1]])])),
  }))
}
