import { type Cell, type CellRow, NotFound, type ReadRecord } from 'docket-client'
import { docket } from '../docket.ts'
import { textOf } from '../form/texts.ts'
import { t } from '../messages/i18n.ts'
import type { PathColumn } from '../table/field-path.ts'
import type { Column, TableInfo } from '../table/table-info.ts'
import { isEditableInList } from './editable.ts'
import { csvRows } from './import-file.ts'
import { idOf } from './row.tsx'

/** Where a block was pasted, with the rows and columns of the list at that moment. */
export interface Paste {
  readonly text: string
  readonly row: number
  readonly column: number
  readonly rows: ReadonlyMap<number, CellRow>
  readonly columns: readonly PathColumn[]
}

/** `same`: the cell has this value. `closed`, `invalid`: it cannot be written, and `reason` says why. */
export interface PastedCell {
  readonly column: PathColumn
  readonly old: string
  readonly text: string
  readonly state: 'same' | 'change' | 'closed' | 'invalid'
  readonly reason: string | null
}

export type Version = Pick<ReadRecord<CellRow>, 'row' | 'etag'>

export interface PastedRow {
  readonly sysId: string
  readonly name: string
  /** The record as it was when the block was checked. */
  readonly version: Version
  readonly cells: readonly PastedCell[]
}

/** Each record is read and written by itself. */
export const maxPastedRows = 200

/** Cells of a block. A spreadsheet puts cells with line ends or quotes into quotes; other text has quotes as they are. */
export function cellsOfBlock(text: string): readonly (readonly string[])[] {
  const rows = [...csvRows(text, '\t')]
  if (rows.every(({ fault }) => fault === null)) return rows.map(({ cells }) => cells)
  const lines = text.split(/\r\n|\r|\n/)
  return (lines.at(-1) === '' ? lines.slice(0, -1) : lines).map((line) => line.split('\t'))
}

interface PlacedRow {
  readonly sysId: string
  readonly texts: readonly string[]
  /** The record as the list displays it. */
  readonly listed: CellRow
}

/** Which cells of the block have a place in the list. */
export interface PlacedBlock {
  readonly rows: readonly PlacedRow[]
  readonly columns: readonly PathColumn[]
  readonly rowsOutside: number
  readonly columnsOutside: number
}

export function placeBlock({ text, row, column, rows, columns }: Paste): PlacedBlock {
  const block = cellsOfBlock(text)
  const width = Math.max(0, ...block.map((cells) => cells.length))
  const placed = block.slice(0, maxPastedRows).flatMap((texts, at) => {
    const listed = rows.get(row + at)
    return listed === undefined || idOf(listed) === '' ? [] : [{ sysId: idOf(listed), texts, listed }]
  })
  const filled = columns.slice(column, column + width)
  return {
    rows: placed,
    columns: filled,
    rowsOutside: block.length - placed.length,
    columnsOutside: width - filled.length,
  }
}

/** Reads the record, with what the user may write of it. One that is gone has no cell that can be written. */
export async function readPasted(
  info: TableInfo,
  row: PlacedRow,
  columns: readonly PathColumn[],
  signal: AbortSignal,
): Promise<PastedRow> {
  try {
    return await readExisting(info, row, columns, signal)
  } catch (problem) {
    if (problem instanceof NotFound) return goneRow(info, row, columns)
    throw problem
  }
}

async function readExisting(
  info: TableInfo,
  row: PlacedRow,
  columns: readonly PathColumn[],
  signal: AbortSignal,
): Promise<PastedRow> {
  const fields = [...new Set(['sys_id', info.displayColumn, ...columns.map(({ path }) => path)])]
  const version = await docket
    .table(info.entry.name)
    .get(row.sysId, { fields, display: 'all', signal, parameters: { sysparm_rights: '1' } })
  const { write } = version.body['rights'] as { readonly write: readonly string[] }
  const cells = cellsOf(row, columns, (column, text): PastedCell => {
    const cell = version.row[column.path]
    const old = cell?.display_value ?? ''
    if (hasText(cell, text, column.column)) return { column, old, text, state: 'same', reason: null }
    const isOpen = !column.path.includes('.') && isEditableInList(column.column) && write.includes(column.path)
    return { column, old, text, state: isOpen ? 'change' : 'closed', reason: isOpen ? null : t('paste.closed') }
  })
  return { sysId: row.sysId, name: version.row[info.displayColumn]?.display_value ?? '', version, cells }
}

function goneRow(info: TableInfo, row: PlacedRow, columns: readonly PathColumn[]): PastedRow {
  const { sysId, listed } = row
  const cells = cellsOf(row, columns, (column, text) => {
    const old = listed[column.path]?.display_value ?? ''
    return { column, old, text, state: 'closed', reason: t('state.notFound') }
  })
  return { sysId, name: listed[info.displayColumn]?.display_value ?? '', version: { row: listed, etag: '' }, cells }
}

const cellsOf = (
  { texts }: PlacedRow,
  columns: readonly PathColumn[],
  cellOf: (column: PathColumn, text: string) => PastedCell,
): readonly PastedCell[] =>
  texts.slice(0, columns.length).flatMap((text, at) => {
    const column = columns[at]
    return column === undefined ? [] : [cellOf(column, text)]
  })

/** Whether the cell displays or has what was pasted. */
export const hasText = (cell: Cell | undefined, text: string, column: Column): boolean =>
  text === (cell?.display_value ?? '') || text === textOf(cell, column)

export const hasState = (row: PastedRow, ...states: readonly PastedCell['state'][]): boolean =>
  row.cells.some(({ state }) => states.includes(state))

/** What is written of the row. */
export const valuesOf = ({ cells }: PastedRow): Readonly<Record<string, string | null>> =>
  Object.fromEntries(
    cells.flatMap(({ column, text, state }) => (state === 'change' ? [[column.path, text === '' ? null : text]] : [])),
  )
