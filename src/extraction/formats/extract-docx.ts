import type { ReadAttachment } from '../attachment-text.ts'
import { addEmbedded } from '../read/embedded-documents.ts'
import { withLabel } from '../read/list-numbers.ts'
import {
  type AboutOffice,
  isOn,
  mainPart,
  partHolds,
  type Relationship,
  readDublinCore,
  readRelationships,
} from '../read/office-parts.ts'
import type { Archive } from '../read/open-archive.ts'
import { attributeNamed, localName, readXml, type XmlHandler } from '../read/read-xml.ts'
import { addCell, oneLine, rowText, spanOf } from '../read/table-rows.ts'
import { commentMark, readWordNotes } from '../read/word-notes.ts'
import { readWordNumbering, type WordNumbering } from '../read/word-numbering.ts'
import { createWordPages, type WordPages } from '../read/word-pages.ts'
import { outlineLevel, readWordStyles, type WordStyle } from '../read/word-styles.ts'
import { unreadable } from '../rejection.ts'
import type { BlockDetails, TextSink } from '../text-builder.ts'
import { type InsertedParts, readInsertedParts } from './extract-inserted.ts'

/**
 * Adds the body of a Word document with its list numbers, footnotes and comments, then each page header and footer once.
 * Deleted text is skipped.
 */
export async function extractDocx(
  archive: Archive,
  into: TextSink,
  readEmbedded?: ReadAttachment,
): Promise<AboutOffice & { readonly pages?: number }> {
  const part = await mainPart(archive, 'word/document.xml')
  if (!archive.names.has(part)) throw unreadable('damaged', 'the package has no document part', 'open')
  const links = await readRelationships(archive, part)
  const partOf = (type: string): string => links.find((link) => link.type === type)?.target ?? ''
  const pages = (await saysPages(archive, part)) ? createWordPages(into) : undefined
  const state = await readWordState(archive, partOf, {
    inserted: await readInsertedParts(archive, links, into),
    pages,
    into,
  })
  await readXml(archive.read(part), createWordText(state))
  await readHeadersAndFooters(archive, links, state)
  for (const text of state.furniture) into.add('note', text)
  await addEmbedded(archive, links, into, readEmbedded)
  const about = await readDublinCore(archive, 'docProps/core.xml')
  return pages === undefined ? about : { ...about, pages: pages.count() }
}

type PartOf = (type: string) => string

async function readWordState(
  archive: Archive,
  partOf: PartOf,
  given: Pick<WordState, 'inserted' | 'pages' | 'into'>,
): Promise<WordState> {
  return {
    styles: await readWordStyles(archive, partOf('styles')),
    notes: await readWordNotes(archive, [partOf('footnotes'), partOf('endnotes'), partOf('comments')]),
    numbering: await readWordNumbering(archive, partOf('numbering')),
    furniture: new Set(),
    ...given,
  }
}

/** Reads a document without links between its parts: a Word document in one XML file. */
export async function createWordBody(
  archive: Archive,
  partOf: PartOf,
  into: TextSink,
): Promise<{ readonly handler: XmlHandler; finish(): void }> {
  const state = await readWordState(archive, partOf, {
    inserted: { add: () => undefined, drawn: () => [] },
    pages: undefined,
    into,
  })
  const finish = (): void => {
    for (const text of state.furniture) into.add('note', text)
  }
  return { handler: createWordText(state), finish }
}

/** They repeat on every page and differ by kind of page: each text is added once, after the body. */
async function readHeadersAndFooters(
  archive: Archive,
  links: readonly Relationship[],
  state: WordState,
): Promise<void> {
  for (const kind of ['header', 'footer'])
    for (const { type, target } of links)
      if (type === kind && archive.names.has(target))
        await readXml(archive.read(target), createWordText({ ...state, pages: undefined }))
}

/** Whether the document contains page breaks. A document that was never laid out does not; then no pages are reported. */
const saysPages = (archive: Archive, part: string): Promise<boolean> =>
  partHolds(archive, part, /lastRenderedPageBreak|:type="page"/)

/** Word 2003 has notes and comments inline; in later versions headers and footers are separate parts with these roots. */
const asideNames: ReadonlySet<string> = new Set(['hdr', 'ftr', 'footnote', 'endnote', 'annotation'])

interface Paragraph {
  readonly parts: string[]
  style: string | undefined
  level: number | undefined
  /** `0`: not a list, whatever its style says. */
  list: string | undefined
  listLevel: number | undefined
  readonly notes: string[]
}

/** A complete paragraph that waits in its cell. */
interface Piece extends BlockDetails {
  readonly kind: 'heading' | 'list-item' | 'paragraph' | 'table-row' | 'note'
  readonly text: string
}

