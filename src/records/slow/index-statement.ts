import type { Column, Table } from '../../catalog/catalog.ts'
import { keyOf } from '../../catalog/change/make-index.ts'
import { columnTypeOf } from '../../column-types/column-types.ts'
import { compileSql, sql } from '../../kernel/sql.ts'
import { isReadAsStored } from '../sql/adopted-storage.ts'
import type { ProposedIndex } from './propose-indexes.ts'

/**
 * A command that creates an index: for the shell (it creates a row of sys_db_index), or SQL for psql if the table is adopted.
 *
 * @param trigrams the operator class for `contains`; null: the database has no pg_trgm
 * @returns null: no index can serve the statement
 */
export function writeIndexStatement(index: ProposedIndex, table: Table, trigrams: string | null): string | null {
  if (table.adopted !== null) return writeSql(index, table, trigrams)
  const body = JSON.stringify({ table_id: table.id, column_names: index.columns, purpose: index.purpose })
  return `curl -X POST "$DOCKET_URL/rest/v1/table/sys_db_index" -H "Authorization: Bearer $DOCKET_TOKEN" --json '${body}'`
}

function writeSql({ columns, purpose }: ProposedIndex, table: Table, trigrams: string | null): string | null {
  const stored = columns.flatMap((name) => table.columns.get(name) ?? [])
  // Statements compare the converted values of these columns; an index has the stored ones.
  if (stored.some((column) => !isReadAsStored(column) || column.storage === null)) return null
  if (purpose === 'contains' && trigrams === null) return null
  const place = sql.id(table.storage.schema, table.storage.table)
  const keys = stored.map((column) => keyOf(definitionOf(column), purpose))
  const target =
    purpose === 'contains' ? sql`using gin (${sql.join(keys)} ${sql.raw(trigrams ?? '')})` : sql`(${sql.join(keys)})`
  return `${compileSql(sql`create index concurrently on ${place} ${target}`).sql};`
}

const definitionOf = (column: Column) => ({
  name: column.name,
  storageColumn: column.storage,
  storageType: columnTypeOf(column).storage.type,
  type: column.type,
})
