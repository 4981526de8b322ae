import type { RowPlace, TextSink } from '../text-builder.ts'

/** Adds the rows of a data table: each row repeats the names of its columns, so that it can be found and read separately. */
export interface TableRows {
  /** @param notes about the row: they follow it */
  add(cells: readonly string[], notes?: readonly string[]): void
  /** Call once, after the last row. */
  end(): void
}

/** Rows to read before deciding whether the first one contains the names of the columns. */
const rowsToInspect = 20

interface SheetRow {
  readonly cells: readonly string[]
  readonly notes: readonly string[]
}

export function createTableRows(into: TextSink): TableRows {
  const waiting: SheetRow[] = []
  let names: readonly string[] | undefined
  let isDecided = false

  const put = (text: string, notes: readonly string[], place?: RowPlace): void => {
    into.add('table-row', text, place)
    for (const note of notes) into.add('note', note)
  }
  const write = ({ cells, notes }: SheetRow): void =>
    put(names === undefined ? rowText(cells) : namedCells(names, cells), notes)
  const decide = (): void => {
    isDecided = true
    const header = headerAt(waiting)
    const rows = waiting.splice(0)
    for (const [index, row] of rows.entries()) {
      if (index > header) write(row)
      else put(rowText(row.cells), row.notes, { beginsTable: index === 0, isHeader: index === header })
      if (index === header && holdsNames(row.cells, cellsOf(rows.slice(index + 1)))) names = row.cells
    }
  }

  return {
    add(raw, notes = []) {
      const cells = raw.map(oneLine)
      if (cells.every((cell) => cell === '') && notes.length === 0) return
      if (isDecided) write({ cells, notes })
      else if (waiting.push({ cells, notes }) > rowsToInspect) decide()
    },
    end: () => {
      if (!isDecided) decide()
    },
  }
}

const cellsOf = (rows: readonly SheetRow[]): readonly (readonly string[])[] => rows.map(({ cells }) => cells)

/** The first row, or the first one below titles: rows of one cell above rows of several. */
function headerAt(rows: readonly SheetRow[]): number {
  const hasSeveral = rows.findIndex(({ cells }) => cells.filter((cell) => cell !== '').length > 1)
  return Math.max(0, hasSeveral)
}

/** Max. columns or rows of one cell, and columns of a row that one may take: more are a mistake, or meant to fill the memory. */
const maxSpan = 100
const maxColumns = 256

/** How many columns or rows a cell takes, as the document says it. */
export function spanOf(value: string | undefined): number {
  const span = Number(value)
  return Number.isInteger(span) && span > 1 ? Math.min(span, maxSpan) : 1
}

/** Adds a cell, and an empty one for each further column that it takes: those after it stay in their columns. */
export function addCell(cells: string[], text: string, span: number): void {
  cells.push(text)
  for (let column = 1; column < span && cells.length < maxColumns; column++) cells.push('')
}

/** Cells of a row in one line, without trailing empty cells. */
export function rowText(cells: readonly string[]): string {
  let length = cells.length
  while (length > 0 && cells[length - 1] === '') length--
  return cells.slice(0, length).join(' | ')
}

function namedCells(names: readonly string[], cells: readonly string[]): string {
  const named: string[] = []
  for (const [column, cell] of cells.entries()) {
    const name = names[column] ?? ''
    if (cell !== '') named.push(name === '' ? cell : `${name}: ${cell}`)
  }
  return named.join(' | ')
}

const maxNameUnits = 60

/** Names of columns are short, distinct and not numbers, and do not occur among the values of their column. */
function holdsNames(first: readonly string[], others: readonly (readonly string[])[]): boolean {
  const names = first.filter((name) => name !== '')
  if (others.length === 0 || names.length < 2 || new Set(names).size < names.length) return false
  if (names.some((name) => name.length > maxNameUnits || !/\p{L}/u.test(name) || /^[\d\s.,:+-]*\d/.test(name)))
    return false
  return !others.some((row) => row.some((cell, column) => cell !== '' && cell === first[column]))
}

export function oneLine(text: string): string {
  return text.includes('\n') || text.includes('  ') || text !== text.trim() ? text.replace(/\s+/g, ' ').trim() : text
}
