import { analyze } from '../chunk/analyze.ts'
import type { QueryTerm } from './rank-chunks.ts'

/**
 * The terms of a query for documents of several languages: a Latin word is looked for by its stem in each of them, and
 * counts as often as the query says it, not once a language.
 *
 * @param languages of the documents searched, as `detectLanguage` names them
 */
export function queryTerms(query: string, languages: readonly string[]): readonly QueryTerm[] {
  const counts = new Map<string, number>()
  for (const language of new Set(['en', ...languages])) {
    const here = new Map<string, number>()
    for (const term of analyze(query, language)) here.set(term, (here.get(term) ?? 0) + 1)
    for (const [term, count] of here) counts.set(term, Math.max(counts.get(term) ?? 0, count))
  }
  return [...counts].map(([term, count]) => ({ term, count }))
}
