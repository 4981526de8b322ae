import { withLabel } from '../read/list-numbers.ts'
import { type AboutOffice, partHolds, readDublinCore, readXmlIfThere } from '../read/office-parts.ts'
import type { Archive } from '../read/open-archive.ts'
import { readOpenCharts } from '../read/opendocument-charts.ts'
import { createPageFurniture } from '../read/opendocument-headers.ts'
import { createOpenLists, type ListStyles, readListStyles } from '../read/opendocument-lists.ts'
import { createStyleReader, type StyleNames } from '../read/opendocument-styles.ts'
import { readXml, type XmlHandler } from '../read/read-xml.ts'
import { addSlide, type SlidePiece } from '../read/slide-text.ts'
import { createTableRows, oneLine, rowText, type TableRows } from '../read/table-rows.ts'
import { commentMark } from '../read/word-notes.ts'
import { unreadable } from '../rejection.ts'
import type { BlockDetails, TextSink } from '../text-builder.ts'

export type OpenDocumentKind = 'odt' | 'odp' | 'ods'

/**
 * Adds an OpenDocument text, presentation or spreadsheet with its list numbers, charts and comments, then each page header and
 * footer once. Deleted and hidden text is skipped.
 */
export async function extractOpenDocument(
  archive: Archive,
  kind: OpenDocumentKind,
  into: TextSink,
): Promise<AboutOffice & { readonly pages?: number }> {
  if (!archive.names.has('content.xml')) throw unreadable('damaged', 'the package has no content', 'open')
  await rejectEncrypted(archive)
  const hiding = new Set<string>()
  const breaking = new Set<string>()
  const lists = readListStyles()
  const furniture = createPageFurniture()
  await readXmlIfThere(
    archive,
    'styles.xml',
    toAll(createStyleReader({ hiding, breaking }), lists.handler, furniture.handler),
  )
  // A document that was never laid out has no page breaks; then no pages are reported.
  const saysPages = kind === 'odt' && (await partHolds(archive, 'content.xml', /text:soft-page-break/))
  const charts = await readOpenCharts(archive)
  const content = createContent(kind, { hiding, breaking, lists, charts, saysPages }, into)
  await readXml(archive.read('content.xml'), toAll(content.handler, furniture.declarations))
  for (const text of furniture.texts()) into.add('note', text)
  const about = await readDublinCore(archive, 'meta.xml')
  const pages = content.pages()
  return pages === 0 ? about : { ...about, pages }
}

/** Combines several handlers into one. */
function toAll(...handlers: readonly XmlHandler[]): XmlHandler {
  return {
    open: (name, attributes) => {
      for (const handler of handlers) handler.open?.(name, attributes)
    },
    close: (name) => {
      for (const handler of handlers) handler.close?.(name)
    },
    text: (text) => {
      for (const handler of handlers) handler.text?.(text)
    },
  }
}

async function rejectEncrypted(archive: Archive): Promise<void> {
  await readXmlIfThere(archive, 'META-INF/manifest.xml', {
    open(name) {
      if (name.endsWith('encryption-data'))
        throw unreadable('encrypted', 'the document is protected by a password', 'open')
    },
  })
}

/** Elements without text of the document. */
const skippedElements: ReadonlySet<string> = new Set([
  'dc:date',
  'meta:date-string',
  'meta:creator-initials',
  'loext:sender-initials',
  'text:tracked-changes',
  'office:scripts',
  'office:forms',
  'text:note-citation',
  'svg:title',
  'svg:desc',
  'table:dde-links',
  'table:tracked-changes',
  'presentation:date-time-decl',
])
/** Elements whose style may begin a page. */
const breakable: ReadonlySet<string> = new Set(['text:p', 'text:h', 'table:table'])
const hiddenElements: ReadonlySet<string> = new Set(['text:hidden-text', 'text:hidden-paragraph'])

interface Paragraph {
  readonly parts: string[]
  readonly level: number | undefined
  readonly label: string
  /** Notes and comments in it: they follow it. */
  readonly notes: string[]
}

/** A comment that is being read. */
interface Annotation {
  author: string
  readonly lines: string[]
}

interface Styles extends StyleNames {
  readonly lists: ListStyles
  /** Texts by the name of the object. */
  readonly charts: ReadonlyMap<string, readonly string[]>
  readonly saysPages: boolean
}

