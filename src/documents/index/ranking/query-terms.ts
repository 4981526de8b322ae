import { termsIn } from '../../chunk/analyze.ts'
import { detectLanguage, latinStemmerFor } from '../../chunk/detect-language.ts'
import type { QueryTerm } from './rank-chunks.ts'

/**
 * The terms of a query for documents of several languages: a Latin word is looked for by its stem in each of them, and
 * counts as often as the query says it, not once a language. A stop word of the query's own language is one in all: in
 * documents of another language it is rare, and would outweigh what the query is about.
 *
 * @param languages of the documents searched, as `detectLanguage` names them
 */
export function queryTerms(query: string, languages: readonly string[]): readonly QueryTerm[] {
  const own = latinStemmerFor(detectLanguage(query))
  const meant = new Set(termsIn(query, own).map(({ from }) => from))
  const counts = new Map<string, number>()
  for (const language of new Set([own, 'en', ...languages.map(latinStemmerFor)])) {
    const here = new Map<string, number>()
    for (const { term, from } of termsIn(query, language))
      if (meant.has(from)) here.set(term, (here.get(term) ?? 0) + 1)
    for (const [term, count] of here) counts.set(term, Math.max(counts.get(term) ?? 0, count))
  }
  return [...counts].map(([term, count]) => ({ term, count }))
}
