import type { Block } from '../../extraction/extracted-text.ts'

/** A range of the text with one known kind. */
type Part = Omit<Block, 'level' | 'headingPath'>

/** What is known of a chunk besides its own text. */
export interface ChunkContext {
  /** The page on which it ends, from 1. */
  readonly pageTo?: number
  /** The header rows of the table that the chunk is part of. */
  readonly repeated?: string
}

interface Table {
  readonly from: number
  readonly to: number
  readonly header: string
}

/** A table whose rows are still being read. */
interface OpenTable {
  readonly from: number
  to: number
  /** Rows that name the columns. */
  header: Part[]
  /** Whether the header rows are marked; if not, the first row counts as the header. */
  isMarked: boolean
  /** The header is complete: no later row belongs to it. */
  isDecided: boolean
}

/** Longer rows do not contain column names. */
const maxHeaderUnits = 1_000
/** Separates the cells of a row. */
const cellMark = '|'

/** Consecutive rows, with notes between them, form a table. */
function tablesOf(text: string, parts: readonly Part[]): readonly Table[] {
  const tables: OpenTable[] = []
  let open: OpenTable | undefined
  for (const part of parts) {
    if (part.kind === 'table-row') {
      if (open === undefined || part.beginsTable === true) {
        open = tableFrom(part)
        tables.push(open)
      } else addRow(text, open, part)
    } else if (part.kind !== 'note') open = undefined
  }
  return tables.map(({ from, to, header }) => ({ from, to, header: headerText(text, header) }))
}

function tableFrom(first: Part): OpenTable {
  const isMarked = first.isHeader === true
  return { from: first.from, to: first.to, header: [first], isMarked, isDecided: false }
}

function addRow(text: string, table: OpenTable, row: Part): void {
  table.to = row.to
  if (table.isDecided) return
  const hasCells = (part: Part): boolean => text.slice(part.from, part.to).includes(cellMark)
  if (row.isHeader === true) {
    table.header = table.isMarked ? [...table.header, row] : [row]
    table.isMarked = true
  } else {
    const isUnderTitle = !table.isMarked && table.header.every((part) => !hasCells(part)) && hasCells(row)
    if (isUnderTitle) table.header = [row]
    table.isDecided = table.isMarked || table.header.some(hasCells) || row.to - table.from > maxHeaderUnits
  }
}

const headerText = (text: string, rows: readonly Part[]): string =>
  rows.map(({ from, to }) => text.slice(from, to).trim()).join('\n')

/** @returns a function that gives the context of a range; call it in the order of the text */
export function createContexts(text: string, parts: readonly Part[]): (from: number, to: number) => ChunkContext {
  const tables = tablesOf(text, parts)
  let table = 0
  let part = 0
  return (from, to) => {
    while ((tables[table]?.to ?? Number.POSITIVE_INFINITY) <= from) table++
    while ((parts[part + 1]?.from ?? Number.POSITIVE_INFINITY) < to) part++
    const pageTo = parts[part]?.pageTo ?? parts[part]?.page
    const repeated = headerOf(tables[table], from, to)
    return { ...(pageTo === undefined ? {} : { pageTo }), ...(repeated === undefined ? {} : { repeated }) }
  }
}

/** The header of a table that is split; a table that is whole in one chunk contains its header already. */
function headerOf(table: Table | undefined, from: number, to: number): string | undefined {
  if (table === undefined || table.from >= to || table.header.length > maxHeaderUnits) return undefined
  return table.from < from || table.to > to ? table.header : undefined
}
