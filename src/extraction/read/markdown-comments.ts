import { linesOf } from '../formats/extract-plain.ts'

export const fence = /^ {0,3}(`{3,}|~{3,})/

/** Skips HTML comments and the `[//]: #` idiom, outside of code. */
export function withoutComments(text: string, onHidden: () => void): string {
  if (!text.includes('<!--') && !/^\[[^\]\n]*\]: *#/m.test(text)) return text
  const unified = text.replace(/\r\n?/g, '\n')
  const closes = createClosingSearch(unified)
  const displayed: string[] = []
  let open: string | undefined
  let isInComment = false
  for (const { from, text: line } of linesOf(unified)) {
    const mark = isInComment ? undefined : fence.exec(line)?.[1]
    if (mark !== undefined) open = nextFence(open, mark)
    if (open !== undefined || mark !== undefined) {
      displayed.push(line)
      continue
    }
    if (!isInComment && /^\[[^\]]*\]: *# *\S/.test(line)) {
      onHidden()
      continue
    }
    const cut = cutComments(line, isInComment, { onHidden, closes: (at) => closes(from + at) })
    isInComment = cut.isInComment
    displayed.push(cut.displayed)
  }
  return displayed.join('\n')
}

function nextFence(open: string | undefined, mark: string): string | undefined {
  if (open === undefined) return mark
  return mark.startsWith(open) ? undefined : open
}

/** Where a comment that is open at this offset ends. Call with increasing offsets: each part of the text is searched once. */
function createClosingSearch(text: string): (from: number) => Closing {
  let end = -1
  let emptyLine = -1
  const next = (known: number, from: number, pattern: RegExp): number => {
    if (known >= from) return known
    pattern.lastIndex = from
    return pattern.exec(text)?.index ?? Number.POSITIVE_INFINITY
  }
  return (from) => {
    end = next(end, from, /-->/g)
    emptyLine = next(emptyLine, from, /\n[ \t]*(?=\n)/g)
    return end < emptyLine ? 'in-paragraph' : end < Number.POSITIVE_INFINITY ? 'later' : 'never'
  }
}

type Closing = 'in-paragraph' | 'later' | 'never'

interface CommentSearch {
  readonly onHidden: () => void
  /** Where a comment that is open at this offset of the line ends. */
  readonly closes: (at: number) => Closing
}

/** Characters. The marks of quotes and lists at the start of a line are shorter; a line may have any number of comments. */
const longestStart = 100

/** Whether `<!--` behind this beginning of a line hides what follows. */
function isComment(before: string, closing: Closing): boolean {
  if (closing === 'in-paragraph') return true
  if (before.length > longestStart) return false
  if (/^ {0,3}$/.test(before)) return true
  // In a quote or an item of a list.
  return closing === 'later' && /^[\s>*+\d.)-]*$/.test(before)
}

/** A comment at the start of a line may go on to the end of the text; inside a line, readers see one that does not end in its paragraph. */
function cutComments(
  line: string,
  startsInComment: boolean,
  { onHidden, closes }: CommentSearch,
): { displayed: string; isInComment: boolean } {
  const marks = /`+|\\.|<!--/g
  let displayed = ''
  let isInComment = startsInComment
  for (let at = 0; at < line.length; ) {
    if (isInComment) {
      const end = line.indexOf('-->', at)
      if (end < 0) break
      at = end + 3
      isInComment = false
      continue
    }
    marks.lastIndex = at
    const mark = marks.exec(line)
    const from = mark?.index ?? line.length
    const to = mark === null ? line.length : from + mark[0].length
    if (mark?.[0] === '<!--' && isComment(line.slice(0, Math.min(from, longestStart + 1)), closes(to))) {
      displayed += line.slice(at, from)
      onHidden()
      isInComment = true
      at = to
    } else {
      const next = mark?.[0].startsWith('`') === true ? endOfCode(line, to, mark[0].length) : to
      displayed += line.slice(at, next)
      at = next
    }
  }
  return { displayed, isInComment }
}

/** The end of the code that a run of backticks opens: behind the next run of the same length. Without one, it opens none. */
function endOfCode(line: string, from: number, length: number): number {
  const runs = /`+/g
  runs.lastIndex = from
  for (let run = runs.exec(line); run !== null; run = runs.exec(line))
    if (run[0].length === length) return run.index + length
  return from
}
