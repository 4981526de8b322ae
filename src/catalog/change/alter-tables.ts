import { columnTypeOf, hasParts, refersToOne } from '../../column-types/column-types.ts'
import { keyOfColumns } from '../../column-types/record-key.ts'
import type { Session } from '../../database/database.ts'
import { type Sql, sql } from '../../kernel/sql.ts'
import { unreachable } from '../../kernel/unreachable.ts'
import { UPDATE_COUNT } from '../catalog.ts'
import { conversionOf } from './convert-type.ts'
import { misfits, place, stored } from './count-losses.ts'
import type { ColumnDefinition, TableDefinition } from './definition.ts'
import { changeValues, keepName, setNamesakesApart } from './log-changed-values.ts'
import { buildOrLeave } from './make-index.ts'
import { hasForeignKey } from './plan-column-change.ts'
import type { StorageStep } from './storage-change.ts'

/**
 * Alters PostgreSQL's tables to match the dictionary, in the transaction that changed it.
 *
 * @param by sys_id of the caller, the author of lost values in the change log
 */
export async function alterTables(session: Session, steps: readonly StorageStep[], by: string): Promise<void> {
  for (const step of steps) await alterTable(session, step, by)
}

async function alterTable(session: Session, step: StorageStep, by: string): Promise<void> {
  const run = async (...statements: readonly Sql<unknown>[]): Promise<void> => {
    for (const statement of statements) await session.rows(statement)
  }
  switch (step.kind) {
    case 'make-table':
      return run(createTable(step.table), sql`select docket_system.define_system_columns(${step.table.name})`)
    case 'drop-table':
      return run(sql`drop table ${place(step.table.storage)}`, forgetRules(step.table.name, null, by))
    case 'delete-rows-of-class':
      return run(
        sql`delete from ${place(step.table.storage)} where sys_db_table_id = ${step.table.id}::bigint`,
        forgetRules(step.table.name, null, by),
      )
    case 'add-column':
      return run(setNamesakesApart(step.column), addColumn(step.column), ...addStatistics(step.column))
    case 'drop-column':
      return run(
        sql`alter table ${place(step.column.storage)} drop column ${stored(step.column)}`,
        forgetRules(step.column.table, step.column.name, by),
        keepName(step.column),
      )
    case 'convert-column':
      return convertColumn(session, step, by)
    case 'cut-texts': {
      const text = stored(step.column)
      const where = sql`length(${text}) > ${step.maxLength}`
      return run(changeValues(step.column, { where, value: sql`left(t.${text}, ${step.maxLength})`, by }))
    }
    case 'make-unique':
      return run(
        sql`create unique index ${uniqueName(step.column)} on ${place(step.column.storage)} (${uniqueKey(step.column)})`,
      )
    case 'drop-unique':
      return dropUnique(session, step.column)
    case 'show-records-by':
      return run(sql`with before as (select * from docket.sys_db_column
          where table_id = ${step.column.tableId}::bigint and display_by_ref and sys_id <> ${step.column.id}::bigint),
        after as (update docket.sys_db_column c set display_by_ref = false from before where c.sys_id = before.sys_id returning c.*)
        select docket_system.log_change(to_jsonb(before), to_jsonb(after), ${by}::bigint) from before join after on after.sys_id = before.sys_id`)
    case 'want-index':
      return buildOrLeave(session, await wantIndex(session, step.column.tableId, step.column.name))
    case 'want-contains-index':
      return wantContainsIndex(session, step.column)
    case 'want-class-index':
      return wantClassIndex(session, step.table)
    case 'renew-search-indexes':
      return renewSearchIndexes(session, step.column)
    case 'forget-indexes-of':
      await run(sql`delete from docket.sys_db_index where table_id = ${step.column.tableId}::bigint
        and purpose <> 'search' and ${step.column.name} = any(column_names)`)
      return excludeFromIndexes(session, step.column)
    case 'build-index':
      return buildOrLeave(session, step.index.id)
    case 'drop-index':
      if (step.index.storageIndex === null) return
      return run(sql`drop index if exists ${sql.id(step.index.storage.schema, step.index.storageIndex)}`)
    default:
      return unreachable(step)
  }
}

// ── tables ──

/** Leaves free space on pages for changed rows: then PostgreSQL writes no index whose value has not changed. */
function createTable({ storage, id }: TableDefinition): Sql<unknown> {
  return sql`create table ${place(storage)} (
    sys_id bigint primary key default docket_system.new_sys_id(),
    sys_created_at timestamp(0) not null default docket_system.now_utc(),
    sys_created_by bigint,
    sys_updated_at timestamp(0) not null default docket_system.now_utc(),
    sys_updated_by bigint,
    sys_db_table_id bigint not null default ${sql.lit(id)}::bigint,
    ${sql.id(UPDATE_COUNT)} integer) with (fillfactor = 90)`
}

