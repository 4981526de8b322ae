import { withLabel } from '../read/list-numbers.ts'
import {
  type AboutOffice,
  isOn,
  mainPart,
  type Relationship,
  readDublinCore,
  readRelationships,
} from '../read/office-parts.ts'
import type { Archive } from '../read/open-archive.ts'
import { attributeNamed, localName, readXml, type XmlHandler } from '../read/read-xml.ts'
import { oneLine, rowText } from '../read/table-rows.ts'
import { readWordNotes } from '../read/word-notes.ts'
import { readWordNumbering, type WordNumbering } from '../read/word-numbering.ts'
import { createWordPages, type WordPages } from '../read/word-pages.ts'
import { outlineLevel, readWordStyles, type WordStyle } from '../read/word-styles.ts'
import { unreadable } from '../refusal.ts'
import type { TextSink } from '../text-builder.ts'
import { type InsertedParts, readInsertedParts } from './extract-inserted.ts'

/**
 * Adds the body of a Word document with its list numbers, footnotes and comments, and then each page header and footer once.
 * Deleted text is left out.
 */
export async function extractDocx(
  archive: Archive,
  into: TextSink,
): Promise<AboutOffice & { readonly pages?: number }> {
  const part = await mainPart(archive, 'word/document.xml')
  if (!archive.names.has(part)) throw unreadable('damaged', 'the package has no document part', 'open')
  const links = await readRelationships(archive, part)
  const partOf = (type: string): string => links.find((link) => link.type === type)?.target ?? ''
  const pages = (await saysPages(archive, part)) ? createWordPages(into) : undefined
  const room = await readRoom(archive, partOf, { inserted: await readInsertedParts(archive, links, into), pages, into })
  await readXml(
    archive.read(part),
    createWordText({ ...room, put: (piece) => into.add(piece.kind, piece.text, piece.level) }),
  )
  await addHeadersAndFooters(archive, links, room)
  const about = await readDublinCore(archive, 'docProps/core.xml')
  return pages === undefined ? about : { ...about, pages: pages.count() }
}

type PartOf = (type: string) => string

async function readRoom(
  archive: Archive,
  partOf: PartOf,
  given: Pick<WordRoom, 'inserted' | 'pages' | 'into'>,
): Promise<WordRoom> {
  return {
    styles: await readWordStyles(archive, partOf('styles')),
    notes: await readWordNotes(archive, [partOf('footnotes'), partOf('endnotes'), partOf('comments')]),
    numbering: await readWordNumbering(archive, partOf('numbering')),
    ...given,
  }
}

/** What reads the body of a document whose parts are not linked: a Word document in one XML file. */
export async function createWordBody(archive: Archive, partOf: PartOf, into: TextSink): Promise<XmlHandler> {
  const room = await readRoom(archive, partOf, { inserted: { add: () => undefined }, pages: undefined, into })
  return createWordText({ ...room, put: (piece) => into.add(piece.kind, piece.text, piece.level) })
}

/** They repeat on every page and stand for different kinds of pages: each text is added once, behind the body. */
async function addHeadersAndFooters(archive: Archive, links: readonly Relationship[], room: WordRoom): Promise<void> {
  const seen = new Set<string>()
  for (const kind of ['header', 'footer']) {
    for (const { type, target } of links) {
      if (type !== kind || !archive.names.has(target)) continue
      const lines: string[] = []
      const put = ({ text }: Piece): void => void lines.push(text)
      await readXml(archive.read(target), createWordText({ ...room, pages: undefined, put }))
      const text = lines.filter((line) => line.trim() !== '').join('\n')
      if (!seen.has(text)) room.into.add('note', text)
      seen.add(text)
    }
  }
}

/** Whether the document knows where its pages begin. One that was never laid out does not, and then no page is claimed. */
async function saysPages(archive: Archive, part: string): Promise<boolean> {
  let tail = ''
  for await (const piece of archive.read(part)) {
    const text = tail + piece.toString('latin1')
    if (/lastRenderedPageBreak|:type="page"/.test(text)) return true
    tail = text.slice(-40)
  }
  return false
}

interface Paragraph {
  readonly parts: string[]
  style: string | undefined
  level: number | undefined
  /** `0`: no list, whatever its style says. */
  list: string | undefined
  listLevel: number | undefined
  readonly notes: string[]
}

/** A paragraph that is complete, waiting in its cell. */
interface Piece {
  readonly kind: 'heading' | 'list-item' | 'paragraph' | 'table-row' | 'note'
  readonly text: string
  readonly level?: number
}

interface Table {
  /** Cells of the open row. */
  readonly cells: Piece[][]
}

/** Whole elements that are no text of the document: the second form of a drawing, moved and deleted text, properties of sections. */
const skippedElements: ReadonlySet<string> = new Set([
  'Fallback',
  'del',
  'moveFrom',
  'sectPr',
  'tabs',
  'rPrChange',
  'pPrChange',
])

interface WordRoom {
  readonly styles: ReadonlyMap<string, WordStyle>
  readonly notes: ReadonlyMap<string, string>
  readonly numbering: WordNumbering
  readonly inserted: InsertedParts
  readonly pages: WordPages | undefined
  readonly into: TextSink
}

interface WordTarget extends WordRoom {
  readonly put: (piece: Piece) => void
}

function createWordText({ styles, notes, numbering, inserted, pages, into, put }: WordTarget): XmlHandler {
  const paragraphs: Paragraph[] = []
  const tables: Table[] = []
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
    const cell = tables.at(-1)?.cells.at(-1)
    if (cell === undefined) put(piece)
    else cell.push(piece)
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
    const cells = tables.pop()?.cells ?? []
    // A row of one cell is a frame around text, not a record.
    if (cells.length === 1) for (const piece of cells[0] ?? []) place(piece)
    else
      place({
        kind: 'table-row',
        text: rowText(cells.map((pieces) => oneLine(pieces.map(({ text }) => text).join(' ')))),
      })
    tables.push({ cells: [] })
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
    else if (name === 'noBreakHyphen') write('‑')
    else if (name === 'sym') write(symbolOf(attributeNamed(attributes, 'char')))
    else if (name === 'lastRenderedPageBreak') pages?.turnRendered()
    else if (name === 'br' && attributeNamed(attributes, 'type') === 'page') pages?.turn()
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
      } else if (name === 'tbl') tables.push({ cells: [] })
      else if (name === 'altChunk') inserted.add(attributeNamed(attributes, 'id'))
      else if (name === 'tc') tables.at(-1)?.cells.push([])
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
      else if (name === 'p') {
        const paragraph = paragraphs.pop()
        if (paragraph !== undefined) endParagraph(paragraph)
      } else if (name === 'tr' && tables.length > 0) endRow()
      else if (name === 'tbl') tables.pop()
    },
    text(text) {
      if (isText && skipped === 0) write(text)
    },
  }
}

function symbolOf(code: string | undefined): string {
  const unit = Number.parseInt(code ?? '', 16)
  return Number.isNaN(unit) ? '' : String.fromCharCode(unit)
}
