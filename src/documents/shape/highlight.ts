import { forEachTerm } from '../../search-engine/analysis/analyze.ts'
import { FirstLetters } from '../../search-engine/analysis/split-tokens.ts'

/** A range of a chunk's text, in UTF-16 units from the chunk's start; `to` is exclusive. */
export type Range = readonly [from: number, to: number]

export interface HighlightedTerms {
  readonly words: ReadonlySet<string>
  /** The stop words and single letters among `words`. */
  readonly loose: ReadonlySet<string>
  /** First letters of `words`: other words of a text need not be read. undefined: there are stop words. */
  readonly firstLetters: FirstLetters | undefined
}

export function highlightedTerms(words: Iterable<string>, loose: Iterable<string>): HighlightedTerms {
  const terms = { words: new Set(words), loose: new Set(loose) }
  return { ...terms, firstLetters: terms.loose.size > 0 ? undefined : new FirstLetters(terms.words) }
}

/** The words of a chunk that match the query, in order; adjacent words are merged into one range. */
export function highlightsOf(
  text: string,
  language: string | null,
  { words, loose, firstLetters }: HighlightedTerms,
): readonly Range[] {
  const all: { readonly from: number; readonly to: number }[] = []
  const add = (term: string, from: number, to: number, isLoose: boolean): void => {
    if ((isLoose ? loose : words).has(term)) all.push({ from, to })
  }
  forEachTerm(text, language ?? undefined, add, firstLetters)
  all.sort((one, other) => one.from - other.from)
  const ranges: [from: number, to: number][] = []
  for (const { from, to } of all) {
    const last = ranges.at(-1)
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to)
    else ranges.push([from, to])
  }
  return ranges
}
