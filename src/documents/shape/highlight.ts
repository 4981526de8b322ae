import { looseTermsIn, termsIn } from '../../search-engine/analysis/analyze.ts'

/** A range of a chunk's text, in UTF-16 units from the chunk's start; `to` is exclusive. */
export type Range = readonly [from: number, to: number]

export interface HighlightedTerms {
  readonly words: ReadonlySet<string>
  /** The stop words and single letters among `words`. */
  readonly loose: ReadonlySet<string>
}

/** The words of a chunk that match the query, in order; adjacent words are merged into one range. */
export function highlightsOf(
  text: string,
  language: string | null,
  { words, loose }: HighlightedTerms,
): readonly Range[] {
  const all = [
    ...termsIn(text, language ?? undefined).filter(({ term }) => words.has(term)),
    ...(loose.size === 0 ? [] : looseTermsIn(text, language ?? undefined).filter(({ term }) => loose.has(term))),
  ].sort((one, other) => one.from - other.from)
  const ranges: [from: number, to: number][] = []
  for (const { from, to } of all) {
    const last = ranges.at(-1)
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to)
    else ranges.push([from, to])
  }
  return ranges
}
