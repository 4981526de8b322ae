import type { Cell, CellRow } from 'docket-client'
import type { Column, TableInfo } from '../table/table-info.ts'
import type { Texts } from './merge.ts'

/** Typed and shown in the caller's own way: the server reads display values of these. */
const SHOWN: ReadonlySet<string> = new Set(['datetime', 'duration'])

export function textOf(cell: Cell | undefined, { type }: Column): string {
  if (cell?.value == null) return ''
  if (SHOWN.has(type)) return cell.display_value ?? ''
  return typeof cell.value === 'object' ? JSON.stringify(cell.value) : String(cell.value)
}

export const textsOf = (row: CellRow, { columns }: TableInfo): Texts =>
  Object.fromEntries([...columns.values()].map((column) => [column.name, textOf(row[column.name], column)]))

/** Body of a write. No text is an empty value. */
export const bodyOf = (edits: Texts, { columns }: TableInfo): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(edits).map(([name, text]) => {
      const type = columns.get(name)?.type
      if (text === '') return [name, null]
      return [name, type === 'boolean' ? text === 'true' : text]
    }),
  )

/** Columns that change by themselves say nothing about who has changed what. */
export const isBookkeeping = (name: string): boolean =>
  name.startsWith('sys_') || name === 'state_changed_at' || name === 'display_name'
