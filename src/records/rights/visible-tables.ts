import type { Access } from '../../acl/decide.ts'
import { grantOnColumn, grantOnRows, isNever } from '../../acl/descendants-grant.ts'
import type { Catalog, Column, Table } from '../../catalog/catalog.ts'
import { systemTable } from '../../catalog/system-tables.ts'

/** What a caller may use of a table on at least some rows: for the OpenAPI document and lists of tables. */
export interface VisibleTable {
  readonly table: Table
  /** Columns that they may use in this way on at least some rows. */
  readonly columns: (action: 'read' | 'create' | 'write') => readonly Column[]
  readonly mayCreate: boolean
  readonly mayWrite: boolean
  readonly mayDelete: boolean
}

/** The tables whose rows the caller may read, or some of them. */
export function visibleTables(catalog: Catalog, access: Access): readonly VisibleTable[] {
  return [...catalog.tables.values()]
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((table) => visibleTable(catalog, access, table) ?? [])
}

/** @returns null if the caller may read no row of it */
export function visibleTable(catalog: Catalog, access: Access, table: Table): VisibleTable | null {
  const may = (action: 'read' | 'write' | 'delete'): boolean => !isNever(grantOnRows(access, catalog, table, action))
  if (!may('read')) return null
  const isWritable = isWrittenByCallers(table)
  return {
    table,
    columns: (action) =>
      [...table.columns.values()].filter(
        (column) => !isNever(grantOnColumn(access, catalog, table, column.name, action)),
      ),
    // A new record is of exactly this class; a changed one may be of a descendant.
    mayCreate: isWritable && access.decideTable(table, 'create').grant.kind !== 'never',
    mayWrite: isWritable && may('write'),
    mayDelete: isWritable && may('delete'),
  }
}

/** False for tables that only the server writes, and for adopted tables that are read-only in the database. */
export const isWrittenByCallers = (table: Table): boolean =>
  systemTable(table.name).isWrittenByServer !== true && table.adopted?.isReadOnly !== true
