import { readXmlIfThere } from './office-parts.ts'
import type { Archive } from './open-archive.ts'

const chartPart = /^(?:\.\/)?([^/]+)\/content\.xml$/

/** The texts of the charts of a package by the folder of each: titles, names of series and of categories, each once. */
export async function readOpenCharts(archive: Archive): Promise<ReadonlyMap<string, readonly string[]>> {
  const charts = new Map<string, readonly string[]>()
  for (const part of archive.names) {
    const folder = chartPart.exec(part)?.[1]
    const texts = folder === undefined ? [] : await readChart(archive, part)
    if (folder !== undefined && texts.length > 0) charts.set(folder, texts)
  }
  return charts
}

/** Empty for other objects, such as formulas. */
async function readChart(archive: Archive, part: string): Promise<readonly string[]> {
  const found = new Set<string>()
  let charts = 0
  let row: string[] | undefined
  let isNumber = false
  let paragraph: string | undefined
  await readXmlIfThere(archive, part, {
    open(name, attributes) {
      if (name === 'office:chart') charts++
      if (charts === 0) return
      if (name === 'table:table-row') row = []
      else if (name === 'table:table-cell') isNumber = attributes['office:value-type'] !== 'string'
      else if (name === 'text:p' && !(row !== undefined && isNumber)) paragraph = ''
    },
    close(name) {
      if (name === 'office:chart') charts--
      else if (name === 'text:p' && paragraph !== undefined) {
        if (row === undefined) found.add(paragraph.trim())
        else row.push(paragraph.trim())
        paragraph = undefined
      } else if (name === 'table:table-row') {
        found.add((row ?? []).filter((text) => text !== '').join(' | '))
        row = undefined
      }
    },
    text(text) {
      if (paragraph !== undefined) paragraph += text
    },
  })
  return [...found].filter((text) => /[\p{L}\p{N}]/u.test(text))
}
