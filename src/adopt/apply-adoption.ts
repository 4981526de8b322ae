import { isOwnKey } from '../column-types/column-types.ts'
import type { RecordKey } from '../column-types/record-key.ts'
import type { Session } from '../database/database.ts'
import { sql } from '../kernel/sql.ts'
import type { AdoptionPlan, PlannedColumn, PlannedTable } from './plan-adoption.ts'

/** Writes the dictionary's rows; the tables themselves are not touched. */
export async function applyAdoption(session: Session, schema: string, { tables }: AdoptionPlan): Promise<void> {
  // References may lead to later tables: first all tables are written, then their columns.
  const ids = new Map<string, string>()
  for (const table of tables) ids.set(table.name, await writeTable(session, schema, table))
  for (const table of tables) await writeColumns(session, ids.get(table.name) ?? '', table)
}

async function writeTable(
  session: Session,
  schema: string,
  { name, described, before }: PlannedTable,
): Promise<string> {
  const { storage, title, key, isKeyGiven, isReadOnly } = described
  const columns = key.parts.map(({ column }) => column)
  const types = key.parts.map(({ type }) => type)
  if (before !== null) {
    const isSame = isSameKey(before.key, key) && before.isKeyGiven === isKeyGiven && before.isReadOnly === isReadOnly
    if (!isSame) {
      await session.rows(sql`
        update docket.sys_db_table set adopted_key = ${columns}::text[], adopted_key_types = ${types}::text[], adopted_key_given = ${isKeyGiven}, adopted_read_only = ${isReadOnly}
        where sys_id = ${before.id}::bigint`)
    }
    return before.id
  }
  const [made] = await session.rows<{ id: string }>(sql`
    insert into docket.sys_db_table (name, title, is_system, storage_schema, storage_table, adopted_key, adopted_key_types, adopted_key_given, adopted_read_only)
    values (${name}, ${title}, false, ${schema}, ${storage}, ${columns}::text[], ${types}::text[], ${isKeyGiven}, ${isReadOnly}) returning sys_id::text as id`)
  if (made === undefined) throw new Error(`the dictionary took no row for ${name}`)
  return made.id
}

const isSameKey = (one: RecordKey, other: RecordKey): boolean =>
  JSON.stringify(one.parts) === JSON.stringify(other.parts)

async function writeColumns(session: Session, tableId: string, table: PlannedTable): Promise<void> {
  for (const { id } of table.dropped) {
    await session.rows(sql`delete from docket.sys_db_column where sys_id = ${id}::bigint`)
  }
  for (const column of table.columns) {
    if (column.before === null) await insertColumn(session, tableId, column)
    else if (column.changes.length > 0) await updateColumn(session, tableId, column, column.before.id)
  }
}

async function insertColumn(session: Session, tableId: string, column: PlannedColumn): Promise<void> {
  const { described } = column
  const [made] = await session.rows<{ id: string }>(sql`
    insert into docket.sys_db_column (table_id, column_name, title, is_system, display_by_ref, column_type_id, reference_id, read_only, mandatory,
      "unique", max_length, storage_column, storage_cast, storage_parts, storage_target)
    values (${tableId}::bigint, ${column.name}, ${described.title}, ${isOwnKey(described)}, ${column.isDisplayed},
      ${typeId(column)}, ${targetId(column)}, ${described.isReadOnly}, ${described.isMandatory}, ${described.isUnique},
      ${column.maxLength}::integer, ${described.storage}, ${column.cast}, ${partsOf(column)}::text[], ${column.through})
    returning sys_id::text as id`)
  if (made !== undefined) await writeChoices(session, { tableId, columnId: made.id }, described.choices)
}

async function updateColumn(session: Session, tableId: string, column: PlannedColumn, id: string): Promise<void> {
  const { described } = column
  await session.rows(sql`
    update docket.sys_db_column set column_type_id = ${typeId(column)}, reference_id = ${targetId(column)}, read_only = ${described.isReadOnly},
      mandatory = ${described.isMandatory}, "unique" = ${described.isUnique}, max_length = ${column.maxLength}::integer,
      storage_column = ${described.storage}, storage_cast = ${column.cast}, storage_parts = ${partsOf(column)}::text[], storage_target = ${column.through}
    where sys_id = ${id}::bigint`)
  await writeChoices(session, { tableId, columnId: id }, described.choices)
}

const partsOf = ({ parts }: PlannedColumn) => (parts === null ? null : [...parts])
const typeId = ({ type }: PlannedColumn) =>
  sql`(select y.sys_id from docket.sys_db_column_type y where y.name = ${type})`
const targetId = ({ reference }: PlannedColumn) =>
  sql`(select r.sys_id from docket.sys_db_table r where r.name = ${reference})`

interface ChoicesOf {
  readonly tableId: string
  readonly columnId: string
}

/** Titles that users gave to choices stay. */
async function writeChoices(session: Session, of: ChoicesOf, values: readonly string[]): Promise<void> {
  const texts = [...values]
  await session.rows(sql`
    delete from docket.sys_choice where column_id = ${of.columnId}::bigint and not value = any(${texts}::text[])`)
  await session.rows(sql`
    insert into docket.sys_choice (table_id, column_id, value, title, "order")
    select ${of.tableId}::bigint, ${of.columnId}::bigint, v.value, v.value, v.n * 10
    from unnest(${texts}::text[]) with ordinality as v (value, n)
    where not exists (select from docket.sys_choice c where c.column_id = ${of.columnId}::bigint and c.value = v.value and c.language = 'en')`)
  await session.rows(sql`
    update docket.sys_choice c set "order" = v.n * 10 from unnest(${texts}::text[]) with ordinality as v (value, n)
    where c.column_id = ${of.columnId}::bigint and c.value = v.value and c."order" <> v.n * 10`)
}
