import { termsIn } from '../chunk/analyze.ts'

/** A range of a chunk's text, in UTF-16 units from the chunk's start; `to` is exclusive. */
export type Range = readonly [from: number, to: number]

/** The words of a chunk that a query asked for, in order; neighbours that touch are one. */
export function highlightsOf(text: string, language: string | null, terms: ReadonlySet<string>): readonly Range[] {
  const ranges: [from: number, to: number][] = []
  for (const { term, from, to } of termsIn(text, language ?? undefined)) {
    if (!terms.has(term)) continue
    const last = ranges.at(-1)
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to)
    else ranges.push([from, to])
  }
  return ranges
}
