/**
 * Cells that a spreadsheet would run: it takes a text that begins with one of these for a formula. Quotes before them count,
 * so that what the guard adds is exactly what its removal takes away, for every text.
 */
const RUN = /^'*[=+\-@\t\r]/

/** A text as a cell of a CSV file that a spreadsheet may open: with a `'` before what it would run. */
export function guardCell(text: string): string {
  return RUN.test(text) ? `'${text}` : text
}

/** Takes away the one `'` that `guardCell` adds. */
export function unguardCell(cell: string): string {
  return cell.startsWith("'") && RUN.test(cell) ? cell.slice(1) : cell
}
