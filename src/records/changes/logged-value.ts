import type { Catalog, Column } from '../../catalog/catalog.ts'
import type { LogReader } from '../../column-types/column-type.ts'
import { columnTypeOf, refersToAny, refersToMany } from '../../column-types/column-types.ts'
import { documentParts } from './document-parts.ts'

export interface StoredChange {
  readonly position: string
  readonly operation: 'c' | 'u' | 'd'
  readonly class: string
  readonly at: string
  readonly by: string | null
  readonly migrated: boolean
  readonly columns: readonly { readonly name: string; readonly old: unknown; readonly new: unknown }[]
}

/** A logged value in the form of a read: the log stores the members of a list of references, a read joins them. */
export function loggedValue(value: unknown, column: Column | undefined): unknown {
  const isJoined = column !== undefined && refersToMany(column) && column.reference !== null
  if (!isJoined || !Array.isArray(value)) return value
  return value.length === 0 ? null : value.join(',')
}

/** Records that logged values refer to, and the caller to whom they are displayed. */
export interface LogContext {
  readonly catalog: Catalog
  /** Display values of records that the caller may see, by table and sys_id. */
  readonly names: ReadonlyMap<string, string>
  readonly reader: LogReader
}

/** The display value that a read would return. null: the value is empty, or names a record that the caller may not see. */
export function displayLogged(value: unknown, column: Column | undefined, context: LogContext): string | null {
  if (column === undefined || value === null) return null
  if (!Array.isArray(value) || !refersToMany(column)) return displayOne(value, column, context)
  return value.length === 0
    ? null
    : value.map((member) => displayOne(member, column, context) ?? textOf(member)).join(', ')
}

function displayOne(value: unknown, column: Column, { catalog, names, reader }: LogContext): string | null {
  if (refersToAny(column)) {
    const of = documentParts(value, catalog)
    return of === null ? null : (names.get(`${of.table} ${of.id}`) ?? null)
  }
  if (column.reference !== null) return names.get(`${column.reference} ${textOf(value)}`) ?? null
  return (
    column.choices.find((choice) => choice.value === value)?.titles[reader.language] ??
    columnTypeOf(column).display.logged?.(value, reader) ??
    textOf(value)
  )
}

/** Long numbers are objects (kernel/exact-json.ts); their JSON is their text. */
const textOf = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value))
