import type { Range } from './marked-text.ts'

interface Ranged {
  readonly text: string
  readonly ranges: readonly Range[]
}

/** What stays of a match is in the group `kept`; without it, nothing stays. */
const MARKS = [
  /^#{1,6}[ \t]+/gm,
  /^>[ \t]?/gm,
  /^[ \t]*\|(?=[^\n]*-)[ \t:|-]+(?:\n|$)/gm,
  /^-{3,}[ \t]*(?:\n|$)/gm,
  /!?\[(?<kept>[^\]\n]+)\]\([^)\n]*\)/g,
  /\*\*(?=\S)(?<kept>[^*\n]*[^*\s])\*\*/g,
  /__(?=\S)(?<kept>[^_\n]*[^_\s])__/g,
  /`(?<kept>[^`\n]+)`/g,
]

/** Markdown as people read it: without marks of headings, quotes, tables, links, emphasis and code. The ranges stay at their words. */
export const withoutMarks = (text: string, ranges: readonly Range[]): Ranged =>
  MARKS.reduce<Ranged>((before, mark) => without(before, removalsOf(before.text, mark)), { text, ranges })

/** Ranges without their marks, in order. */
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
