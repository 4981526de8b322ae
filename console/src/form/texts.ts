import type { Cell, CellRow } from 'docket-client'
import { durationText } from '../list/duration-text.ts'
import { currentLanguage, t } from '../messages/i18n.ts'
import type { Column, TableInfo } from '../table/table-info.ts'
import type { Texts } from './merge.ts'

/** Typed and displayed in the user's format: for these columns the server reads display values. */
const DISPLAYED: ReadonlySet<string> = new Set(['datetime', 'duration'])

/** Edited as the JSON of their value. */
const AS_JSON: ReadonlySet<string> = new Set(['list', 'json', 'wysiwyg'])

export const listText = (values: readonly string[]): string => (values.length === 0 ? '' : JSON.stringify(values))
export const listValues = (text: string): readonly string[] =>
  text === '' ? [] : (JSON.parse(text) as readonly string[])

/** Columns whose text must be JSON and is not. */
export const brokenJson = (edits: Texts, { columns }: TableInfo): readonly string[] =>
  Object.entries(edits).flatMap(([name, text]) =>
    text !== '' && columns.get(name)?.type === 'json' && !isJson(text) ? [name] : [],
  )

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

export function textOf(cell: Cell | undefined, { type }: Column): string {
  if (cell?.value == null) return ''
  if (type === 'duration') return exactDuration(String(cell.value), cell.display_value)
  if (DISPLAYED.has(type)) return cell.display_value ?? ''
  if (type === 'list')
    return listText(Array.isArray(cell.value) ? cell.value.map(String) : String(cell.value).split(','))
  if (type === 'json') return JSON.stringify(cell.value, null, 2)
  return typeof cell.value === 'object' ? JSON.stringify(cell.value) : String(cell.value)
}

/** As the server displays it, with its seconds: it leaves them out beside minutes, and undo would lose them. */
function exactDuration(value: string, displayed: string | null): string {
  const exact = durationText(value, currentLanguage())
  return exact === value ? (displayed ?? value) : exact
}

export const textsOf = (row: CellRow, { columns }: TableInfo): Texts =>
  Object.fromEntries([...columns.values()].map((column) => [column.name, textOf(row[column.name], column)]))

/** Body of a write. An empty text is an empty value. */
export const bodyOf = (edits: Texts, { columns }: TableInfo): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(edits).map(([name, text]) => {
      const type = columns.get(name)?.type
      if (text === '') return [name, null]
      if (type === 'boolean') return [name, text === 'true']
      return [name, type !== undefined && AS_JSON.has(type) ? JSON.parse(text) : text]
    }),
  )

/** System columns: their changes say nothing about what a user changed. */
export const isBookkeeping = (name: string): boolean =>
  name.startsWith('sys_') || name === 'state_changed_at' || name === 'display_name'

/** What `authorOf` reads. Tables of another owner do not have it, and a request for an unknown column is rejected. */
export const authorColumns = ({ columns }: Pick<TableInfo, 'columns'>): readonly string[] =>
  ['sys_updated_by'].filter((name) => columns.has(name))

/** The name of the user who wrote a version of a record. */
export const authorOf = (row: CellRow): string => row['sys_updated_by']?.display_value ?? t('conflict.somebody')

/** The name of a record, by `useRecordNames`. */
export const nameText = (name: string | null | undefined): string =>
  name === undefined ? '…' : (name ?? t('value.notVisible'))
