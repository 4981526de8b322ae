import { refersToOne } from '../column-types/column-types.ts'
import type { Catalog, Column, Table } from './catalog.ts'

/**
 * The only definition of columns that form a hierarchy, in which no record is its own ancestor: a reference named `parent_id` to records of
 * the same PostgreSQL table. Adopted tables keep the rules of their owner.
 */
export function isHierarchyColumn(column: Column, table: Table, catalog: Catalog): boolean {
  if (column.name !== 'parent_id' || !refersToOne(column) || table.adopted !== null) return false
  const target = column.reference === null ? undefined : catalog.tables.get(column.reference)
  return target?.storage.table === table.storage.table && target.storage.schema === table.storage.schema
}
