import type { Access } from '../../acl/decide.ts'
import { grantOnColumn, grantOnRows, isNever } from '../../acl/descendants-grant.ts'
import type { Catalog, Column, Table } from '../../catalog/catalog.ts'
import { systemTable } from '../../catalog/system-tables.ts'

/** What of a table a caller may ever use: for the OpenAPI document and for lists of tables. */
export interface VisibleTable {
  readonly table: Table
  /** Those that they may use so on some row. */
  readonly columns: (action: 'read' | 'create' | 'write') => readonly Column[]
  readonly mayCreate: boolean
  readonly mayWrite: boolean
  readonly mayDelete: boolean
}

/** The tables of which the caller may read some row. */
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

/** Not by the server alone, and not read-only in the database. */
export const isWrittenByCallers = (table: Table): boolean =>
  systemTable(table.name).isWrittenByServer !== true && table.adopted?.isReadOnly !== true
