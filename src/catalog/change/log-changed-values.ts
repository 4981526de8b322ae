import { type Sql, sql } from '../../kernel/sql.ts'
import { place, stored } from './count-losses.ts'
import type { ColumnDefinition } from './definition.ts'

/**
 * Values that a change of the dictionary removes from records, or shortens, are in the change log as if the caller had written each record:
 * history has the former value, and followers of the table are notified.
 *
 * @param column as it is stored before the change
 * @param where which records
 * @param value the value after the change
 * @param by sys_id of the caller
 */
export function changeValues(
  column: ColumnDefinition,
  { where, value, by }: { readonly where: Sql<unknown>; readonly value: Sql<unknown>; readonly by: string },
): Sql<unknown> {
  const name = stored(column)
  const table = place(column.storage)
  return sql`with old as materialized (select sys_id, sys_db_table_id, ${name} as was from ${table} where ${where}),
      changed as (update ${table} as t set ${name} = ${value} from old where t.sys_id = old.sys_id returning t.sys_id, t.${name} as is_now)
    insert into docket_system.change (operation, table_id, record_id, changed_by, changes, audited)
    select 'u', old.sys_db_table_id, old.sys_id::text, ${by}::bigint,
      jsonb_build_object(${column.name}::text, jsonb_build_array(${asDisplayed(column, sql`old.was`)}, ${asDisplayed(column, sql`changed.is_now`)})), d.is_audit
    from old join changed on changed.sys_id = old.sys_id join docket.sys_db_table d on d.sys_id = old.sys_db_table_id`
}

/** In the form of the change log (docket_system.stored_values). */
function asDisplayed({ storageType }: ColumnDefinition, value: Sql<unknown>): Sql<unknown> {
  switch (storageType) {
    case 'bigint':
      return sql`to_jsonb(${value}::text)`
    case 'numeric':
      return sql`to_jsonb(round(${value}, 2)::text)`
    default:
      return storageType?.startsWith('timestamp') ? sql`to_jsonb(${value}::text)` : sql`to_jsonb(${value})`
  }
}

/** The log keeps the name of a dropped column; a later column of this name may have other rules. */
export function keepName(column: ColumnDefinition): Sql<unknown> {
  return sql`insert into docket_system.gone_column (table_id, column_name) values (${column.tableId}::bigint, ${column.name}) on conflict do nothing`
}

/**
 * Renames a column of this name in earlier entries of the log, to a name that no column has: only callers who see everything can read them.
 * Runs only if there was such a column, because it reads the whole log.
 */
export function setNamesakesApart(column: ColumnDefinition): Sql<unknown> {
  return sql`with recursive above as (
      select t.sys_id, t.parent_id from docket.sys_db_table t where t.sys_id = ${column.tableId}::bigint
      union all select p.sys_id, p.parent_id from docket.sys_db_table p join above on above.parent_id = p.sys_id),
    below as (
      select ${column.tableId}::bigint as sys_id
      union all select t.sys_id from docket.sys_db_table t join below on t.parent_id = below.sys_id),
    kin as (select sys_id from above union select sys_id from below),
    gone as (delete from docket_system.gone_column g using kin where g.table_id = kin.sys_id and g.column_name = ${column.name} returning 1),
    put_aside as (select 1 from docket.sys_db_column d join kin on d.table_id = kin.sys_id
      where d.column_name = ${column.name} and not d.active and d.sys_id <> ${column.id}::bigint)
    update docket_system.change c set changes = (c.changes - ${column.name}::text)
      || jsonb_build_object(${column.name} || ' (until ' || docket_system.now_utc() || ')', c.changes -> ${column.name}::text)
    where (exists (select from gone) or exists (select from put_aside)) and c.table_id in (select sys_id from kin) and c.changes ? ${column.name}`
}
