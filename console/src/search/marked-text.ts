/** Offsets in a text, in UTF-16 units; the second is exclusive. */
export type Range = readonly [from: number, to: number]

export interface TextPart {
  readonly text: string
  readonly isMarked: boolean
}

/** Splits a text into parts, marked inside the ranges. Together the parts are the whole text. */
export function markedParts(text: string, ranges: readonly Range[]): readonly TextPart[] {
  const parts: TextPart[] = []
  const add = (from: number, to: number, isMarked: boolean): void => {
    if (to > from) parts.push({ text: text.slice(from, to), isMarked })
  }
  let at = 0
  for (const [from, to] of [...ranges].sort(([one], [other]) => one - other)) {
    const begin = Math.max(at, Math.min(from, text.length))
    const end = Math.max(begin, Math.min(to, text.length))
    add(at, begin, false)
    add(begin, end, true)
    at = end
  }
  add(at, text.length, false)
  return parts
}

/** Ranges relative to `from`, cut off at `to`. */
export const rangesWithin = (ranges: readonly Range[], from: number, to: number): readonly Range[] =>
  ranges
    .filter(([begin, end]) => end > from && begin < to)
    .map(([begin, end]) => [Math.max(begin, from) - from, Math.min(end, to) - from])

export interface Excerpt {
  readonly text: string
  readonly ranges: readonly Range[]
  readonly isCutBefore: boolean
  readonly isCutAfter: boolean
}

/** At most about `maxUnits` of a text: the part with the most marks, from the beginning of a line or a word. */
export function excerptOf(text: string, ranges: readonly Range[], maxUnits: number): Excerpt {
  const begin = beginOf(text, ranges, maxUnits)
  const rough = begin + maxUnits
  const end = rough >= text.length ? text.length : beforeWord(text, rough, begin + maxUnits / 2)
  return {
    text: text.slice(begin, end),
    ranges: rangesWithin(ranges, begin, end),
    isCutBefore: begin > 0,
    isCutAfter: end < text.length,
  }
}

function beginOf(text: string, ranges: readonly Range[], maxUnits: number): number {
  if (text.length <= maxUnits) return 0
  const marksFrom = (from: number): number =>
    ranges.filter(([begin, end]) => begin >= from && end <= from + maxUnits).length
  const [best = 0] = ranges
    .map(([begin]) => begin)
    .sort((one, other) => marksFrom(other) - marksFrom(one) || one - other)
  const rough = Math.min(best, text.length - maxUnits)
  const line = text.lastIndexOf('\n', Math.max(0, rough - 1)) + 1
  return rough - line < maxUnits / 3 ? line : beforeWord(text, rough, 0)
}

/** The beginning of the last word before `offset`; without a space, the offset itself, but never between two halves of a character. */
function beforeWord(text: string, offset: number, min: number): number {
  const space = text.lastIndexOf(' ', offset)
  if (space >= min) return space + 1
  const isHalf = /[\uDC00-\uDFFF]/.test(text[offset] ?? '')
  return isHalf ? offset - 1 : offset
}

export interface Line {
  /** Offset of its first character in the text. */
  readonly from: number
  readonly text: string
}

export function linesOf(text: string): readonly Line[] {
  let from = 0
  return text.split('\n').map((line) => {
    const at = from
    from += line.length + 1
    return { from: at, text: line }
  })
}
