import type { XmlHandler } from './read-xml.ts'

/** Texts of page headers and footers in `styles.xml`, each once. */
export interface PageFurniture {
  readonly handler: Required<XmlHandler>
  texts(): readonly string[]
}

const furnitureName = /^style:(?:header|footer)(?:-left|-first)?$/
/** What a field shows depends on the page: it is no text of the document. */
const fieldName = /^text:(?:page-number|page-count|sheet-name|date|time)$/

export function createPageFurniture(): PageFurniture {
  const found: { header: string[]; footer: string[] } = { header: [], footer: [] }
  let lines: string[] | undefined
  let hasField = false
  let skipped = 0
  const close = (name: string): void => {
    const text = (lines ?? []).filter((line) => /[\p{L}\p{N}]/u.test(line)).join('\n')
    const texts = name.startsWith('style:header') ? found.header : found.footer
    if (text !== '' && !texts.includes(text)) texts.push(text)
    lines = undefined
  }
  return {
    texts: () => [...found.header, ...found.footer],
    handler: {
      open(name, attributes) {
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
        if (lines === undefined) return
        if (skipped > 0) skipped--
        // `Page 3 of 7` with its fields taken away says nothing.
        else if (name === 'text:p' && hasField && (lines.at(-1) ?? '').trim().length < shortestTextUnits) lines.pop()
        else if (furnitureName.test(name)) close(name)
      },
      text(text) {
        if (lines !== undefined && lines.length > 0 && skipped === 0)
          lines.push((lines.pop() ?? '') + text.replace(/[\t\n\r ]+/g, ' '))
      },
    },
  }
}

const shortestTextUnits = 16
