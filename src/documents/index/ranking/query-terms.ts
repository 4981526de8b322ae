import { termsIn } from '../../chunk/analyze.ts'
import { detectLanguage, latinStemmerFor } from '../../chunk/detect-language.ts'
import { canBeMisspelt } from './correct-terms.ts'
import { type PhraseTerms, phrasesOf, phraseTerms } from './phrases.ts'
import type { QueryTerm } from './query-term.ts'
import { withoutRequestPhrases } from './request-phrases.ts'
import type { TermPair } from './term-pairs.ts'

/** What a query asks for. */
export interface QueryTerms {
  readonly terms: readonly QueryTerm[]
  /** Words that follow each other. */
  readonly pairs: readonly TermPair[]
  /** Of the texts between quotation marks. */
  readonly phrases: readonly PhraseTerms[]
}

/**
 * The terms of a query for documents of several languages: a Latin word is looked for by its stem in each of them, and
 * counts as often as the query says it, not once a language. A stop word of the query's own language is one in all: in
 * documents of another language it is rare, and would outweigh what the query is about. Phrases that only ask
 * ("I am interested in articles on") are left out, unless the query has nothing else.
 *
 * @param languages of the documents searched, as `detectLanguage` names them
 */
export function queryTerms(query: string, languages: readonly string[]): QueryTerms {
  const own = latinStemmerFor(detectLanguage(query))
  const stripped = withoutRequestPhrases(query)
  const text = termsIn(stripped, own).length > 0 ? stripped : query
  const meant = new Set(termsIn(text, own).map(({ from }) => from))
  const terms = new Map<string, { count: number; readonly word: number; readonly spelling?: string }>()
  const pairs = new Map<string, TermPair>()
  const stemmers = new Set([own, 'en', ...languages.map(latinStemmerFor)])
  for (const language of stemmers) {
    const here = new Map<string, number>()
    let before: string | undefined
    for (const { term, from, to } of termsIn(text, language)) {
      if (!meant.has(from)) continue
      here.set(term, (here.get(term) ?? 0) + 1)
      if (!terms.has(term)) terms.set(term, { count: 0, word: from, ...spellingOf(text.slice(from, to)) })
      if (before !== undefined && before !== term) pairs.set([before, term].sort().join(' '), [before, term])
      before = term
    }
    for (const [term, count] of here) {
      const held = terms.get(term)
      if (held !== undefined) held.count = Math.max(held.count, count)
    }
  }
  return {
    terms: [...terms].map(([term, word]) => ({ term, ...word })),
    pairs: [...pairs.values()],
    phrases: phrasesOf(query).map((phrase) => phraseTerms(phrase, stemmers)),
  }
}

function spellingOf(word: string): { readonly spelling?: string } {
  return canBeMisspelt(word) ? { spelling: word } : {}
}
