import { type AboutOffice, mainPart, readDublinCore, readRelationships, readXmlIfThere } from '../read/office-parts.ts'
import type { Archive } from '../read/open-archive.ts'
import { attributeNamed, localName, readXml, type XmlHandler } from '../read/read-xml.ts'
import { addSlide, type SlidePiece } from '../read/slide-text.ts'
import { oneLine, rowText } from '../read/table-rows.ts'
import { unreadable } from '../refusal.ts'
import type { TextSink } from '../text-builder.ts'

/** Adds the slides in the order in which they are shown, each with its speaker notes. Hidden slides and shapes are left out. */
export async function extractPptx(archive: Archive, into: TextSink): Promise<AboutOffice & { readonly pages: number }> {
  const part = await mainPart(archive, 'ppt/presentation.xml')
  if (!archive.names.has(part)) throw unreadable('damaged', 'the package has no presentation part', 'open')
  const slides = await listSlides(archive, part)
  for (const [index, slide] of slides.entries()) {
    into.turnToPage(index + 1)
    const pieces: SlidePiece[] = []
    const isShown = await readShapes(archive, slide, pieces, into)
    if (!isShown) {
      into.flag('hidden-text')
      continue
    }
    for (const { type, target } of await readRelationships(archive, slide)) {
      if (type === 'notesSlide') await readNotes(archive, target, pieces, into)
      if (type === 'diagramData') await readShapes(archive, target, pieces, into)
    }
    addSlide(pieces, into)
  }
  return { ...(await readDublinCore(archive, 'docProps/core.xml')), pages: slides.length }
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

/** Where the prefix of relationships is not `r`: `id` itself is the number of the slide, so the prefixed one is meant. */
function relationId(attributes: Readonly<Record<string, string>>): string {
  const name = Object.keys(attributes).find((key) => key.endsWith(':id'))
  return name === undefined ? '' : (attributes[name] ?? '')
}

async function readNotes(archive: Archive, part: string, pieces: SlidePiece[], into: TextSink): Promise<void> {
  const notes: SlidePiece[] = []
  await readXmlIfThere(archive, part, createShapes(notes, into).handler)
  for (const { text, place } of notes) if (place !== 'title') pieces.push({ kind: 'note', text, place: 'other' })
}

async function readShapes(archive: Archive, part: string, pieces: SlidePiece[], into: TextSink): Promise<boolean> {
  const shapes = createShapes(pieces, into)
  await readXmlIfThere(archive, part, shapes.handler)
  return shapes.isShown()
}

/** Placeholders that repeat on every slide. */
const furniture: ReadonlySet<string> = new Set(['sldNum', 'dt', 'ftr', 'hdr'])

function createShapes(pieces: SlidePiece[], into: TextSink): { readonly handler: XmlHandler; isShown(): boolean } {
  let isShown = true
  let place: SlidePiece['place'] | 'nowhere' = 'other'
  let skipped = 0
  let paragraph: string[] = []
  let cells: string[][] | undefined
  let isText = false

  const endParagraph = (): void => {
    const text = paragraph.join('')
    paragraph = []
    const cell = cells?.at(-1)
    if (cell !== undefined) cell.push(text)
    else if (place !== 'nowhere') pieces.push({ kind: place === 'body' ? 'list-item' : 'paragraph', text, place })
  }
  const handler: XmlHandler = {
    open(full, attributes) {
      const name = localName(full)
      if (skipped > 0 || name === 'Fallback') {
        skipped++
        return
      }
      if (name === 'sld') isShown = attributes['show'] !== '0' && attributes['show'] !== 'false'
      else if (name === 'sp' || name === 'graphicFrame' || name === 'cxnSp') place = 'other'
      else if (name === 'cNvPr' && /^(?:1|true)$/.test(attributes['hidden'] ?? '')) {
        place = 'nowhere'
        into.flag('hidden-text')
      } else if (name === 'ph' && place !== 'nowhere') place = placeOf(attributeNamed(attributes, 'type'))
      else if (name === 'p') paragraph = []
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
        })
        cells = undefined
      }
    },
    text(text) {
      if (isText && skipped === 0) paragraph.push(text)
    },
  }
  return { handler, isShown: () => isShown }
}

function placeOf(type: string | undefined): SlidePiece['place'] | 'nowhere' {
  if (type === 'title' || type === 'ctrTitle') return 'title'
  if (type !== undefined && furniture.has(type)) return 'nowhere'
  return type === undefined || type === 'body' || type === 'obj' ? 'body' : 'other'
}
