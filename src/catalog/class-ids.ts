import type { Catalog, Table } from './catalog.ts'

/** Ids of the table and of those that extend it: the classes that its records can have. */
export const classIdsOf = (table: Table, { tables }: Pick<Catalog, 'tables'>): readonly string[] =>
  table.descendants.flatMap((name) => tables.get(name)?.id ?? [])
