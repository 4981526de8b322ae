import { type PdfTextItem, runsByDirection, undoubled } from './pdf-runs.ts'
import { oneLine } from './table-rows.ts'

/** A line of a page in reading form. */
export interface PdfLine {
  readonly text: string
  /** Size of most of its characters, in points. */
  readonly size: number
  readonly x: number
  readonly y: number
  /** Parts with a wide gap: columns of a table. One part in running text. */
  readonly cells: readonly PdfCell[]
  /** Parts with any gap that the file contains: finer than cells. */
  readonly parts: readonly PdfCell[]
  /** Height on the page: 0 at the bottom, 1 at the top. */
  readonly height: number
}

export interface PdfCell {
  /** Where it begins. */
  readonly x: number
  readonly text: string
}

interface OpenPart {
  readonly x: number
  readonly texts: string[]
  /** Is so far from the previous part that a column begins. */
  readonly isColumn: boolean
}

interface OpenLine {
  readonly x: number
  readonly y: number
  readonly parts: OpenPart[]
  endX: number
  /** The file has a space after the last run, however narrow. */
  hasSpace: boolean
  readonly unitsBySize: Map<number, number>
}

/** A gap this wide, in character sizes, separates columns; gaps between words of justified text are narrower. */
const columnGap = 1.5
/** A gap this wide separates words without a space in the file. */
const wordGap = 0.2

/** Joins the runs of a page to lines, in file order, followed by the text in other directions. */
export function linesOfPage(
  items: readonly PdfTextItem[],
  page: { readonly bottom: number; readonly top: number },
): readonly PdfLine[] {
  return runsByDirection(items).flatMap(({ items: runs, isAcross }) => {
    const lines = linesOfRuns(runs, page)
    // Text in the margin of every page is treated as a header.
    return isAcross ? lines.map((line) => ({ ...line, height: 0 })) : lines
  })
}

function linesOfRuns(
  items: readonly PdfTextItem[],
  page: { readonly bottom: number; readonly top: number },
): readonly PdfLine[] {
  const lines: PdfLine[] = []
  let open: OpenLine | undefined
  const end = (): void => {
    const line = open === undefined ? undefined : closeLine(open, page)
    if (line !== undefined) lines.push(line)
    open = undefined
  }
  for (const item of items) {
    const [a = 0, b = 0, c = 0, d = 0, x = 0, y = 0] = item.transform
    const size = Math.round(Math.max(Math.hypot(a, b), Math.hypot(c, d)) * 10) / 10
    if (item.str.trim() !== '') {
      if (open !== undefined && Math.abs(open.y - y) > size * 0.6) end()
      open ??= { x, y, parts: [], endX: x, hasSpace: false, unitsBySize: new Map() }
      addRun(open, item, x, size)
    } else if (open !== undefined && item.str !== '') open.hasSpace = true
    if (item.hasEOL) end()
  }
  end()
  return lines
}

function addRun(line: OpenLine, { str, width }: PdfTextItem, x: number, size: number): void {
  const gap = x - line.endX
  const last = line.parts.at(-1)
  if (last === undefined || gap > size * wordGap) line.parts.push({ x, texts: [str], isColumn: gap > size * columnGap })
  else last.texts.push(line.hasSpace ? ` ${str}` : str)
  line.hasSpace = false
  line.endX = x + width
  line.unitsBySize.set(size, (line.unitsBySize.get(size) ?? 0) + str.trim().length)
}

function closeLine(line: OpenLine, page: { readonly bottom: number; readonly top: number }): PdfLine | undefined {
  const { x, y } = line
  const open = line.parts.map(({ x: from, texts, isColumn }) => ({
    x: from,
    isColumn,
    text: undoubled(withoutLeaders(oneLine(texts.join('')))),
  }))
  const displayed = open.filter(({ text }) => text !== '')
  if (displayed.length === 0) return undefined
  const columns = displayed.filter(({ isColumn }, index) => isColumn && index > 0).map((part) => part.x)
  const height = page.top > page.bottom ? (y - page.bottom) / (page.top - page.bottom) : 0.5
  const text = displayed.map((part) => part.text).join(' ')
  return { text, size: commonest(line.unitsBySize), x, y, cells: cellsAt(displayed, columns), parts: displayed, height }
}

/** Joins parts to cells, each beginning at or after one of the columns. */
export function cellsAt(parts: readonly PdfCell[], columns: readonly number[]): readonly PdfCell[] {
  const cells: PdfCell[] = []
  for (const part of parts) {
    const last = cells.at(-1)
    const begins = columns.some((column) => Math.abs(column - part.x) < sameColumnPoints)
    if (last === undefined || begins) cells.push(part)
    else cells[cells.length - 1] = { x: last.x, text: `${last.text} ${part.text}` }
  }
  return cells
}

const sameColumnPoints = 2

function commonest(unitsBySize: ReadonlyMap<number, number>): number {
  let size = 0
  let max = 0
  for (const [candidate, units] of unitsBySize) {
    if (units > max) {
      size = candidate
      max = units
    }
  }
  return size
}

/** Removes dots between a heading and its page number. */
function withoutLeaders(text: string): string {
  return text.includes('. .') || text.includes('....')
    ? text
        .replace(/(?: ?[.…]){4,}/g, ' … ')
        .replace(/\s+/g, ' ')
        .trim()
    : text
}
