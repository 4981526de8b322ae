/**
 * Cells that a spreadsheet would execute: it treats a text that begins with one of these as a formula. Leading quotes are
 * included, so that `unguardCell` removes exactly what `guardCell` adds, for every text.
 */
const RUN = /^'*[=+\-@\t\r]/

/** A text as a cell of a CSV file that a spreadsheet may open: prefixed with `'` if the spreadsheet would execute it. */
export function guardCell(text: string): string {
  return RUN.test(text) ? `'${text}` : text
}

/** Removes the `'` that `guardCell` adds. */
export function unguardCell(cell: string): string {
  return cell.startsWith("'") && RUN.test(cell) ? cell.slice(1) : cell
}
