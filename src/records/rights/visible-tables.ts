import type { Access } from '../../acl/decide.ts'
import { grantOnColumn, grantOnRows, isNever } from '../../acl/family-grant.ts'
import type { Catalog, Column, Table } from '../../catalog/catalog.ts'

/** What of a table a caller may ever use: for the OpenAPI document and for lists of tables. */
export interface VisibleTable {
  readonly table: Table
  readonly columns: readonly Column[]
  readonly mayCreate: boolean
  readonly mayWrite: boolean
  readonly mayDelete: boolean
}

/** The tables of which the caller may read some row, each with the columns that they may read on some row. */
export function visibleTables(catalog: Catalog, access: Access): readonly VisibleTable[] {
  const may = (table: Table, action: 'create' | 'read' | 'write' | 'delete'): boolean =>
    !isNever(grantOnRows(access, catalog, table, action))
  return [...catalog.tables.values()]
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .filter((table) => may(table, 'read'))
    .map((table) => ({
      table,
      columns: [...table.columns.values()].filter(
        (column) => !isNever(grantOnColumn(access, catalog, table, column.name, 'read')),
      ),
      mayCreate: may(table, 'create'),
      mayWrite: may(table, 'write'),
      mayDelete: may(table, 'delete'),
    }))
}
