import type { ReadAttachment } from '../attachment-text.ts'
import { columnOfReference, formatNumber, type NumberStyle, numberStyleOf, unescapeText } from '../read/cell-values.ts'
import { addEmbedded } from '../read/embedded-documents.ts'
import { readPeople } from '../read/office-comments.ts'
import { type AboutOffice, mainPart, readDublinCore, readRelationships, readXmlIfThere } from '../read/office-parts.ts'
import type { Archive } from '../read/open-archive.ts'
import { attributeNamed, localName, readXml } from '../read/read-xml.ts'
import { readSheetParts, type SheetParts, sheetFurniture } from '../read/sheet-parts.ts'
import { createTableRows } from '../read/table-rows.ts'
import { unreadable } from '../rejection.ts'
import type { TextSink } from '../text-builder.ts'

/**
 * Adds the sheets of a workbook, one line per row with the names of its columns, then text boxes, charts and embedded documents
 * of the sheet, and finally each page header and footer once. Comments follow the row of their cell. Hidden sheets are skipped.
 */
export async function extractXlsx(
  archive: Archive,
  into: TextSink,
  readEmbedded?: ReadAttachment,
): Promise<AboutOffice & { readonly pages: number }> {
  const part = await mainPart(archive, 'xl/workbook.xml')
  if (!archive.names.has(part)) throw unreadable('damaged', 'the package has no workbook part', 'open')
  const links = await readRelationships(archive, part)
  const partOf = (type: string): string => links.find((link) => link.type === type)?.target ?? ''
  const { sheets, startsIn1904 } = await readWorkbook(archive, part)
  const strings = await readSharedStrings(archive, partOf('sharedStrings'))
  const styles = await readNumberStyles(archive, partOf('styles'))
  const people = await readPeople(
    archive,
    links.filter(({ type }) => type === 'person').map(({ target }) => target),
  )
  const targets = new Map(links.map(({ id, target }) => [id, target]))
  const furniture = new Set<string>()
  for (const [index, { name, link, isHidden }] of sheets.entries()) {
    if (isHidden) {
      into.flag('hidden-text')
      continue
    }
    into.turnToPage(index + 1)
    into.add('sheet', name, { level: 1 })
    const sheet = targets.get(link) ?? ''
    if (!archive.names.has(sheet)) continue
    const parts = await readSheetParts(archive, sheet, people)
    await readSheet(archive, sheet, { strings, styles, startsIn1904, parts, furniture }, into)
    for (const text of parts.drawn) into.add('paragraph', text)
    await addEmbedded(archive, await readRelationships(archive, sheet), into, readEmbedded)
  }
  for (const text of furniture) into.add('note', text)
  return { ...(await readDublinCore(archive, 'docProps/core.xml')), pages: sheets.length }
}

interface Sheet {
  readonly name: string
  readonly link: string
  readonly isHidden: boolean
}

async function readWorkbook(
  archive: Archive,
  part: string,
): Promise<{ sheets: readonly Sheet[]; startsIn1904: boolean }> {
  const sheets: Sheet[] = []
  let startsIn1904 = false
  await readXml(archive.read(part), {
    open(full, attributes) {
      const name = localName(full)
      if (name === 'workbookPr') startsIn1904 = /^(?:1|true)$/.test(attributes['date1904'] ?? '')
      if (name !== 'sheet') return
      const state = attributes['state'] ?? 'visible'
      sheets.push({
        name: attributes['name'] ?? '',
        link: attributeNamed(attributes, 'id') ?? '',
        isHidden: state !== 'visible',
      })
    },
  })
  return { sheets, startsIn1904 }
}

