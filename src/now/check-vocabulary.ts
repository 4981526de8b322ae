import type { Catalog } from '../catalog/catalog.ts'
import type { Names } from '../catalog/vocabulary.ts'
import { ALL_TABLES, COLUMNS, COLUMNS_OF_DESCENDANTS, OPTIONAL, OPTIONAL_TABLE, TABLES } from './vocabulary.ts'

/** Entries of the vocabulary that do not match the dictionary: a bug of ours, detected at the start. */
export function unresolvedEntries(names: Names, catalog: Catalog): readonly string[] {
  const tables = [...Object.keys(TABLES), ...Object.keys(COLUMNS), ...Object.values(COLUMNS_OF_DESCENDANTS)]
  const isOptional = (table: string, column: string): boolean => OPTIONAL[table]?.includes(column) === true
  const missing = [...new Set(tables)].filter((table) => !catalog.tables.has(table) && table !== OPTIONAL_TABLE)
  const columns = Object.entries({ ...COLUMNS, task: { ...ALL_TABLES, ...COLUMNS['task'] } }).flatMap(
    ([name, entries]) => {
      const table = catalog.tables.get(name)
      if (table === undefined) return []
      return Object.keys(entries)
        .filter((column) => names.columnNamed(table, column) === undefined && !isOptional(name, column))
        .map((column) => `${name}.${column}`)
    },
  )
  return [...missing, ...columns]
}
