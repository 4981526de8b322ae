import type { TextSink } from '../text-builder.ts'

/** Adds the rows of a table of data: each row says the names of its columns, so that it can be found and read alone. */
export interface TableRows {
  add(cells: readonly string[]): void
  /** Call once, after the last row. */
  end(): void
}

/** So many rows are seen before it is decided whether the first one holds the names of the columns. */
const rowsToJudge = 20

export function createTableRows(into: TextSink): TableRows {
  const waiting: (readonly string[])[] = []
  let names: readonly string[] | undefined
  let isDecided = false

  const write = (cells: readonly string[]): void =>
    into.add('table-row', names === undefined ? rowText(cells) : namedCells(names, cells))
  const decide = (): void => {
    const [first, ...others] = waiting
    isDecided = true
    if (first === undefined) return
    into.add('table-row', rowText(first))
    if (holdsNames(first, others)) names = first
    for (const row of others) write(row)
    waiting.length = 0
  }

  return {
    add(raw) {
      const cells = raw.map(oneLine)
      if (cells.every((cell) => cell === '')) return
      if (isDecided) write(cells)
      else if (waiting.push(cells) > rowsToJudge) decide()
    },
    end: () => {
      if (!isDecided) decide()
    },
  }
}

/** Cells of a row in one line. Empty cells at the end say nothing. */
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

/** Names of columns are short, all different, no numbers, and do not come again among the values of their column. */
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
