import type { ReadAttachment } from '../attachment-text.ts'
import { drawnTypes, readDrawnTexts } from '../read/drawn-text.ts'
import { addEmbedded } from '../read/embedded-documents.ts'
import { readComments, readPeople } from '../read/office-comments.ts'
import { type AboutOffice, mainPart, readDublinCore, readRelationships, readXmlIfThere } from '../read/office-parts.ts'
import type { Archive } from '../read/open-archive.ts'
import { attributeNamed, localName, readXml, type XmlHandler } from '../read/read-xml.ts'
import { addSlide, type SlidePiece } from '../read/slide-text.ts'
import { oneLine, rowText } from '../read/table-rows.ts'
import { unreadable } from '../rejection.ts'
import type { TextSink } from '../text-builder.ts'

/**
 * Adds the slides in display order, each with its charts, speaker notes, comments and embedded documents, then each footer
 * once. Hidden slides and shapes are skipped.
 */
export async function extractPptx(
  archive: Archive,
  into: TextSink,
  readEmbedded?: ReadAttachment,
): Promise<AboutOffice & { readonly pages: number }> {
  const part = await mainPart(archive, 'ppt/presentation.xml')
  if (!archive.names.has(part)) throw unreadable('damaged', 'the package has no presentation part', 'open')
  const slides = await listSlides(archive, part)
  const people = await readPeople(archive, await authorParts(archive, part))
  const onHidden = (): void => into.flag('hidden-text')
  const footers = new Set<string>()
  const layouts = new Set<string>()
  for (const [index, slide] of slides.entries()) {
    into.turnToPage(index + 1)
    const pieces: SlidePiece[] = []
    const shapes = createShapes(pieces, { onHidden, arePlaceholdersVisible: true })
    await readXmlIfThere(archive, slide, shapes.handler)
    if (!shapes.isDisplayed()) {
      into.flag('hidden-text')
      continue
    }
    const links = await readRelationships(archive, slide)
    for (const { type, target } of links) {
      if (type === 'slideLayout') layouts.add(target)
      if (type === 'notesSlide') await readNotes(archive, target, pieces, onHidden)
      else if (drawnTypes.has(type)) pieces.push(...(await readDrawnTexts(archive, target)).map(drawnPiece))
      else if (type === 'comments')
        for (const { text } of await readComments(archive, target, people))
          pieces.push({ kind: 'note', text, place: 'other' })
    }
    addSlide(pieces, into)
    await addEmbedded(archive, links, into, readEmbedded)
    for (const text of shapes.footers) footers.add(text)
  }
  for (const text of await readBackgrounds(archive, layouts)) footers.add(text)
  for (const text of footers) into.add('note', text)
  return { ...(await readDublinCore(archive, 'docProps/core.xml')), pages: slides.length }
}

const drawnPiece = (text: string): SlidePiece => ({ kind: 'paragraph', text, place: 'other' })

async function authorParts(archive: Archive, part: string): Promise<readonly string[]> {
  const links = await readRelationships(archive, part)
  return links.filter(({ type }) => type === 'commentAuthors' || type === 'authors').map(({ target }) => target)
}

/** Texts of layouts and masters, which appear on every slide. Their placeholders are prompts and are not displayed. */
async function readBackgrounds(archive: Archive, layouts: ReadonlySet<string>): Promise<readonly string[]> {
  const parts = new Set(layouts)
  for (const layout of layouts)
    for (const { type, target } of await readRelationships(archive, layout))
      if (type === 'slideMaster') parts.add(target)
  const texts: string[] = []
  for (const part of parts) {
    const pieces: SlidePiece[] = []
    const shapes = createShapes(pieces, { onHidden: () => undefined, arePlaceholdersVisible: false })
    await readXmlIfThere(archive, part, shapes.handler)
    texts.push(...pieces.map(({ text }) => text))
  }
  return texts.filter((text) => text.trim() !== '')
}

async function listSlides(archive: Archive, part: string): Promise<readonly string[]> {
  const ids: string[] = []
  await readXml(archive.read(part), {
    open(full, attributes) {
      if (localName(full) === 'sldId') ids.push(attributes['r:id'] ?? relationId(attributes))
    },
  })
  const targets = new Map((await readRelationships(archive, part)).map(({ id, target }) => [id, target]))
  return ids.map((id) => targets.get(id) ?? '').filter((name) => archive.names.has(name))
}