interface Cell {
  readonly pieces: Piece[]
  /** How many columns it takes. */
  span: number
}

interface Table {
  /** Cells of the open row. */
  cells: Cell[]
  /** The open row is marked as repeated on each page. */
  isHeader: boolean
  isBegun: boolean
}

/** Elements without text of the document: the fallback of a drawing, moved and deleted text, section properties. */
const skippedElements: ReadonlySet<string> = new Set(['Fallback', 'del', 'moveFrom', 'tabs', 'rPrChange', 'pPrChange'])

interface WordState {
  readonly styles: ReadonlyMap<string, WordStyle>
  readonly notes: ReadonlyMap<string, string>
  readonly numbering: WordNumbering
  readonly inserted: InsertedParts
  readonly pages: WordPages | undefined
  /** Texts of page headers and footers, in document order. */
  readonly furniture: Set<string>
  readonly into: TextSink
}

/** A text outside of the current one: it is added elsewhere when it ends. */
interface Aside {
  readonly element: string
  readonly kind: 'furniture' | 'note'
  readonly mark: string
  readonly lines: string[]
  /** Number of open tables when it began. */
  readonly tables: number
}

function createWordText({ styles, notes, numbering, inserted, pages, furniture, into }: WordState): XmlHandler {
  const paragraphs: Paragraph[] = []
  const tables: Table[] = []
  const asides: Aside[] = []
  let skipped = 0
  let isText = false
  let isHidden = false
  let isHiddenCounted = false

  const write = (text: string): void => {
    if (!isHidden) paragraphs.at(-1)?.parts.push(text)
    else if (!isHiddenCounted && text.trim() !== '') {
      isHiddenCounted = true
      into.flag('hidden-text')
    }
  }
  const place = (piece: Piece): void => {
    const aside = asides.at(-1)
    const cell = tables.length > (aside?.tables ?? 0) ? tables.at(-1)?.cells.at(-1) : undefined
    if (cell !== undefined) cell.pieces.push(piece)
    else if (aside !== undefined) aside.lines.push(piece.text)
    else into.add(piece.kind, piece.text, piece)
  }
  const openAside = (element: string, attributes: Readonly<Record<string, string>>): void => {
    const isComment = element === 'annotation'
    if (isComment && attributeNamed(attributes, 'type') !== 'Word.Comment') return
    const mark = isComment ? commentMark(attributeNamed(attributes, 'author')) : ''
    const kind = element === 'hdr' || element === 'ftr' ? 'furniture' : 'note'
    asides.push({ element, kind, mark, lines: [], tables: tables.length })
  }
  const closeAside = (element: string): void => {
    const aside = asides.at(-1)
    if (aside?.element !== element) return
    asides.pop()
    const text = aside.lines.filter((line) => line.trim() !== '').join('\n')
    if (text === '') return
    if (aside.kind === 'furniture') furniture.add(text)
    else if (paragraphs.length === 0) place({ kind: 'note', text: aside.mark + text })
    else paragraphs.at(-1)?.notes.push(aside.mark + text)
  }
  const endParagraph = (paragraph: Paragraph): void => {
    const style = styles.get(paragraph.style ?? '')
    const level = paragraph.level ?? style?.level
    const own = paragraph.parts.join('')
    const list = paragraph.list ?? style?.list
    const isItem = list === undefined ? style?.isItem === true : list !== '0'
    if (own.trim() !== '') pages?.sawText()
    const text = withLabel(isItem ? labelOf(paragraph, list ?? '', style) : '', own)
    if (level !== undefined) place({ kind: 'heading', text: oneLine(text), level })
    else place({ kind: isItem ? 'list-item' : 'paragraph', text })
    for (const note of paragraph.notes) place({ kind: 'note', text: note })
  }
  const labelOf = (paragraph: Paragraph, list: string, style: WordStyle | undefined): string => {
    const level = paragraph.listLevel ?? style?.listLevel
    return numbering.next(list, level, style?.listStyle ?? paragraph.style)
  }
  const endRow = (): void => {
    const table = tables.pop()
    if (table === undefined) return
    const { cells, isHeader, isBegun } = table
    // A row of one cell is a frame around text, not a record.
    if (cells.length === 1) for (const piece of cells[0]?.pieces ?? []) place(piece)
    else {
      const texts: string[] = []
      for (const { pieces, span } of cells) {
        const own = pieces.filter(isNoNote).map(({ text }) => text)
        addCell(texts, oneLine(own.join(' ')), span)
      }
      place({ kind: 'table-row', text: rowText(texts), isHeader, beginsTable: !isBegun })
      for (const { pieces } of cells) for (const piece of pieces) if (!isNoNote(piece)) place(piece)
    }
    tables.push({ cells: [], isHeader: false, isBegun: isBegun || cells.length > 1 })
  }
  const placeDrawn = (link: string | undefined): void => {
    for (const text of inserted.drawn(link)) place({ kind: 'paragraph', text })
  }
  const markHeader = (attributes: Readonly<Record<string, string>>): void => {
    const table = tables.at(-1)
    if (table !== undefined) table.isHeader = isOn(attributes)
  }
  const spanColumns = (attributes: Readonly<Record<string, string>>): void => {
    const cell = tables.at(-1)?.cells.at(-1)
    if (cell !== undefined) cell.span = spanOf(attributeNamed(attributes, 'val'))
  }
  const turn = (to: (isInBlock: boolean) => void): void => {
    const hasText = paragraphs.at(-1)?.parts.some((part) => part.trim() !== '') === true
    to(hasText || tables.some(({ cells }) => cells.some(({ pieces }) => pieces.some(({ text }) => text.trim() !== ''))))
  }
  const inParagraph = (paragraph: Paragraph, name: string, attributes: Readonly<Record<string, string>>): void => {
    const value = attributeNamed(attributes, 'val')
    if (name === 't') isText = true
    else if (name === 'pStyle') paragraph.style = value
    else if (name === 'outlineLvl') paragraph.level = outlineLevel(Number(value))
    else if (name === 'numId') paragraph.list = value
    else if (name === 'ilvl') paragraph.listLevel = Number(value)
    else if (name === 'r') isHidden = false
    else if (name === 'vanish') isHidden = isOn(attributes)
    else if (name === 'tab' || name === 'ptab') write('\t')
    else if (name === 'cr') write('\n')
    // The pronunciation of the base of a ruby.
    else if (name === 'rt') write('(')
    else if (name === 'noBreakHyphen') write('‑')
    else if (name === 'sym') write(symbolOf(attributeNamed(attributes, 'char')))
    else if (name === 'lastRenderedPageBreak') turn((isInBlock) => pages?.turnRendered(isInBlock))
    else if (name === 'br' && attributeNamed(attributes, 'type') === 'page') turn((isInBlock) => pages?.turn(isInBlock))
    else if (name === 'br') write('\n')
    else if (name.endsWith('Reference')) {
      const note = notes.get(`${name} ${attributeNamed(attributes, 'id') ?? ''}`)
      if (note !== undefined) paragraph.notes.push(note)
    }
  }

  return {
    open(full, attributes) {
      const name = localName(full)
      if (skipped > 0 || skippedElements.has(name)) {
        skipped++
        return
      }
      if (name === 'p') {
        paragraphs.push({
          parts: [],
          style: undefined,
          level: undefined,
          list: undefined,
          listLevel: undefined,
          notes: [],
        })
        isHidden = false
        isHiddenCounted = false
      } else if (asideNames.has(name)) openAside(name, attributes)
      else if (name === 'tbl') tables.push({ cells: [], isHeader: false, isBegun: false })
      else if (name === 'altChunk') inserted.add(attributeNamed(attributes, 'id'))
      else if (name === 'chart') placeDrawn(attributeNamed(attributes, 'id'))
      else if (name === 'relIds') placeDrawn(attributeNamed(attributes, 'dm'))
      else if (name === 'tc') tables.at(-1)?.cells.push({ pieces: [], span: 1 })
      else if (name === 'gridSpan') spanColumns(attributes)
      else if (name === 'tblHeader') markHeader(attributes)
      else {
        const paragraph = paragraphs.at(-1)
        if (paragraph !== undefined) inParagraph(paragraph, name, attributes)
      }
    },
    close(full) {
      if (skipped > 0) {
        skipped--
        return
      }
      const name = localName(full)
      if (name === 't') isText = false
      else if (name === 'r') isHidden = false
      else if (name === 'rt') write(')')
      else if (name === 'p') {
        const paragraph = paragraphs.pop()
        if (paragraph !== undefined) endParagraph(paragraph)
      } else if (asideNames.has(name)) closeAside(name)
      else if (name === 'tr' && tables.length > 0) endRow()
      else if (name === 'tbl') tables.pop()
    },
    text(text) {
      if (isText && skipped === 0) write(text)
    },
  }
}

const isNoNote = ({ kind }: Piece): boolean => kind !== 'note'

function symbolOf(code: string | undefined): string {
  const unit = Number.parseInt(code ?? '', 16)
  return Number.isNaN(unit) ? '' : String.fromCharCode(unit)
}
