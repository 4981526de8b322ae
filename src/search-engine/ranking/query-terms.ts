import { isStopTerm, looseTermsIn, type Term, termsIn } from '../analysis/analyze.ts'
import { detectLanguage, latinStemmerFor } from '../analysis/detect-language.ts'
import { isSingleLetter } from '../analysis/letter-pairs.ts'
import { canBeMisspelt } from './correct-terms.ts'
import type { PhraseTerms } from './phrase-filter.ts'
import { phraseTerms, quotationsOf } from './phrases.ts'
import type { QueryTerm } from './query-term.ts'
import { withoutRequestPhrases } from './request-phrases.ts'
import type { TermPair } from './term-pairs.ts'

/** The parts of a query. */
export interface QueryTerms {
  readonly terms: readonly QueryTerm[]
  /** Adjacent words. */
  readonly pairs: readonly TermPair[]
  /** The texts in quotation marks. */
  readonly phrases: readonly PhraseTerms[]
  /** The query, if it contains only stop words: chunks with it in this order come first. null: it contains other words. */
  readonly preferred: string | null
}

/**
 * The terms of a query for documents of several languages. A Latin word is searched by its stem in each language, and counts as
 * often as the query contains it, not once per language. A stop word of the query's own language is a stop word in all of them:
 * in documents of another language it is rare, and would outweigh the subject of the query. Request phrases ("I am interested
 * in articles on") are left out, unless the query contains nothing else. If a query contains only stop words for the documents
 * of a language, these are searched.
 *
 * @param languages of the searched documents, as `detectLanguage` names them
 */
export function queryTerms(query: string, languages: readonly string[]): QueryTerms {
  const own = latinStemmerFor(detectLanguage(query))
  const stripped = withoutRequestPhrases(query)
  const text = termsIn(stripped, own).length > 0 ? stripped : query
  const ownTerms = termsIn(text, own)
  const meant = new Set(ownTerms.map(({ from }) => from))
  const isMeant = ({ from }: Term): boolean => meant.size === 0 || meant.has(from)
  const terms = new Map<string, FoundTerm>()
  const pairs = new Map<string, TermPair>()
  const stemmers = new Set([own, 'en', ...languages.map(latinStemmerFor)])
  for (const language of stemmers) {
    const words = termsIn(text, language).filter(isMeant)
    const here = words.length > 0 ? words : looseTermsIn(text, language).filter(isMeant)
    addTerms(terms, here, text)
    for (const [one, other] of words.length > 0 ? neighboursOf(here) : [])
      pairs.set([one, other].sort().join(' '), [one, other])
  }
  return {
    terms: [...terms].map(([term, found]) => ({ term, ...found })),
    pairs: [...pairs.values()],
    phrases: quotationsOf(query).texts.map((phrase) => phraseTerms(phrase, stemmers)),
    preferred: ownTerms.length === 0 && /[\p{L}\p{N}]\P{L}+[\p{L}\p{N}]/u.test(query) ? query : null,
  }
}

type FoundTerm = Omit<QueryTerm, 'term' | 'count'> & { count: number }

function addTerms(terms: Map<string, FoundTerm>, found: readonly Term[], text: string): void {
  const here = new Map<string, number>()
  for (const { term, from, to } of found) {
    here.set(term, (here.get(term) ?? 0) + 1)
    if (terms.has(term)) continue
    const isLoose = isStopTerm(term) || isSingleLetter(term)
    terms.set(term, { count: 0, word: from, ...spellingOf(text.slice(from, to)), ...(isLoose ? { isLoose } : {}) })
  }
  for (const [term, count] of here) {
    const held = terms.get(term)
    if (held !== undefined) held.count = Math.max(held.count, count)
  }
}

function neighboursOf(terms: readonly Term[]): readonly TermPair[] {
  return terms.slice(1).flatMap(({ term }, at) => {
    const before = terms[at]?.term ?? term
    return before === term ? [] : [[before, term] as const]
  })
}

function spellingOf(word: string): { readonly spelling?: string } {
  return canBeMisspelt(word) ? { spelling: word } : {}
}
