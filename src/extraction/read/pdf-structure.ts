import type { TextSink } from '../text-builder.ts'
import { continuesWord, joinLines } from './divided-words.ts'
import { cellsAt, type PdfLine } from './pdf-lines.ts'
import { rowText } from './table-rows.ts'

/** A bookmark of a PDF. */
export interface OutlineEntry {
  readonly title: string
  /** From 1. */
  readonly level: number
}

/**
 * A PDF contains positioned characters without structure. Headings are the lines that match bookmarks or, without bookmarks,
 * the lines larger than the body text. Paragraphs are detected by distance, indent and marks. Lines that every page repeats at
 * its edge are dropped.
 */
export function addPdfText(
  linesOfPages: readonly (readonly PdfLine[])[],
  outline: readonly OutlineEntry[],
  into: TextSink,
): void {
  const lines = linesOfPages.flat()
  const levelOf = outlineLevels(lines, outline) ?? sizeLevels(lines)
  const repeated = repeatedLines(linesOfPages)
  let open: OpenBlock | undefined
  for (const [index, page] of linesOfPages.entries()) {
    const own = page.filter((line) => !isRepeated(line, page, repeated))
    const [first] = own
    const isInWord = open !== undefined && first !== undefined && endsInWord(open, first, levelOf)
    if (!isInWord) open = endBlock(open, into)
    into.turnToPage(index + 1, isInWord)
    open = addPage(own, { levelOf, into, open })
  }
  endBlock(open, into)
}

type LevelOf = (line: PdfLine) => number | undefined

// ── headings ──

const comparable = (text: string): string =>
  text
    .replace(/[\s.…]+/g, ' ')
    .trim()
    .toLowerCase()

/** Headings by the bookmarks; undefined if hardly any of them occurs in the text. */
function outlineLevels(lines: readonly PdfLine[], outline: readonly OutlineEntry[]): LevelOf | undefined {
  if (outline.length === 0) return undefined
  const levels = new Map(outline.map(({ title, level }) => [comparable(title), level]))
  const body = bodySize(lines)
  // A bookmark's text also occurs in the table of contents and in the body: headings are not smaller than the body text.
  const levelOf: LevelOf = (line) =>
    line.size >= body && line.cells.length <= 2 ? levels.get(comparable(line.text)) : undefined
  const found = new Set(lines.filter((line) => levelOf(line) !== undefined).map(({ text }) => comparable(text)))
  return found.size * 2 >= levels.size ? levelOf : undefined
}

/** The most common text size. */
function bodySize(lines: readonly PdfLine[]): number {
  const units = new Map<number, number>()
  let body = 0
  for (const { size, text } of lines) {
    units.set(size, (units.get(size) ?? 0) + text.length)
    if ((units.get(size) ?? 0) > (units.get(body) ?? 0)) body = size
  }
  return body
}

const headingRatio = 1.15
const maxHeadingUnits = 200
/** Maximum number of heading levels by size; further sizes get the innermost level. */
const maxLevels = 4

function sizeLevels(lines: readonly PdfLine[]): LevelOf {
  const min = bodySize(lines) * headingRatio
  const isHeading = ({ size, text }: PdfLine): boolean =>
    size >= min && text.length <= maxHeadingUnits && /\p{L}/u.test(text)
  const sizes = [...new Set(lines.filter(isHeading).map(({ size }) => size))].sort((one, other) => other - one)
  // Sizes within a tenth are one level: rounding and small capitals differ by less.
  const steps = sizes.filter((size, index) => index === 0 || size < (sizes[index - 1] ?? size) * 0.95)
  return (line) => {
    if (!isHeading(line)) return undefined
    const level = steps.findLastIndex((step) => line.size <= step) + 1
    return Math.min(Math.max(level, 1), maxLevels)
  }
}

// ── lines at the edges ──

/** Repeated lines cannot be detected on fewer pages. */
const minPagesToDecide = 5
const edgeShare = 0.1
const pageNumber = /^(?:[-–—\s]*|page |стр(?:аница|\.)? ?)\d{1,5}(?:[-–—\s]*|\s*(?:\/|of|из)\s*\d{1,5})$/i

/** Running heads often contain their page number. */
const withoutPageNumber = (text: string): string => text.replace(/^\d{1,5} +| +\d{1,5}$/g, '')
const isAtEdge = ({ height }: PdfLine): boolean => height < edgeShare || height > 1 - edgeShare

