import { termsIn } from '../analysis/analyze.ts'
import { isSingleLetter } from '../analysis/letter-pairs.ts'
import type { PhraseTerms } from './phrase-filter.ts'

const quoted = /"([^"]+)"|“([^”“]+)[”“]|„([^“”]+)[“”]|«([^»]+)»/gu

/** Texts between quotation marks. */
export interface Quotations {
  readonly texts: readonly string[]
  /**
   * Whether chunks without them are dropped. If not required, this applies only while some chunk contains them all; otherwise
   * they count as ordinary words.
   */
  readonly isRequired: boolean
}

/**
 * Maximum number of other words beside required quotations: people put names into quotation marks in full questions
 * (docs/decisions/0021).
 */
const maxBesideRequired = 3
const maxBesideHeld = 8

/** The texts to find verbatim. A single quotation mark does not count. */
export function quotationsOf(query: string): Quotations {
  const beside = query.replace(quoted, ' ').match(/[\p{L}\p{N}]+/gu)?.length ?? 0
  const isRequired = beside <= maxBesideRequired
  const found = [...query.matchAll(quoted)].flatMap(([, straight, ...others]) => {
    if (straight !== undefined) return beside <= maxBesideHeld ? straight : []
    return isRequired ? others.flatMap((text) => text ?? []) : []
  })
  return { texts: found.filter((text) => /[\p{L}\p{N}]/u.test(text)), isRequired }
}

/** @param languages whose stems are searched */
export function phraseTerms(phrase: string, languages: Iterable<string>): PhraseTerms {
  return [...languages].map((language) => {
    const terms = termsIn(phrase, language).map(({ term }) => term)
    // A character in a longer sequence is not in the word order: the texts are compared instead.
    return terms.some(isSingleLetter) ? [] : terms
  })
}
