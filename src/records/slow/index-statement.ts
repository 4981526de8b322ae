import { sql } from 'kysely'
import type { Column, Table } from '../../catalog/catalog.ts'
import { keyOf } from '../../catalog/change/make-index.ts'
import { columnTypeOf } from '../../column-types/column-types.ts'
import { compileSql } from '../../database/database.ts'
import type { ProposedIndex } from './propose-indexes.ts'

/**
 * What creates an index, to be pasted into a shell (a row of sys_db_index) or, for an adopted table, into psql.
 *
 * @param trigrams the operator class for `contains`; null: the database has no pg_trgm
 */
export function writeIndexStatement(index: ProposedIndex, table: Table, trigrams: string | null): string | null {
  if (table.adopted !== null) return writeSql(index, table, trigrams)
  const body = JSON.stringify({ table_id: table.id, column_names: index.columns, purpose: index.purpose })
  return `curl -X POST "$DOCKET_URL/rest/v1/table/sys_db_index" -H "Authorization: Bearer $DOCKET_TOKEN" --json '${body}'`
}

function writeSql({ columns, purpose }: ProposedIndex, table: Table, trigrams: string | null): string | null {
  const stored = columns.flatMap((name) => table.columns.get(name) ?? [])
  // Values that are converted on their way are compared as converted ones, which no index has.
  if (stored.some(({ storageCast, storage }) => storageCast !== null || storage === null)) return null
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
