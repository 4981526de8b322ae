import { termsIn } from '../../search-engine/analysis/analyze.ts'
import type { Correction } from '../../search-engine/ranking/correct-terms.ts'
import type { Range } from './highlight.ts'

/** A word of the query that occurs in no document, and the words that were searched instead, best first. */
export interface CorrectedWord {
  readonly word: string
  readonly corrections: readonly string[]
}

interface FoundText {
  readonly text: string
  readonly title: string | null
  readonly language: string | null
  /** The searched words, including corrected ones; null: not known. */
  readonly highlights: readonly Range[] | null
}

/** The spellings of stems, taken from the chunks that were found. */
export function spellingsOf(
  query: string,
  corrections: readonly Correction[],
  found: readonly FoundText[],
): { readonly corrections: readonly CorrectedWord[]; readonly didYouMean: string | null } {
  if (corrections.length === 0) return { corrections: [], didYouMean: null }
  const words = wordsOf(new Set(corrections.flatMap(({ terms }) => terms)), found)
  const wordOf = (term: string | undefined): string => words.get(term ?? '') ?? term ?? ''
  let didYouMean = query
  for (const { word, spelling, terms } of corrections.toSorted((one, other) => other.word - one.word))
    didYouMean = didYouMean.slice(0, word) + wordOf(terms[0]) + didYouMean.slice(word + spelling.length)
  return {
    corrections: corrections.map(({ spelling, terms }) => ({ word: spelling, corrections: terms.map(wordOf) })),
    didYouMean,
  }
}

/** The first word of each term, best chunk first. */
function wordsOf(terms: ReadonlySet<string>, found: readonly FoundText[]): ReadonlyMap<string, string> {
  const words = new Map<string, string>()
  for (const { text, title, language, highlights } of found)
    for (const field of [...(highlights?.map(([from, to]) => text.slice(from, to)) ?? [text]), title ?? ''])
      for (const { term, from, to } of termsIn(field, language ?? undefined))
        if (terms.has(term) && !words.has(term)) words.set(term, field.slice(from, to).toLowerCase())
  return words
}
