import { formatNumber, type NumberStyle, numberStyleOf } from './cell-values.ts'
import { localName, type XmlHandler } from './read-xml.ts'

/** Id of a number format that a file defines itself. */
const ownFormat = 164

/**
 * Finds the numbers that a chart displays as text: numeric categories, such as years, and the values of series whose points
 * have labels. Other values are only drawn.
 *
 * @param add receives the numbers of one list, as the chart displays them
 */
export function createChartNumbers(add: (text: string) => void): XmlHandler {
  let values: string | undefined
  let withoutLabels: string[] = []
  let isSeries = false
  let hasLabels = false
  let list: string[] | undefined
  let style: NumberStyle = 'general'
  let taking: 'nothing' | 'format' | 'value' = 'nothing'
  let taken = ''

  const endSeries = (): void => {
    if (values !== undefined && hasLabels) add(values)
    else if (values !== undefined) withoutLabels.push(values)
    isSeries = false
  }
  const addLabels = (): void => {
    if (isSeries) hasLabels = true
    else for (const text of withoutLabels.splice(0)) add(text)
  }
  const end = (name: string): void => {
    if (name === 'formatCode') style = numberStyleOf(ownFormat, taken)
    else if (name === 'v') list?.push(formatNumber(taken, style, false))
    else if (name === 'cat' && list !== undefined) add(list.join(' | '))
    else if ((name === 'val' || name === 'yVal') && list !== undefined) values = list.join(' | ')
    else if (name === 'ser') endSeries()
    else if (name.endsWith('Chart')) withoutLabels = []
  }
  return {
    open(full, { val = '1' }) {
      const name = localName(full)
      taken = ''
      if (name === 'ser') {
        isSeries = true
        hasLabels = false
        values = undefined
      } else if (name === 'cat' || name === 'val' || name === 'yVal') list = undefined
      else if (name === 'numCache' || name === 'numLit') {
        list = []
        style = 'general'
      } else if (name === 'showVal' && /^(?:1|true)$/.test(val)) addLabels()
      else if (name === 'formatCode') taking = 'format'
      else if (name === 'v') taking = 'value'
    },
    close(full) {
      const name = localName(full)
      end(name)
      taking = 'nothing'
      // Lists of other elements do not belong to a category or a value.
      if (name === 'cat' || name === 'val' || name === 'yVal') list = undefined
    },
    text(text) {
      if (taking !== 'nothing') taken += text
    },
  }
}
