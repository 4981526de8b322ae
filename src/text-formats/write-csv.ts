/** A row of RFC 4180 with its line end; null is an empty cell, an empty text is `""`. */
export function csvLine(cells: readonly (string | null)[]): string {
  return lineOf(cells.map(csvCell))
}

/** @param cells as `csvCell` writes them */
export function lineOf(cells: readonly string[]): string {
  // A line without any character would be skipped as an empty line.
  return cells.length === 1 && cells[0] === '' ? '""\r\n' : `${cells.join(',')}\r\n`
}

const SPECIAL = /[",\r\n]|^[ \t'=+\-@\uFEFF]|[ \t]$/

/** Whether the cell is the text itself, also where `guardCell` is applied: true for most texts, and found by one comparison. */
export const isPlainCell = (text: string): boolean => text !== '' && !SPECIAL.test(text)

export function csvCell(text: string | null): string {
  if (text === null) return ''
  if (text === '') return '""'
  return /[",\r\n]|^[ \t]|[ \t]$|^\uFEFF/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A value of a Table API response as a cell, which `cellValue` parses. */
export function csvText(value: unknown, isJson: boolean): string | null {
  if (value === null || value === undefined) return null
  return isJson || typeof value === 'object' ? JSON.stringify(value) : String(value)
}
