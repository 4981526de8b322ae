import { createTableRows } from '../read/table-rows.ts'
import type { TextSink } from '../text-builder.ts'

/** Adds a table written with delimiters. */
export function extractDelimited(text: string, delimiter: string, into: TextSink): void {
  const rows = createTableRows(into)
  for (const cells of delimitedRows(text, delimiter)) rows.add(cells)
  rows.end()
}

/**
 * The rows of RFC 4180 and its dialects: cells in double quotes may hold delimiters, line ends and doubled quotes. A quote
 * inside an unquoted cell is itself; one that is never closed ends at the end of the text.
 */
export function* delimitedRows(text: string, delimiter: string): Generator<string[]> {
  let cells: string[] = []
  let at = text.startsWith('\ufeff') ? 1 : 0
  while (at < text.length) {
    const cell = text[at] === '"' ? quotedCell(text, at) : { value: '', to: at }
    const end = endOfCell(text, cell.to, delimiter)
    cells.push(cell.value + text.slice(cell.to, end))
    at = end
    if (text[at] === delimiter) {
      at++
      if (at < text.length) continue
      cells.push('')
    }
    at += text[at] === '\r' && text[at + 1] === '\n' ? 2 : 1
    yield cells
    cells = []
  }
}

function quotedCell(text: string, from: number): { readonly value: string; readonly to: number } {
  const parts: string[] = []
  let at = from + 1
  for (;;) {
    const quote = text.indexOf('"', at)
    if (quote < 0) return { value: parts.join('') + text.slice(at), to: text.length }
    parts.push(text.slice(at, quote))
    if (text[quote + 1] !== '"') return { value: parts.join(''), to: quote + 1 }
    parts.push('"')
    at = quote + 2
  }
}

function endOfCell(text: string, from: number, delimiter: string): number {
  let at = from
  while (at < text.length && text[at] !== delimiter && text[at] !== '\n' && text[at] !== '\r') at++
  return at
}

const delimiters = [',', ';', '\t', '|'] as const

/** How many lines of a text are looked at. */
const sampleUnits = 64_000
const sampleRows = 100

/**
 * The delimiter with which a text is a table, if it is one: every row has the same number of cells, at least two.
 *
 * @param isSaid the name of the file says that it is a table: then two rows are enough, and a few may differ
 */
export function tableDelimiter(text: string, isSaid: boolean): string | undefined {
  const isCut = text.length > sampleUnits
  const sample = isCut ? text.slice(0, text.lastIndexOf('\n', sampleUnits) + 1) || text.slice(0, sampleUnits) : text
  let best: string | undefined
  let most = 1
  for (const delimiter of delimiters) {
    const counts: number[] = []
    for (const cells of delimitedRows(sample, delimiter)) {
      if (cells.length > 1 || cells[0]?.trim() !== '') counts.push(cells.length)
      if (counts.length >= sampleRows) break
    }
    const width = counts[0] ?? 0
    const share = counts.filter((count) => count === width).length / Math.max(1, counts.length)
    // Commas stand in prose too: without the word of the file name three columns are asked for, or a tab.
    const isTable = isSaid
      ? share >= 0.8
      : share === 1 && counts.length >= 3 && (width > 2 || delimiter === '\t' || delimiter === ';')
    if (isTable && width > most) {
      best = delimiter
      most = width
    }
  }
  return best
}
