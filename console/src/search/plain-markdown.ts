import type { Range } from './marked-text.ts'

interface Ranged {
  readonly text: string
  readonly ranges: readonly Range[]
}

/** The group `kept` of a match stays; without the group, the whole match is removed. */
const MARKS = [
  /^#{1,6}[ \t]+/gm,
  /^>[ \t]?/gm,
  /^[ \t]*\|(?=[^\n]*-)[ \t:|-]+(?:\n|$)/gm,
  /^-{3,}[ \t]*(?:\n|$)/gm,
  /!?\[(?<kept>[^\]\n]+)\]\([^)\n]*\)/g,
  /\*\*(?=\S)(?<kept>[^*\n]*[^*\s])\*\*/g,
  /__(?=\S)(?<kept>[^_\n]*[^_\s])__/g,
  /(?<![\p{L}\p{N}*])\*(?=[^\s*])(?<kept>[^*\n]*[^*\s])\*(?![\p{L}\p{N}*])/gu,
  /(?<![\p{L}\p{N}_])_(?=[^\s_])(?<kept>[^_\n]*[^_\s])_(?![\p{L}\p{N}_])/gu,
  /(?<!`)(`+)(?!`)(?<kept>[^`\n]+)\1(?!`)/g,
]

/** A block of code; without an end mark it ends with the text. */
const FENCE = /^(`{3,}|~{3,})[^\n]*(?:\n[\s\S]*?(?:^\1[ \t]*$|(?![\s\S]))|(?![\s\S]))/gm
const SPAN = /(?<!`)(`+)(?!`)([^\n]*?[^`\n])\1(?!`)/g

export const isMarkdown = ({ media_type }: { readonly media_type: string }): boolean => media_type === 'text/markdown'

export const fencesOf = (text: string): readonly Range[] =>
  [...text.matchAll(FENCE)].map(({ 0: whole, index }): Range => [index, index + whole.length])

/**
 * Markdown as displayed text: without marks of headings, quotes, tables, links, emphasis and code. The content of code stays unchanged. The
 * ranges stay at their words.
 */
export function withoutMarks(text: string, ranges: readonly Range[]): Ranged {
  let found = withoutCode(text)
  return MARKS.reduce<Ranged>(
    (before, mark) => {
      const removals = removalsOf(found, mark)
      found = without({ text: found, ranges: [] }, removals).text
      return without(before, removals)
    },
    { text, ranges },
  )
}

/** A text of the same length in which a character without meaning in Markdown replaces each character of code. */
const withoutCode = (text: string): string =>
  text.replace(FENCE, hidden).replace(SPAN, (_, ticks: string, code: string) => `${ticks}${hidden(code)}${ticks}`)

const hidden = (text: string): string => text.replaceAll(/[^\n]/g, '\uE000')

/** Ranges to remove for this mark, in order. */
function removalsOf(text: string, mark: RegExp): readonly Range[] {
  return [...text.matchAll(mark)].flatMap((match): readonly Range[] => {
    const [whole] = match
    const kept = match.groups?.['kept']
    if (kept === undefined) return [[match.index, match.index + whole.length]]
    const begin = match.index + whole.indexOf(kept)
    return [
      [match.index, begin],
      [begin + kept.length, match.index + whole.length],
    ]
  })
}

function without({ text, ranges }: Ranged, removals: readonly Range[]): Ranged {
  if (removals.length === 0) return { text, ranges }
  let at = 0
  let left = ''
  for (const [from, to] of removals) {
    left += text.slice(at, from)
    at = to
  }
  const moved = (offset: number): number =>
    removals.reduce((place, [from, to]) => place - Math.max(0, Math.min(offset, to) - from), offset)
  return {
    text: left + text.slice(at),
    ranges: ranges.map(([from, to]): Range => [moved(from), moved(to)]).filter(([from, to]) => to > from),
  }
}
