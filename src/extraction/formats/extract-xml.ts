import { localName, readXmlText, type XmlHandler } from '../read/read-xml.ts'
import { oneLine } from '../read/table-rows.ts'
import type { TextSink } from '../text-builder.ts'

/**
 * Adds the text of any XML: prose elements as paragraphs, others as `name: value`, attributes as `name.attribute: value`. An
 * element named `title` is a heading at the depth of its sections.
 *
 * @throws Rejection when it is not well-formed or declares entities
 */
export function extractXml(text: string, into: TextSink): AboutXml {
  const reader = createXmlText(into)
  readXmlText(text, reader.handler)
  return reader.about()
}

/** The metadata of a FictionBook book. */
export interface AboutXml {
  readonly title?: string
  readonly language?: string
}

/** Running text that is being assembled, possibly from several elements. */
interface Passage {
  readonly texts: string[]
  hasWords: boolean
}

interface Element {
  readonly name: string
  readonly passage: Passage
  /** Is inside running text, and adds to it. */
  readonly isInline: boolean
}

/** Prose elements of DocBook, FictionBook, DITA, TEI, NITF and similar formats: their names are omitted. */
const proseNames: ReadonlySet<string> = new Set(
  'p para simpara text li line v l ab seg body section subtitle note description summary'.split(' '),
)
const sectionNames = /^(?:section|sect\d|chapter|part|appendix|article|topic|div\d?)$/
/** Pictures encoded as text. */
const notText: ReadonlySet<string> = new Set(['binary', 'script', 'style', 'stylesheet'])
const bookRoot = 'FictionBook'
/** Longer values count as prose, without the name of their element. */
const maxNamedUnits = 200

function createXmlText(into: TextSink): { readonly handler: XmlHandler; about(): AboutXml } {
  const open: Element[] = []
  let sections = 0
  let titles = 0
  const title: string[] = []
  let skipped = 0
  let isBook = false
  const stated = new Map<string, string>()

  const flush = ({ name, passage }: Element): void => {
    const text = oneLine(passage.texts.join(''))
    if (text === '') return
    if (isBook && !stated.has(name)) stated.set(name, text)
    if (titles > 0) title.push(text)
    else if (proseNames.has(name) || text.length > maxNamedUnits) into.add('paragraph', text)
    else into.add('list-item', `${name}: ${text}`)
  }

  const opensSection = (name: string): boolean => sectionNames.test(name) || (isBook && name === 'body')
  const endTitle = (): void => {
    titles--
    if (titles === 0) into.add('heading', title.splice(0).join(' '), { level: Math.max(1, sections) })
  }

  const handler: XmlHandler = {
    open(fullName, attributes) {
      const name = localName(fullName)
      isBook ||= open.length === 0 && name === bookRoot
      if (notText.has(name) || skipped > 0) {
        skipped++
        return
      }
      const outer = open.at(-1)?.passage
      const isInline = outer?.hasWords === true
      // Attributes of a book are numbers of its parts and addresses of its pictures.
      if (!isInline && (!isBook || name === 'sequence'))
        for (const key in attributes) addAttribute(into, name, key, attributes[key] ?? '')
      open.push({ name, passage: isInline ? outer : { texts: [], hasWords: false }, isInline })
      if (name === 'title') titles++
      if (opensSection(name)) sections++
    },
    close(fullName) {
      if (skipped > 0) {
        skipped--
        return
      }
      const name = localName(fullName)
      const element = open.pop()
      if (element?.isInline === false) flush(element)
      if (name === 'title') endTitle()
      if (opensSection(name)) sections--
    },
    text(text) {
      const passage = open.at(-1)?.passage
      if (passage === undefined || skipped > 0) return
      passage.hasWords ||= text.trim() !== ''
      // White space before the first word is not part of a passage, and there can be much of it between elements.
      if (passage.hasWords) passage.texts.push(text)
    },
  }
  return { handler, about: () => aboutBook(stated) }
}

function aboutBook(stated: ReadonlyMap<string, string>): AboutXml {
  const [title, language] = [stated.get('book-title'), stated.get('lang')]
  return { ...(title === undefined ? {} : { title }), ...(language === undefined ? {} : { language }) }
}

function addAttribute(into: TextSink, element: string, key: string, value: string): void {
  const isMachinery = key === 'xmlns' || key.startsWith('xmlns:') || key.startsWith('xsi:') || value.trim() === ''
  if (!isMachinery) into.add('list-item', `${element}.${localName(key)}: ${oneLine(value)}`)
}
