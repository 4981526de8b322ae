import type { XmlHandler } from './read-xml.ts'

/** Texts that pages and slides repeat: headers and footers, and texts of a master on each slide. Each is included once. */
export interface PageFurniture {
  /** For `styles.xml`. */
  readonly handler: Required<XmlHandler>
  /** For `content.xml`: presentations declare headers and footers of their slides there. */
  readonly declarations: XmlHandler
  texts(): readonly string[]
}

const furnitureName = /^style:(?:header|footer)(?:-left|-first)?$/
const drawnName = /^draw:(?:frame|custom-shape|rect|ellipse|text-box)$/
/** The value of a field depends on the page: it is not text of the document. */
const fieldName = /^(?:text:(?:page-number|page-count|sheet-name|date|time)|presentation:(?:header|footer|date-time))$/
const declarationName = /^presentation:(?:header|footer)-decl$/

export function createPageFurniture(): PageFurniture {
  const headers = new Set<string>()
  const footers = new Set<string>()
  const drawn = createDrawnText(footers)
  let lines: string[] | undefined
  let hasField = false
  let skipped = 0
  const close = (name: string): void => {
    const text = (lines ?? []).filter((line) => /[\p{L}\p{N}]/u.test(line)).join('\n')
    const texts = name.startsWith('style:header') ? headers : footers
    if (text !== '') texts.add(text)
    lines = undefined
  }
  return {
    texts: () => [...headers, ...footers],
    declarations: createDeclarations(footers),
    handler: {
      open(name, attributes) {
        if (lines === undefined) drawn.open(name, attributes)
        if (furnitureName.test(name) && attributes['style:display'] !== 'false') lines = []
        if (lines === undefined) return
        if (name === 'text:p' || name === 'text:h') {
          lines.push('')
          hasField = false
        } else if (name === 'text:tab' || name === 'text:s') lines.push(`${lines.pop() ?? ''} `)
        if (skipped > 0 || fieldName.test(name)) skipped++
        hasField ||= skipped > 0
      },
      close(name) {
        if (lines === undefined) return drawn.close(name)
        if (skipped > 0) skipped--
        // `Page 3 of 7` without its fields has no content.
        else if (name === 'text:p' && hasField && (lines.at(-1) ?? '').trim().length < shortestTextUnits) lines.pop()
        else if (furnitureName.test(name)) close(name)
      },
      text(text) {
        if (lines === undefined) drawn.text(text)
        else if (lines.length > 0 && skipped === 0) lines.push((lines.pop() ?? '') + oneSpace(text))
      },
    },
  }
}

const shortestTextUnits = 16
const oneSpace = (text: string): string => text.replace(/[\t\n\r ]+/g, ' ')

/** The drawings of a master page of a presentation, without the placeholders of slides. */
function createDrawnText(texts: Set<string>): Required<XmlHandler> {
  let isMaster = false
  let notes = 0
  let drawn = 0
  let placeholders = 0
  let fields = 0
  let paragraph: string | undefined
  return {
    open(name, attributes) {
      if (name === 'style:master-page') isMaster = true
      else if (name === 'presentation:notes') notes++
      else if (drawnName.test(name)) {
        drawn++
        const role = attributes['presentation:class']
        if (placeholders > 0 || (role !== undefined && role !== 'footer' && role !== 'header')) placeholders++
      } else if (fieldName.test(name)) fields++
      else if (name === 'text:p' && isMaster && notes === 0 && drawn > 0 && placeholders === 0) paragraph = ''
    },
    close(name) {
      if (name === 'style:master-page') isMaster = false
      else if (name === 'presentation:notes') notes--
      else if (drawnName.test(name)) {
        drawn--
        if (placeholders > 0) placeholders--
      } else if (fieldName.test(name)) fields--
      else if (name === 'text:p' && paragraph !== undefined) {
        if (/[\p{L}\p{N}]/u.test(paragraph)) texts.add(paragraph.trim())
        paragraph = undefined
      }
    },
    text(text) {
      if (paragraph !== undefined && fields === 0) paragraph += oneSpace(text)
    },
  }
}

/** A typed date is text; the current date is not. */
function isDeclaration(name: string, attributes: Readonly<Record<string, string>>): boolean {
  return (
    declarationName.test(name) ||
    (name === 'presentation:date-time-decl' && attributes['presentation:source'] === 'fixed')
  )
}

function createDeclarations(texts: Set<string>): XmlHandler {
  let declared: string | undefined
  return {
    open(name, attributes) {
      if (isDeclaration(name, attributes)) declared = ''
    },
    close() {
      if (declared === undefined) return
      if (declared.trim() !== '') texts.add(declared.trim())
      declared = undefined
    },
    text(text) {
      if (declared !== undefined) declared += oneSpace(text)
    },
  }
}
