/** A row of RFC 4180 with its line end; null is nothing between the delimiters, an empty text is `""`. */
export function csvLine(cells: readonly (string | null)[]): string {
  // A line of nothing at all would be an empty line, which is no row.
  return cells.length === 1 && cells[0] === null ? '""\r\n' : `${cells.map(csvCell).join(',')}\r\n`
}

function csvCell(text: string | null): string {
  if (text === null) return ''
  if (text === '') return '""'
  return /[",\r\n]|^[ \t]|[ \t]$|^\uFEFF/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A value as the Table API shows it, as a cell: what `cellValue` reads back. */
export function csvText(value: unknown, isJson: boolean): string | null {
  if (value === null || value === undefined) return null
  return isJson || typeof value === 'object' ? JSON.stringify(value) : String(value)
}