/** For relationship prefixes other than `r`: `id` without a prefix is the number of the slide, so the prefixed one is used. */
function relationId(attributes: Readonly<Record<string, string>>): string {
  const name = Object.keys(attributes).find((key) => key.endsWith(':id'))
  return name === undefined ? '' : (attributes[name] ?? '')
}

async function readNotes(archive: Archive, part: string, pieces: SlidePiece[], onHidden: () => void): Promise<void> {
  const notes: SlidePiece[] = []
  await readXmlIfThere(archive, part, createShapes(notes, { onHidden, arePlaceholdersVisible: true }).handler)
  for (const { text, place } of notes) if (place !== 'title') pieces.push({ kind: 'note', text, place: 'other' })
}

/** Placeholders of fields. */
const fieldPlaces: ReadonlySet<string> = new Set(['sldNum', 'dt'])
/** Placeholders that repeat on every slide. */
const footerPlaces: ReadonlySet<string> = new Set(['ftr', 'hdr'])

interface Shapes {
  readonly handler: XmlHandler
  isDisplayed(): boolean
  readonly footers: readonly string[]
}

type Place = SlidePiece['place'] | 'footer' | 'nowhere'

interface ShapeReading {
  readonly onHidden: () => void
  /** False for layouts and masters, whose placeholders are filled by slides. */
  readonly arePlaceholdersVisible: boolean
}

function createShapes(pieces: SlidePiece[], { onHidden, arePlaceholdersVisible }: ShapeReading): Shapes {
  const footers: string[] = []
  let isDisplayed = true
  let place: Place = 'other'
  let isTableBegun = false
  let skipped = 0
  let paragraph: string[] = []
  let cells: string[][] | undefined
  let isText = false

  const endParagraph = (): void => {
    const text = paragraph.join('')
    paragraph = []
    const cell = cells?.at(-1)
    if (cell !== undefined) cell.push(text)
    else if (place === 'footer') footers.push(text)
    else if (place !== 'nowhere') pieces.push({ kind: place === 'body' ? 'list-item' : 'paragraph', text, place })
  }
  const handler: XmlHandler = {
    open(full, attributes) {
      const name = localName(full)
      if (skipped > 0 || name === 'Fallback') {
        skipped++
        return
      }
      if (name === 'sld') isDisplayed = attributes['show'] !== '0' && attributes['show'] !== 'false'
      else if (name === 'sp' || name === 'graphicFrame' || name === 'cxnSp') place = 'other'
      else if (name === 'cNvPr' && /^(?:1|true)$/.test(attributes['hidden'] ?? '')) {
        place = 'nowhere'
        onHidden()
      } else if (name === 'ph' && place !== 'nowhere')
        place = arePlaceholdersVisible ? placeOf(attributeNamed(attributes, 'type')) : 'nowhere'
      else if (name === 'p') paragraph = []
      else if (name === 'tbl') isTableBegun = false
      else if (name === 'tr') cells = []
      else if (name === 'tc') cells?.push([])
      else if (name === 't') isText = true
      else if (name === 'br') paragraph.push('\n')
    },
    close(full) {
      if (skipped > 0) {
        skipped--
        return
      }
      const name = localName(full)
      if (name === 't') isText = false
      else if (name === 'p') endParagraph()
      else if (name === 'tr' && cells !== undefined) {
        pieces.push({
          kind: 'table-row',
          text: rowText(cells.map((parts) => oneLine(parts.join(' ')))),
          place: 'other',
          row: { beginsTable: !isTableBegun },
        })
        cells = undefined
        isTableBegun = true
      }
    },
    text(text) {
      if (isText && skipped === 0) paragraph.push(text)
    },
  }
  return { handler, isDisplayed: () => isDisplayed, footers }
}

function placeOf(type: string | undefined): Place {
  if (type === 'title' || type === 'ctrTitle') return 'title'
  if (type !== undefined && fieldPlaces.has(type)) return 'nowhere'
  if (type !== undefined && footerPlaces.has(type)) return 'footer'
  return type === undefined || type === 'body' || type === 'obj' ? 'body' : 'other'
}