/** The texts that cells refer to by number, without phonetic guides. */
async function readSharedStrings(archive: Archive, part: string): Promise<readonly string[]> {
  const strings: string[] = []
  let parts: string[] = []
  let isText = false
  let isPhonetic = false
  await readXmlIfThere(archive, part, {
    open(full) {
      const name = localName(full)
      if (name === 'si') parts = []
      else if (name === 'rPh') isPhonetic = true
      else if (name === 't') isText = !isPhonetic
    },
    close(full) {
      const name = localName(full)
      if (name === 'si') strings.push(unescapeText(parts.join('')))
      else if (name === 'rPh') isPhonetic = false
      else if (name === 't') isText = false
    },
    text(text) {
      if (isText) parts.push(text)
    },
  })
  return strings
}

/** The number format of each cell style, by the number of the style. */
async function readNumberStyles(archive: Archive, part: string): Promise<readonly NumberStyle[]> {
  const custom = new Map<string, string>()
  const styles: NumberStyle[] = []
  let isCellStyle = false
  await readXmlIfThere(archive, part, {
    open(full, attributes) {
      const name = localName(full)
      if (name === 'numFmt') custom.set(attributes['numFmtId'] ?? '', attributes['formatCode'] ?? '')
      else if (name === 'cellXfs') isCellStyle = true
      else if (name === 'xf' && isCellStyle) {
        const id = attributes['numFmtId'] ?? '0'
        styles.push(numberStyleOf(Number(id), custom.get(id)))
      }
    },
    close(full) {
      if (localName(full) === 'cellXfs') isCellStyle = false
    },
  })
  return styles
}

interface SheetState {
  readonly strings: readonly string[]
  readonly styles: readonly NumberStyle[]
  readonly startsIn1904: boolean
  readonly parts: SheetParts
  /** Page headers and footers found so far. */
  readonly furniture: Set<string>
}

const furnitureNames = /^(?:odd|even|first)(?:Header|Footer)$/

/** A row may use any of 16,384 columns; gaps are kept only up to a realistic table width. */
const maxColumns = 1_024

async function readSheet(archive: Archive, part: string, state: SheetState, into: TextSink): Promise<void> {
  const rows = createTableRows(into)
  let cells: string[] = []
  let column = 0
  let type = ''
  let style = 0
  let value: string[] = []
  let isValue = false
  let notes: readonly string[] = []
  const comments = new Map(state.parts.comments)

  const endCell = (): void => {
    const text = cellText(type, value.join(''), style, state)
    value = []
    if (text === '') return
    while (cells.length < Math.min(column, maxColumns)) cells.push('')
    cells.push(text)
  }
  const takeComments = (cell: string): void => {
    notes = [...notes, ...(comments.get(cell) ?? [])]
    comments.delete(cell)
  }
  const endFurniture = (): void => {
    isValue = false
    const text = sheetFurniture(value.join(''))
    value = []
    if (text !== '') state.furniture.add(text)
  }
  await readXml(archive.read(part), {
    open(full, attributes) {
      const name = localName(full)
      if (name === 'row') {
        cells = []
        column = -1
      } else if (name === 'c') {
        column = columnOfReference(attributes['r']) ?? column + 1
        takeComments(attributes['r'] ?? '')
        type = attributes['t'] ?? 'n'
        style = Number(attributes['s'] ?? 0)
      } else if (name === 'v' || name === 't' || furnitureNames.test(name)) isValue = true
    },
    close(full) {
      const name = localName(full)
      if (name === 'v' || name === 't') isValue = false
      else if (name === 'c') endCell()
      else if (name === 'row') {
        rows.add(cells, notes)
        notes = []
      } else if (furnitureNames.test(name)) endFurniture()
    },
    text(text) {
      if (isValue) value.push(text)
    },
  })
  rows.end()
  // Comments on cells that are empty.
  for (const note of [...comments.values()].flat()) into.add('note', note)
}

function cellText(type: string, value: string, style: number, { strings, styles, startsIn1904 }: SheetState): string {
  if (type === 's') return strings[Number(value)] ?? ''
  if (type === 'b') return value === '1' ? 'TRUE' : value === '0' ? 'FALSE' : value
  if (type !== 'n' || value === '') return unescapeText(value)
  return formatNumber(value, styles[style] ?? 'general', startsIn1904)
}
