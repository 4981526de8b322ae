import type { ChunkRange } from 'docket-client/documents'

/** A place in the text where a chunk begins, or where one ends that overlaps the next. */
export interface Boundary {
  readonly at: number
  readonly kind: 'begin' | 'end'
  /** From 1. */
  readonly number: number
}

/** In the order of the text. An end at the beginning of the next chunk is not told: the beginning tells it. */
export function boundariesOf(chunks: readonly Pick<ChunkRange, 'chunk_index' | 'from' | 'to'>[]): readonly Boundary[] {
  return chunks
    .flatMap(({ chunk_index, from, to }, place): Boundary[] => {
      const number = chunk_index + 1
      const begin: Boundary = { at: from, kind: 'begin', number }
      return chunks[place + 1]?.from === to ? [begin] : [begin, { at: to, kind: 'end', number }]
    })
    .sort((one, other) => one.at - other.at || one.number - other.number)
}

export interface LinePart {
  /** Offset in the text. */
  readonly from: number
  readonly text: string
  /** Boundaries before the part. */
  readonly boundaries: readonly Boundary[]
}

/** A line in parts, split at its boundaries. Together the parts are the line. */
export function partsOfLine(
  { from, text }: { readonly from: number; readonly text: string },
  boundaries: readonly Boundary[],
): readonly LinePart[] {
  const within = boundaries.filter(({ at }) => at >= from && at <= from + text.length)
  const starts = [...new Set([from, ...within.map(({ at }) => at)])]
  return starts.map((start, place) => ({
    from: start,
    text: text.slice(start - from, (starts[place + 1] ?? from + text.length) - from),
    boundaries: within.filter(({ at }) => at === start),
  }))
}