/** Rules of a deleted table are removed: otherwise they would apply to a later table of that name. */
function forgetRules(table: string, column: string | null, by: string): Sql<unknown> {
  const ofColumn = column === null ? sql`` : sql`and column_name = ${column}`
  return sql`with gone as (delete from docket.sys_security_acl where table_name = ${table} ${ofColumn} returning *)
    select docket_system.log_change(to_jsonb(gone), null, ${by}::bigint) from gone`
}

/** Requests the index for lists of one class among its siblings, as an index of the root's table. */
async function wantClassIndex(session: Session, { storage }: TableDefinition): Promise<void> {
  const [root] = await session.rows<{ id: string }>(sql`
    select t.sys_id::text as id from docket.sys_db_table t
    where t.parent_id is null and t.storage_schema = ${storage.schema} and t.storage_table = ${storage.table}
      and not exists (select from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
        where i.indrelid = ${`"${storage.schema}"."${storage.table}"`}::regclass and a.attname = 'sys_db_table_id')`)
  if (root !== undefined) await buildOrLeave(session, await wantIndex(session, root.id, 'sys_db_table_id'))
}

async function wantContainsIndex(session: Session, { tableId, name }: ColumnDefinition): Promise<void> {
  const known = await session.rows(sql`select from docket.sys_db_index
    where table_id = ${tableId}::bigint and purpose = 'contains' and ${name} = any(column_names)`)
  if (known.length === 0) await buildOrLeave(session, await wantIndex(session, tableId, name, 'contains'))
}

async function wantIndex(
  session: Session,
  tableId: string,
  column: string,
  purpose: 'conditions' | 'contains' = 'conditions',
): Promise<string> {
  const [row] = await session.rows<{ id: string }>(sql`
    insert into docket.sys_db_index (table_id, column_names, purpose, state)
    values (${tableId}::bigint, array[${column}::text], ${purpose}, 'waiting')
    returning sys_id::text as id`)
  if (row === undefined) throw new Error('an index that is wanted was not written down')
  return row.id
}

/** PostgreSQL has dropped the indexes that include the column. They are built again without it. */
async function excludeFromIndexes(session: Session, { tableId, name }: ColumnDefinition): Promise<void> {
  const indexes = await session.rows<{ id: string }>(sql`
    update docket.sys_db_index set included_columns = array_remove(included_columns, ${name}), state = 'waiting', storage_index = null, error = null
    where ${name} = any(included_columns) and table_id in (
      with recursive descendant as (
        select ${tableId}::bigint as id union all select t.sys_id from docket.sys_db_table t join descendant d on t.parent_id = d.id)
      select id from descendant)
    returning sys_id::text as id`)
  for (const { id } of indexes) await buildOrLeave(session, id)
}

async function renewSearchIndexes(session: Session, column: ColumnDefinition): Promise<void> {
  const wanted = await session.rows<{ id: string }>(
    sql`select docket_system.want_search_indexes(${column.tableId}::bigint)::text as id`,
  )
  for (const { id } of wanted) await buildOrLeave(session, id)
}

// ── columns ──

const storageType = (column: ColumnDefinition): Sql<unknown> =>
  sql.raw(typeOfReference(column) ?? column.storageType ?? 'text')

/** A reference to an adopted table holds its sys_ids, which may be whole numbers, UUIDs or texts. */
function typeOfReference(column: ColumnDefinition): string | null {
  const { reference } = column
  if (!refersToOne(column) || reference?.keyTypes == null) return null
  const { kind } = keyOfColumns(reference.keyTypes.map((each, index) => ({ column: String(index), type: each })))
  return kind === 'whole' ? 'bigint' : kind === 'uuid' ? 'uuid' : 'text'
}

/** A new column is empty and PostgreSQL knows it: it does not rewrite the rows and does not check the foreign key. */
function addColumn(column: ColumnDefinition): Sql<unknown> {
  return sql`alter table ${place(column.storage)} add column ${stored(column)} ${storageType(column)} ${references(column)}`
}

/** Records that refer to each other in a cycle can be deleted in one transaction. */
const DEFERRABLE = sql`deferrable initially immediate`

function references(column: ColumnDefinition): Sql<unknown> {
  if (!hasForeignKey(column) || column.reference === null) return sql``
  return sql`references ${place(column.reference.storage)} (${sql.id(column.reference.keyColumn)}) ${DEFERRABLE}`
}

/** Conditions compare the case-folded value of a choice; without these statistics PostgreSQL would guess how many rows have it. */
function addStatistics(column: ColumnDefinition): readonly Sql<unknown>[] {
  if (columnTypeOf(column).compare !== 'choice') return []
  return [
    sql`create statistics ${sql.id(column.storage.schema, `folded_${column.id}`)} on docket_system.fold(${stored(column)})
      from ${place(column.storage)}`,
  ]
}

