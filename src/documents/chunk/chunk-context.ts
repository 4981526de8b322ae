import type { BlockKind } from '../extract/extracted-text.ts'

/** A range of the text that is known to be one thing. */
interface Part {
  readonly from: number
  readonly to: number
  readonly kind: BlockKind
  readonly page?: number
}

/** What a chunk knows beside its own text. */
export interface ChunkContext {
  /** The page on which it ends, from 1. */
  readonly pageTo?: number
  /** The first row of the table that it is a part of. */
  readonly repeated?: string
}

interface Table {
  readonly from: number
  to: number
  readonly header: string
}

/** Longer first rows are no names of columns. */
const maxHeaderUnits = 500

/** Rows that follow each other are a table; its first row says what the columns are. */
function tablesOf(text: string, parts: readonly Part[]): readonly Table[] {
  const tables: Table[] = []
  let last: Part | undefined
  for (const part of parts) {
    const open = tables.at(-1)
    if (part.kind === 'table-row' && last?.kind === 'table-row' && open !== undefined) open.to = part.to
    else if (part.kind === 'table-row')
      tables.push({ from: part.from, to: part.to, header: text.slice(part.from, part.to).trim() })
    last = part
  }
  return tables
}

/** @returns what the context of a range is; ranges must be asked for in the order of the text */
export function createContexts(text: string, parts: readonly Part[]): (from: number, to: number) => ChunkContext {
  const tables = tablesOf(text, parts)
  let table = 0
  let part = 0
  return (from, to) => {
    while ((tables[table]?.to ?? Number.POSITIVE_INFINITY) <= from) table++
    while ((parts[part + 1]?.from ?? Number.POSITIVE_INFINITY) < to) part++
    const pageTo = parts[part]?.page
    const repeated = headerOf(tables[table], from, to)
    return { ...(pageTo === undefined ? {} : { pageTo }), ...(repeated === undefined ? {} : { repeated }) }
  }
}

/** Of a table that is cut; one that is whole in a chunk has its header there. */
function headerOf(table: Table | undefined, from: number, to: number): string | undefined {
  if (table === undefined || table.from >= to || table.header.length > maxHeaderUnits) return undefined
  return table.from < from || table.to > to ? table.header : undefined
}
