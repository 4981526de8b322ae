import { sql } from 'kysely'
import type { Column, ColumnType, Table } from '../../catalog/catalog.ts'
import type { Expression } from './expression.ts'
import { idLiteral } from './id-literal.ts'
import { CASTS } from './write-test.ts'

/**
 * Tables that stood in the database before Docket are read through a select that gives them the shape of a table of ours: the
 * key as sys_id, the class, and each column as the dictionary's type has it. PostgreSQL pulls such a select up into the
 * statement, so that its indexes serve. It is no view in the database: a view would keep the owner from changing the table.
 */

const SHAPED: ReadonlySet<string> = new Set(['sys_id', 'sys_db_table_id'])

/** What a path can name: other keys of the table have no address, and are in no answer. */
const MAX_KEY = '999999999999999999'

/** Where rows are read from. */
export function storageOf(table: Table): Expression {
  if (table.adopted === null) return placeOf(table)
  const key = sql.id('s', table.adopted.key)
  return sql`(select ${shapeOf(table, 's')} from ${placeOf(table)} as s where ${key} between 0 and ${sql.raw(MAX_KEY)})`
}

/** Where rows are written to. */
export function placeOf(table: Table): Expression {
  return sql.id(table.storage.schema, table.storage.table)
}

/** PostgreSQL's own name of the key. */
export function keyOf(table: Table): string {
  return table.adopted?.key ?? table.keyColumn
}

/** What a written row is given back as. */
export function returnedOf(table: Table, alias: string): Expression {
  return table.adopted === null ? sql`${sql.id(alias)}.*` : shapeOf(table, alias)
}

/** One row of an adopted table, locked: by its key alone, so that no other row is. */
export function lockedRow(table: Table, key: Expression): Expression {
  return sql`(select ${shapeOf(table, 's')} from ${placeOf(table)} as s
    where ${sql.id('s', keyOf(table))} = ${key}::bigint for update of s)`
}

/** A deleted record of an adopted table, from what its deletion has kept of it by PostgreSQL's names. */
export function keptRow(table: Table, kept: Expression): Expression {
  const columns = storedColumns(table).map(([name, column]) => sql`${sql.id(name)} ${typeOf(column)}`)
  return sql`jsonb_to_record(${kept}) as k (${sql.join(columns)})`
}

function shapeOf(table: Table, alias: string): Expression {
  const key = sql`${sql.id(alias, keyOf(table))} as sys_id`
  const own = sql`${idLiteral(table.id)}::bigint as sys_db_table_id`
  const columns = storedColumns(table).map(
    ([name, column]) => sql`${fromStorage(column, sql.id(alias, name))} as ${sql.id(name)}`,
  )
  return sql.join([key, own, ...columns])
}

/** By PostgreSQL's names, each once. */
function storedColumns(table: Table): readonly (readonly [string, Column])[] {
  return [...table.columns.values()].flatMap((column) =>
    column.storage === null || SHAPED.has(column.storage) ? [] : [[column.storage, column] as const],
  )
}

const WITH_ZONE = 'timestamp with time zone'

/** A stored value as the dictionary's type has it. */
export function fromStorage(column: Column, value: Expression): Expression {
  const { storageCast } = column
  if (storageCast === null) return value
  if (storageCast === WITH_ZONE) return sql`(${value} at time zone 'UTC')`
  // Digit by digit: 0.1 must not become 0.10000000149011612.
  if (storageCast === 'real') return sql`${value}::text::double precision`
  return sql`${value}::${typeOf(column)}`
}

/** A value of the dictionary's type as PostgreSQL's column takes it. */
export function intoStorage(column: Column, value: Expression): Expression {
  const { storageCast } = column
  if (storageCast === null) return value
  if (storageCast === WITH_ZONE) return sql`((${value})::timestamp at time zone 'UTC')`
  // The name comes from PostgreSQL's format_type, quoted as it has to be.
  return sql`(${value})::${sql.raw(storageCast)}`
}

/** PostgreSQL's type of the dictionary's, for those that columns of others become; all the rest are texts. */
const TYPES: Partial<Record<ColumnType, Expression>> = {
  integer: CASTS.whole,
  smallinteger: CASTS.whole,
  biginteger: CASTS.whole,
  sys_id: CASTS.id,
  reference: CASTS.id,
  decimal: CASTS.decimal,
  float: CASTS.float,
  boolean: CASTS.boolean,
  datetime: CASTS.datetime,
  date: CASTS.date,
  time: CASTS.time,
  list: CASTS.list,
  json: CASTS.json,
}

const typeOf = ({ type }: Column): Expression => TYPES[type] ?? CASTS.text
