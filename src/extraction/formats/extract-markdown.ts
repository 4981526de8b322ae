import type { BlockKind } from '../extracted-text.ts'
import { fence, withoutComments } from '../read/markdown-comments.ts'
import type { PlainBlock, RowPlace, TextSink } from '../text-builder.ts'
import { linesOf } from './extract-plain.ts'

/**
 * Adds Markdown unchanged: its marks are readable, and offsets equal those of the file. Readers of the page do not see
 * comments, so they are skipped.
 */
export function extractMarkdown(text: string, into: TextSink): { readonly title?: string } {
  const displayed = withoutComments(text, () => into.flag('hidden-text'))
  const title = frontMatterTitle(displayed)
  into.addWhole(displayed, markdownBlocks)
  return title === undefined ? {} : { title }
}

function frontMatterTitle(text: string): string | undefined {
  const matter = /^---\r?\n([\s\S]{0,10000}?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text)?.[1]
  return matter === undefined ? undefined : /^title:[ \t]*["']?(.+?)["']?[ \t]*$/m.exec(matter)?.[1]
}

/** Kinds that one line determines. */
function kindOfLine(line: string): BlockKind | undefined {
  if (/^ {0,3}>/.test(line)) return 'quote'
  if (/^\s*(?:[-*+]|\d{1,9}[.)])\s+\S/.test(line)) return 'list-item'
  if (/^\s*\|.*\|\s*$/.test(line)) return 'table-row'
  return undefined
}

interface OpenBlock extends RowPlace {
  readonly from: number
  to: number
  readonly kind: BlockKind
  lines: number
}

/** @param text with `\n` line ends */
export function* markdownBlocks(text: string): Generator<PlainBlock> {
  let open: OpenBlock | undefined
  /** The previous line is a row of a table. */
  let isInTable = false
  let fenceMark: string | undefined
  let isFrontMatter = text.startsWith('---\n') && frontMatterTitle(text) !== undefined
  for (const { from, text: line } of linesOf(text)) {
    const to = from + line.trimEnd().length
    const start = from + Math.max(0, line.search(/\S/))
    if (isFrontMatter) {
      open = { from: open?.from ?? from, to, kind: 'code', lines: 0 }
      if (from > 0 && line.trim() === '---') {
        yield open
        open = undefined
        isFrontMatter = false
      }
      continue
    }
    const mark = fence.exec(line)?.[1]
    if (fenceMark !== undefined) {
      if (open !== undefined && line.trim() !== '') open.to = to
      if (mark?.startsWith(fenceMark) === true && line.trim() === mark) {
        if (open !== undefined) yield open
        open = undefined
        fenceMark = undefined
      }
      continue
    }
    const heading = headingOf(line)
    const underline = /^ {0,3}(?:(=+)|-+)[ \t]*$/.exec(line)
    if (underline !== null && open?.kind === 'paragraph' && open.lines === 1) {
      const level = underline[1] === undefined ? 2 : 1
      yield { from: open.from, to, kind: 'heading', level, heading: plainHeading(text.slice(open.from, open.to)) }
      open = undefined
      continue
    }
    if (open !== undefined && isHeaderOver(open, line, text)) {
      open = { ...open, to, kind: 'table-row', beginsTable: true, isHeader: true }
      isInTable = true
      continue
    }
    const isRow: boolean = isInTable && line.includes('|')
    const kind: BlockKind | undefined =
      mark !== undefined ? 'code' : (kindOfLine(line) ?? (isRow ? 'table-row' : undefined))
    const goesOn = open !== undefined && line.trim() !== '' && heading === undefined && continues(open.kind, kind, line)
    if (open !== undefined && goesOn) {
      open.to = to
      open.lines++
      continue
    }
    if (open !== undefined) yield open
    open = undefined
    const beginsTable = kind === 'table-row' && !isInTable
    isInTable = kind === 'table-row'
    if (line.trim() === '') continue
    if (heading !== undefined) yield { from: start, to, kind: 'heading', ...heading }
    else {
      const ownKind = kind ?? (/^(?: {4}|\t)/.test(line) ? 'code' : 'paragraph')
      open = { from: start, to, kind: ownKind, lines: 1, ...(beginsTable ? { beginsTable } : {}) }
    }
    fenceMark = mark
  }
  if (open !== undefined) yield open
}

const delimiterRow = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/

/** Whether the line below the open block turns it into a header row: `---|---`. */
function isHeaderOver(open: OpenBlock, line: string, text: string): boolean {
  if (!line.includes('|') || !delimiterRow.test(line)) return false
  const isRow = open.kind === 'table-row' || (open.kind === 'paragraph' && text.slice(open.from, open.to).includes('|'))
  return isRow && open.lines === 1
}

/** Whether a line belongs to the open block. Every row and item is a block; lazy lines continue the open block. */
function continues(open: BlockKind, kind: BlockKind | undefined, line: string): boolean {
  if (open === 'code') return kind === undefined && /^(?: {4}|\t)/.test(line)
  if (open === 'quote') return kind === 'quote' || kind === undefined
  if (open === 'table-row') return /^\s*\|?[\s:|-]+$/.test(line) && line.includes('-') && line.includes('|')
  return kind === undefined
}

function headingOf(line: string): { readonly level: number; readonly heading: string } | undefined {
  const marks = /^ {0,3}(#{1,6})(?:[ \t]|$)/.exec(line)
  if (marks?.[1] === undefined) return undefined
  const heading = plainHeading(line.trim().slice(marks[1].length))
  return heading === '' ? undefined : { level: marks[1].length, heading }
}

/** The text of a heading, without closing marks, anchors, emphasis and link addresses. */
function plainHeading(text: string): string {
  return text
    .slice(0, 1_000)
    .trim()
    .replace(/(?:^|[ \t])#{1,9}$/, '')
    .replace(/\{[#.:][^{}]*\}$/, '')
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replace(/[*`]+|(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu, '')
    .replace(/\s+/g, ' ')
    .trim()
}

const markdownMarks: readonly RegExp[] = [
  /\[[^\]\n]{1,200}\]\([^)\s]{1,500}\)/,
  /^(?:```|~~~)/m,
  /\*\*[^*\n]{1,200}\*\*/,
  /^ {0,6}[-*+] \S/m,
  /^\|.{1,500}\|[ \t]*$/m,
  /^(?:={3,}|-{3,})$/m,
  /`[^`\n]{1,200}`/,
]

/** Whether a text without a name is Markdown: it has headings and other marks. A `#` alone could be a comment of a script. */
export function looksLikeMarkdown(text: string): boolean {
  const head = text.slice(0, 16_384).replace(/\r\n?/g, '\n')
  if (head.startsWith('#!')) return false
  const marks = markdownMarks.filter((mark) => mark.test(head)).length
  if (/^#{1,6} \S/m.test(head)) return marks > 0 || /^#{2,6} \S/m.test(head) || /^# .{1,200}\n\n/.test(head)
  return marks > 1 && /^\S.{0,200}\n(?:={3,}|-{3,})\n/m.test(head)
}