function repeatedLines(linesOfPages: readonly (readonly PdfLine[])[]): ReadonlySet<string> {
  if (linesOfPages.length < minPagesToDecide) return new Set()
  const pagesWith = new Map<string, number>()
  for (const page of linesOfPages) {
    for (const text of new Set(page.filter(isAtEdge).map((line) => withoutPageNumber(line.text))))
      pagesWith.set(text, (pagesWith.get(text) ?? 0) + 1)
  }
  // Left and right pages often differ: a third of all pages is enough to exclude chance.
  return new Set(
    [...pagesWith].filter(([, count]) => count * 3 >= linesOfPages.length && count >= 3).map(([text]) => text),
  )
}

function isRepeated(line: PdfLine, page: readonly PdfLine[], repeated: ReadonlySet<string>): boolean {
  if (!isAtEdge(line) || page.length < 4) return false
  return (
    repeated.has(withoutPageNumber(line.text)) ||
    (repeated.size > 0 && pageNumber.test(line.text)) ||
    (page.length > 8 && pageNumber.test(line.text))
  )
}

// ── paragraphs ──

type Kind = 'heading' | 'paragraph' | 'list-item' | 'table-row'

interface OpenBlock {
  readonly kind: Kind
  readonly level: number | undefined
  text: string
  last: PdfLine
}

const bullet = /^(?:[•‣◦▪●○■□–—*·\uf0b7\uf0a7]|-|\d{1,3}[.)]|[a-zа-я]\))\s+\S/iu

function endBlock(open: OpenBlock | undefined, into: TextSink): undefined {
  if (open !== undefined) into.add(open.kind, open.text, open)
}

/**
 * Whether a page ends in the middle of a word. Other paragraphs end with their page: the next text may be a note or a picture.
 */
function endsInWord(open: OpenBlock, next: PdfLine, levelOf: LevelOf): boolean {
  const isText = kindOf(next, levelOf(next)) === 'paragraph' && (open.kind === 'paragraph' || open.kind === 'list-item')
  return isText && continuesWord(open.text, next.text) && Math.abs(next.size - open.last.size) <= open.last.size * 0.1
}

/**
 * @param open the block of the previous page whose last word continues here; undefined: none
 * @returns the last block, which is not added yet
 */
function addPage(
  lines: readonly PdfLine[],
  {
    levelOf,
    into,
    open: before,
  }: { readonly levelOf: LevelOf; readonly into: TextSink; readonly open: OpenBlock | undefined },
): OpenBlock | undefined {
  let open = before
  for (const [index, found] of lines.entries()) {
    const line = asRow(found, open)
    const level = levelOf(line)
    const kind = kindOf(line, level)
    if (open !== undefined && ((index === 0 && open === before) || goesOn(open, line, kind, level))) {
      open.text = joinLines(open.text, line.text)
      open.last = line
    } else {
      endBlock(open, into)
      open = {
        kind,
        level,
        text: kind === 'table-row' ? rowText(line.cells.map(({ text }) => text)) : line.text,
        last: line,
      }
    }
  }
  return open
}

/** Below a row of a table, a line whose words begin at the same columns is a row too, however narrow the gaps are. */
function asRow(line: PdfLine, open: OpenBlock | undefined): PdfLine {
  if (open?.kind !== 'table-row' || line.cells.length > 1 || line.parts.length < 2) return line
  const cells = cellsAt(
    line.parts,
    open.last.cells.slice(1).map(({ x }) => x),
  )
  return cells.length > 1 ? { ...line, cells } : line
}

function kindOf(line: PdfLine, level: number | undefined): Kind {
  if (level !== undefined) return 'heading'
  if (bullet.test(line.text)) return 'list-item'
  return line.cells.length > 1 ? 'table-row' : 'paragraph'
}

/** A larger distance, in character sizes, separates paragraphs. */
const paragraphGap = 1.75

function goesOn(open: OpenBlock, line: PdfLine, kind: Kind, level: number | undefined): boolean {
  const { last } = open
  const gap = last.y - line.y
  if (kind === 'table-row' || open.kind === 'table-row') return false
  if (kind === 'heading' || open.kind === 'heading')
    return open.kind === kind && open.level === level && gap > 0 && gap < line.size * paragraphGap
  if (kind === 'list-item' || Math.abs(line.size - last.size) > last.size * 0.1) return false
  // A step up is the next column: the paragraph continues if its sentence does.
  const isNewColumn = gap < -last.size
  if (isNewColumn) return !endsSentence(open.text) && /^\p{Ll}/u.test(line.text)
  if (gap > last.size * paragraphGap) return false
  const isIndented = line.x - last.x > last.size * 0.9
  return !(isIndented && endsSentence(open.text) && open.kind === 'paragraph')
}

const endsSentence = (text: string): boolean => /[.!?…:;]["'»”)\]]*$/u.test(text)
