import {
  type AboutOffice,
  isOn,
  mainPart,
  readDublinCore,
  readRelationships,
  readXmlIfThere,
} from '../read/office-parts.ts'
import type { Archive } from '../read/open-archive.ts'
import { attributeNamed, localName, readXml, type XmlHandler } from '../read/read-xml.ts'
import { oneLine, rowText } from '../read/table-rows.ts'
import { unreadable } from '../refusal.ts'
import type { TextBuilder } from '../text-builder.ts'

/** Adds the body of a Word document with its footnotes; headers, footers, comments and deleted text are left out. */
export async function extractDocx(
  archive: Archive,
  into: TextBuilder,
): Promise<AboutOffice & { readonly pages?: number }> {
  const part = await mainPart(archive, 'word/document.xml')
  if (!archive.names.has(part)) throw unreadable('damaged', 'the package has no document part', 'open')
  const links = await readRelationships(archive, part)
  const partOf = (type: string): string => links.find((link) => link.type === type)?.target ?? ''
  const styles = await readStyles(archive, partOf('styles'))
  const notes = await readNotes(archive, [partOf('footnotes'), partOf('endnotes')])
  const pages = (await saysPages(archive, part)) ? createPages(into) : undefined
  await readXml(archive.read(part), createWordText({ styles, notes, pages, into }))
  const about = await readDublinCore(archive, 'docProps/core.xml')
  return pages === undefined ? about : { ...about, pages: pages.count() }
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

/** What a style makes of a paragraph. */
interface WordStyle {
  readonly level: number | undefined
  readonly isItem: boolean
}

async function readStyles(archive: Archive, part: string): Promise<ReadonlyMap<string, WordStyle>> {
  const own = new Map<string, { name: string; basedOn?: string; level?: number; isItem: boolean }>()
  let style: { name: string; basedOn?: string; level?: number; isItem: boolean } | undefined
  await readXmlIfThere(archive, part, {
    open(full, attributes) {
      const name = localName(full)
      const value = attributeNamed(attributes, 'val')
      if (name === 'style') {
        style = { name: '', isItem: false }
        own.set(attributeNamed(attributes, 'styleId') ?? '', style)
      } else if (style === undefined) return
      else if (name === 'name') style.name = value ?? ''
      else if (name === 'basedOn' && value !== undefined) style.basedOn = value
      else if (name === 'outlineLvl') style.level = Number(value)
      else if (name === 'numPr') style.isItem = true
    },
    close(full) {
      if (localName(full) === 'style') style = undefined
    },
  })
  const resolve = (id: string | undefined, hops = 0): WordStyle => {
    const found = own.get(id ?? '')
    if (found === undefined || hops > 20) return { level: undefined, isItem: false }
    const base = resolve(found.basedOn, hops + 1)
    const named = /^heading (\d)$/i.exec(found.name)?.[1]
    const level = named !== undefined ? Number(named) : /^title$/i.test(found.name) ? 1 : levelOf(found.level)
    return { level: level ?? base.level, isItem: found.isItem || base.isItem }
  }
  return new Map([...own.keys()].map((id) => [id, resolve(id)]))
}

/** Outline levels are counted from 0; 9 is body text. */
function levelOf(outline: number | undefined): number | undefined {
  return outline !== undefined && outline >= 0 && outline < 9 ? outline + 1 : undefined
}

/** Footnotes and endnotes by the name of their reference and their number. */
async function readNotes(archive: Archive, parts: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const notes = new Map<string, string>()
  for (const part of parts) {
    let key: string | undefined
    let isText = false
    await readXmlIfThere(archive, part, {
      open(full, attributes) {
        const name = localName(full)
        if (name === 'footnote' || name === 'endnote')
          key = `${name}Reference ${attributeNamed(attributes, 'id') ?? ''}`
        isText = name === 't'
        if (name === 'p' && key !== undefined && notes.has(key)) notes.set(key, `${notes.get(key) ?? ''}\n`)
      },
      text(text) {
        if (isText && key !== undefined) notes.set(key, (notes.get(key) ?? '') + text)
      },
      close: () => {
        isText = false
      },
    })
  }
  return notes
}

interface Paragraph {
  readonly parts: string[]
  style: string | undefined
  level: number | undefined
  isItem: boolean
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
  readonly pages: Pages | undefined
  readonly into: TextBuilder
}

function createWordText({ styles, notes, pages, into }: WordRoom): XmlHandler {
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
    if (cell === undefined) into.add(piece.kind, piece.text, piece.level)
    else cell.push(piece)
  }
  const endParagraph = (paragraph: Paragraph): void => {
    const style = styles.get(paragraph.style ?? '')
    const level = paragraph.level ?? style?.level
    const text = paragraph.parts.join('')
    const isItem = paragraph.isItem || style?.isItem === true
    if (text.trim() !== '') pages?.sawText()
    if (level !== undefined) place({ kind: 'heading', text: oneLine(text), level })
    else place({ kind: isItem ? 'list-item' : 'paragraph', text })
    for (const note of paragraph.notes) place({ kind: 'note', text: note })
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
    else if (name === 'outlineLvl') paragraph.level = levelOf(Number(value))
    else if (name === 'numId') paragraph.isItem = value !== '0'
    else if (name === 'r') isHidden = false
    else if (name === 'vanish') isHidden = isOn(attributes)
    else if (name === 'tab' || name === 'ptab') write('\t')
    else if (name === 'cr') write('\n')
    else if (name === 'noBreakHyphen') write('‑')
    else if (name === 'sym') write(symbolOf(attributeNamed(attributes, 'char')))
    else if (name === 'lastRenderedPageBreak') pages?.turnRendered()
    else if (name === 'br' && attributeNamed(attributes, 'type') === 'page') pages?.turn()
    else if (name === 'br') write('\n')
    else if (name === 'footnoteReference' || name === 'endnoteReference') {
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
        paragraphs.push({ parts: [], style: undefined, level: undefined, isItem: false, notes: [] })
        isHidden = false
        isHiddenCounted = false
      } else if (name === 'tbl') tables.push({ cells: [] })
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

/**
 * Pages as Word last laid them out. It notes each beginning with `lastRenderedPageBreak`, and after a break that the author
 * made once more: that one is not counted twice.
 */
function createPages(into: TextBuilder): Pages {
  let page = 1
  let isJustTurned = false
  into.turnToPage(page)
  return {
    turn() {
      into.turnToPage(++page)
      isJustTurned = true
    },
    turnRendered() {
      if (!isJustTurned) into.turnToPage(++page)
      isJustTurned = false
    },
    sawText() {
      isJustTurned = false
    },
    count: () => page,
  }
}

interface Pages {
  turn(): void
  turnRendered(): void
  sawText(): void
  count(): number
}
