import { createChartNumbers } from './chart-numbers.ts'
import { readXmlIfThere } from './office-parts.ts'
import type { Archive } from './open-archive.ts'
import { localName } from './read-xml.ts'

/** Lists of texts in a chart: names of series and of categories, also of several levels. */
const listNames: ReadonlySet<string> = new Set(['strCache', 'strLit', 'strDim', 'lvl'])
/** Another form of the same content, and numbers that are not displayed. */
const skippedNames: ReadonlySet<string> = new Set(['Fallback', 'numDim'])

/**
 * The texts of a drawing, a chart or a diagram of Office Open XML, each once: titles, text boxes, names of series and
 * categories, numbers that a chart displays.
 */
export async function readDrawnTexts(archive: Archive, part: string): Promise<readonly string[]> {
  const found = new Set<string>()
  const numbers = createChartNumbers((text) => found.add(text))
  let paragraph: string[] = []
  let list: string[] | undefined
  let taking: 'nothing' | 'paragraph' | 'list' = 'nothing'
  let skipped = 0
  await readXmlIfThere(archive, part, {
    open(full, attributes) {
      const name = localName(full)
      if (skipped === 0) numbers.open?.(full, attributes)
      if (skipped > 0 || skippedNames.has(name)) skipped++
      else if (name === 'p') paragraph = []
      else if (name === 'br') paragraph.push(' ')
      else if (name === 't') taking = 'paragraph'
      else if (listNames.has(name)) list = []
      else if (name === 'pt' && list !== undefined) {
        list.push('')
        taking = 'list'
      }
    },
    close(full) {
      const name = localName(full)
      if (skipped === 0) numbers.close?.(full)
      if (skipped > 0) skipped--
      else if (name === 'p') found.add(paragraph.join('').trim())
      else if (name === 't' || name === 'pt') taking = 'nothing'
      else if (listNames.has(name) && list !== undefined) {
        found.add(list.map((text) => text.trim()).join(' | '))
        list = undefined
      }
    },
    text(text) {
      if (skipped > 0) return
      numbers.text?.(text)
      if (taking === 'paragraph') paragraph.push(text)
      else if (taking === 'list') list?.push((list.pop() ?? '') + text)
    },
  })
  return [...found].filter((text) => text !== '')
}

/** Links from a part to its charts and diagrams. */
export const drawnTypes: ReadonlySet<string> = new Set(['chart', 'chartEx', 'diagramData'])
