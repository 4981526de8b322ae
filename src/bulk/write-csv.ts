/** A row of RFC 4180 with its line end. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`
}

function csvCell(text: string): string {
  return /[",\r\n]|^[ \t]|[ \t]$|^\uFEFF/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A value as the Table API shows it, as a cell: what `cellValue` reads back. */
export function csvText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