const uniqueName = (column: ColumnDefinition): Sql<unknown> => sql.id(`unique_${column.id}`)

/** Texts are unique case-insensitively, as they are compared. */
const uniqueKey = (column: ColumnDefinition): Sql<unknown> =>
  column.storageType === 'text' ? sql`docket_system.fold(${stored(column)})` : stored(column)

async function convertColumn(
  session: Session,
  { before, after }: Extract<StorageStep, { readonly kind: 'convert-column' }>,
  by: string,
): Promise<void> {
  const conversion = conversionOf(before, after)
  if (conversion === null) throw new Error(`no conversion from ${before.type} to ${after.type} was planned`)
  const table = place(before.storage)
  const column = stored(before)
  await dropDependents(session, before)
  if (conversion.keeps !== null)
    await session.rows(changeValues(before, { where: misfits(before, after), value: sql`null`, by }))
  const value = conversion.value(column)
  if (before.storageType !== after.storageType) {
    await session.rows(sql`alter table ${table} alter column ${column} drop default`)
    await session.rows(sql`alter table ${table} alter column ${column} type ${storageType(after)} using ${value}`)
  } else if (value !== column) {
    await session.rows(sql`update ${table} set ${column} = ${value} where ${column} is distinct from ${value}`)
  }
  if (hasForeignKey(after) && after.reference !== null) {
    await session.rows(sql`alter table ${table} add foreign key (${column})
      references ${place(after.reference.storage)} (${sql.id(after.reference.keyColumn)}) ${DEFERRABLE}`)
  }
  for (const statement of addStatistics(after)) await session.rows(statement)
  await session.rows(sql`delete from docket.sys_db_index where purpose = 'search' and storage_index is not null
    and to_regclass(format('%I.%I', ${before.storage.schema}::text, storage_index)) is null`)
  if (!hasParts(after)) {
    await session.rows(sql`delete from docket.sys_db_index
      where table_id = ${before.tableId}::bigint and purpose = 'contains' and ${before.name} = any(column_names)`)
  }
  const indexes = await session.rows<{ id: string }>(sql`
    update docket.sys_db_index set state = 'waiting', storage_index = null, error = null
    where table_id = ${before.tableId}::bigint and purpose <> 'search' and ${before.name} = any(column_names) returning sys_id::text as id`)
  for (const { id } of indexes) await buildOrLeave(session, id)
  await excludeFromIndexes(session, before)
}

/** Keys, indexes and statistics on a column depend on its type. */
async function dropDependents(session: Session, column: ColumnDefinition): Promise<void> {
  const found = await session.rows<{ statement: string }>(sql`
    with c as (select a.attrelid, a.attnum from pg_attribute a
      where a.attrelid = ${`"${column.storage.schema}"."${column.storage.table}"`}::regclass and a.attname = ${column.storageColumn})
    select format('alter table %s drop constraint %I', k.conrelid::regclass, k.conname) as statement
    from c join pg_constraint k on k.conrelid = c.attrelid and k.contype = 'f' and k.conkey = array[c.attnum]
    union all
    select distinct format('drop index %s', d.objid::regclass)
    from c join pg_depend d on d.classid = 'pg_class'::regclass and d.refclassid = 'pg_class'::regclass and d.refobjid = c.attrelid
      and d.refobjsubid = c.attnum join pg_index i on i.indexrelid = d.objid and not i.indisprimary
    union all
    select distinct format('drop statistics %I.%I', s.stxnamespace::regnamespace, s.stxname)
    from c join pg_depend d on d.classid = 'pg_statistic_ext'::regclass and d.refobjid = c.attrelid and d.refobjsubid = c.attnum
    join pg_statistic_ext s on s.oid = d.objid`)
  for (const { statement } of found) await session.rows(sql.raw(statement))
}

/** The unique indexes on this column alone, whatever their names. */
async function dropUnique(session: Session, column: ColumnDefinition): Promise<void> {
  const found = await session.rows<{ name: string; schema: string }>(sql`
    select i.indexrelid::regclass::text as name from pg_attribute a
    join pg_depend d on d.classid = 'pg_class'::regclass and d.refobjid = a.attrelid and d.refobjsubid = a.attnum
    join pg_index i on i.indexrelid = d.objid and i.indisunique and not i.indisprimary and i.indnkeyatts = 1
    where a.attrelid = ${`"${column.storage.schema}"."${column.storage.table}"`}::regclass and a.attname = ${column.storageColumn}`)
  for (const { name } of found) await session.rows(sql`drop index ${sql.raw(name)}`)
}
