import type { BlockKind } from '../extracted-text.ts'
import type { PlainBlock, TextSink } from '../text-builder.ts'

/** Adds plain text or source code unchanged: one block per paragraph, one page per form feed. */
export function extractPlain(text: string, kind: 'paragraph' | 'code', into: TextSink): { readonly pages?: number } {
  const pages = text.split('\f')
  const isPaged = pages.length > 1
  for (const [index, page] of pages.entries()) {
    if (isPaged) into.turnToPage(index + 1)
    if (page.trim() !== '') into.addWhole(page, (cleaned) => paragraphBlocks(cleaned, kind))
  }
  return isPaged ? { pages: pages.length } : {}
}

/** Text between empty lines, without surrounding white space; code keeps the indent of its first line. */
export function* paragraphBlocks(text: string, kind: BlockKind): Generator<PlainBlock> {
  let from: number | undefined
  let to = 0
  for (const line of linesOf(text)) {
    const isEmpty = line.text.trim() === ''
    if (!isEmpty) {
      from ??= kind === 'code' ? line.from : line.from + line.text.search(/\S/)
      to = line.from + line.text.trimEnd().length
    } else if (from !== undefined) {
      yield { from, to, kind }
      from = undefined
    }
  }
  if (from !== undefined) yield { from, to, kind }
}

export interface Line {
  readonly from: number
  /** Without its line end. */
  readonly text: string
}

/** The lines of a text whose line ends are `\n`. */
export function* linesOf(text: string): Generator<Line> {
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf('\n', from)
    const to = end < 0 ? text.length : end
    yield { from, text: text.slice(from, to) }
    from = to + 1
  }
}