interface Row {
  readonly cells: string[]
  cell: string[] | undefined
  repeats: number
  /** Comments in its cells: they follow it. */
  readonly notes: string[]
}

function createContent(
  kind: OpenDocumentKind,
  { hiding, breaking, lists: listStyles, charts, saysPages }: Styles,
  into: TextSink,
): { readonly handler: XmlHandler; pages(): number } {
  const styles = createStyleReader({ hiding, breaking })
  const paragraphs: Paragraph[] = []
  const rows: Row[] = []
  let slide: SlidePiece[] | undefined
  let sheet: TableRows | undefined
  let skipped = 0
  const lists = createOpenLists(listStyles)
  let annotation: Annotation | undefined
  let isAuthor = false
  let notes = 0
  let place: SlidePiece['place'] = 'other'
  let isSpeakerNotes = false
  let page = 0
  let isTableBegun = false
  let isHeaderRow = false
  let isFirst = true
  if (saysPages) into.turnToPage(++page)

  const write = (text: string): void => {
    if (isAuthor && annotation !== undefined) annotation.author += text
    else paragraphs.at(-1)?.parts.push(text)
  }
  const put = (block: SlidePiece['kind'], text: string, details?: BlockDetails): void => {
    const cell = rows.at(-1)?.cell
    if (annotation !== undefined) annotation.lines.push(text)
    else if (cell !== undefined) cell.push(text)
    else if (slide !== undefined)
      slide.push({
        kind: isSpeakerNotes ? 'note' : block,
        text,
        place: isSpeakerNotes ? 'other' : place,
        row: { beginsTable: details?.beginsTable === true, isHeader: details?.isHeader === true },
      })
    else into.add(block, text, details)
  }
  const endParagraph = (): void => {
    const paragraph = paragraphs.pop()
    if (paragraph === undefined) return
    const text = withLabel(paragraph.label, paragraph.parts.join(''))
    if (notes > 0 && annotation === undefined) putNote(text)
    else if (paragraph.level !== undefined && slide === undefined)
      put('heading', oneLine(text), { level: paragraph.level })
    else put(lists.isInItem() ? 'list-item' : 'paragraph', text)
    for (const note of paragraph.notes) put('note', note)
  }
  /** After the row or the paragraph that has the note. */
  const putNote = (text: string): void => {
    const around = rows[0] ?? paragraphs.at(-1)
    if (around === undefined) put('note', text)
    else around.notes.push(text)
  }
  const endRow = (): void => {
    const row = rows.pop()
    if (row === undefined) return
    if (sheet !== undefined && rows.length === 0) sheet.add(row.cells, row.notes)
    else putRow(row)
  }
  const putRow = (row: Row): void => {
    const text = rowText(row.cells)
    const isWhole = rows.length === 0
    put('table-row', text, { beginsTable: isWhole && !isTableBegun, isHeader: isWhole && isHeaderRow })
    for (const note of row.notes) put('note', note)
    if (isWhole) isTableBegun ||= text !== ''
  }
  const openCell = (attributes: Readonly<Record<string, string>>): void => {
    const row = rows.at(-1)
    if (row === undefined) return
    row.cell = []
    row.repeats = Number(attributes['table:number-columns-repeated'] ?? 1)
  }
  const endCell = (): void => {
    const row = rows.at(-1)
    if (row?.cell === undefined) return
    const text = oneLine(row.cell.join(' '))
    row.cell = undefined
    // Sheets end with one cell repeated to the edge; repeated values are limited to a few, gaps to the width of a table.
    const times = Math.min(Number.isInteger(row.repeats) ? row.repeats : 1, text === '' ? 256 : 16)
    for (let time = 0; time < times; time++) row.cells.push(text)
  }
  const endAnnotation = (): void => {
    const { author, lines } = annotation ?? { author: '', lines: [] }
    annotation = undefined
    const text = lines.join('\n').trim()
    if (text !== '') putNote(commentMark(author) + text)
  }
  const turnPage = (): void => {
    const hasText = paragraphs.at(-1)?.parts.some((part) => part.trim() !== '') === true
    const isInBlock = hasText || rows.some(({ cells, cell }) => [...cells, ...(cell ?? [])].some((text) => text !== ''))
    into.turnToPage(++page, isInBlock)
  }

  const opens: Readonly<Record<string, (attributes: Readonly<Record<string, string>>) => void>> = {
    'text:p': () =>
      paragraphs.push({ parts: [], level: undefined, label: annotation === undefined ? lists.label() : '', notes: [] }),
    'text:h': (attributes) =>
      paragraphs.push({
        parts: [],
        level: Number(attributes['text:outline-level'] ?? 1),
        label: lists.headingLabel(attributes),
        notes: [],
      }),
    'office:annotation': () => {
      annotation = { author: '', lines: [] }
    },
    'dc:creator': () => {
      isAuthor = true
    },
    'text:s': (attributes) => write(' '.repeat(Math.min(100, Number(attributes['text:c'] ?? 1) || 1))),
    'text:tab': () => write('\t'),
    'text:line-break': () => write('\n'),
    // The pronunciation of the base of a ruby.
    'text:ruby-text': () => write('('),
    'text:list': lists.openList,
    'text:list-item': (attributes) => lists.openItem(attributes, true),
    'text:list-header': (attributes) => lists.openItem(attributes, false),
    'text:note-body': () => void notes++,
    'text:soft-page-break': () => {
      if (kind === 'odt') turnPage()
    },
    'table:table': (attributes) => {
      if (rows.length === 0) isTableBegun = false
      if (kind !== 'ods' || rows.length > 0) return
      turnPage()
      into.add('sheet', attributes['table:name'] ?? '', { level: 1 })
      sheet = createTableRows(into)
    },
    'table:table-header-rows': () => {
      isHeaderRow = rows.length === 0
    },
    'table:table-row': () => rows.push({ cells: [], cell: undefined, repeats: 1, notes: [] }),
    'table:table-cell': openCell,
    'table:covered-table-cell': openCell,
    'draw:page': () => {
      if (kind !== 'odp') return
      turnPage()
      slide = []
    },
    'draw:frame': (attributes) => {
      const role = attributes['presentation:class']
      place = role === 'title' ? 'title' : role === 'outline' || role === 'subtitle' ? 'body' : 'other'
    },
    'draw:object': (attributes) => {
      for (const text of charts.get((attributes['xlink:href'] ?? '').replace(/^\.\//, '')) ?? [])
        if (rows[0] === undefined) put('paragraph', text)
        else rows[0].notes.push(text)
    },
    'presentation:notes': () => {
      isSpeakerNotes = true
    },
  }
  const closes: Readonly<Record<string, () => void>> = {
    'text:p': endParagraph,
    'text:h': endParagraph,
    'text:list': lists.closeList,
    'text:list-item': lists.closeItem,
    'text:list-header': lists.closeItem,
    'office:annotation': endAnnotation,
    'dc:creator': () => {
      isAuthor = false
    },
    'text:note-body': () => void notes--,
    'text:ruby-text': () => write(')'),
    'table:table-header-rows': () => {
      if (rows.length === 0) isHeaderRow = false
    },
    'table:table-row': endRow,
    'table:table-cell': endCell,
    'table:covered-table-cell': endCell,
    'table:table': () => {
      if (rows.length > 0) return
      sheet?.end()
      sheet = undefined
    },
    'draw:page': () => {
      if (slide !== undefined) addSlide(slide, into)
      slide = undefined
    },
    'presentation:notes': () => {
      isSpeakerNotes = false
    },
  }

  const handler: XmlHandler = {
    open(name, attributes) {
      styles.open(name, attributes)
      listStyles.handler.open(name, attributes)
      if (skipped > 0 || skippedElements.has(name)) {
        skipped++
        return
      }
      const style = attributes['text:style-name'] ?? attributes['table:style-name'] ?? attributes['draw:style-name']
      if (hiddenElements.has(name) || (style !== undefined && hiding.has(style))) {
        if (name === 'draw:page' || name === 'table:table') page++
        into.flag('hidden-text')
        skipped++
        return
      }
      if (saysPages && breakable.has(name) && annotation === undefined && notes === 0) {
        if (!isFirst && paragraphs.length === 0 && rows.length === 0 && breaking.has(style ?? '')) turnPage()
        isFirst = false
      }
      opens[name]?.(attributes)
    },
    close(name) {
      if (skipped > 0) skipped--
      else closes[name]?.()
    },
    text(text) {
      // White space between elements is formatting of the file; inside a paragraph a sequence counts as one space.
      if (skipped === 0) write(text.replace(/[\t\n\r ]+/g, ' '))
    },
  }
  return { handler, pages: () => page }
}
