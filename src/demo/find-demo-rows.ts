import type { Session } from '../database/database.ts'
import { type Sql, sql } from '../kernel/sql.ts'

/** A row that another user created and that refers to a row of the demo. */
export interface BlockingReference {
  /** With its schema. */
  readonly table: string
  readonly column: string
  readonly sysId: string
  /** Its number or name; '' if it has neither. */
  readonly label: string
}

/**
 * Collects the rows to remove in the temporary table `demo_row`, which exists until the transaction ends: the rows that the
 * demo inserted, rows that its users created since, and their dependent rows (notes, files, approvals, memberships).
 */
export async function collectDemoRows(session: Session): Promise<void> {
  await session.rows(sql`
    create temporary table demo_row (sys_id bigint primary key, storage_table text not null) on commit drop`)
  await session.rows(sql`
    insert into demo_row select id, r.storage_table from docket_system.demo_record r, unnest(r.ids) as id
    where r.storage_table like 'docket.%'`)
  const tables = await ownTables(session)
  await session.rows(sql`
    create temporary table demo_user on commit drop as select sys_id from docket."user" where sys_id in (select sys_id from demo_row)`)
  for (const table of tables) await addRows(session, table, sql`sys_created_by in (select sys_id from demo_user)`)
  for (const [table, condition] of partsOfDemoRows) await addRows(session, table, condition)
}

/** Tables of sys_db_table that are PostgreSQL tables in Docket's own schema. */
async function ownTables(session: Session): Promise<readonly string[]> {
  const rows = await session.rows<{ readonly name: string }>(sql`
    select distinct t.storage_table as name from docket.sys_db_table t
    join pg_class c on c.oid = to_regclass(format('%I.%I', t.storage_schema, t.storage_table)) and c.relkind = 'r'
    where t.storage_schema = 'docket' and t.key_column = 'sys_id' order by 1`)
  return rows.map(({ name }) => name)
}

const isDemo = (column: string): Sql<unknown> => sql`${sql.ref(column)} in (select sys_id from demo_row)`
const recordIsDemo = sql`record_id in (select sys_id::text from demo_row)`

/** Dependent rows of a record, a user or a group, which are removed with it. */
const partsOfDemoRows: readonly (readonly [table: string, condition: Sql<unknown>])[] = [
  ['sys_journal_entry', recordIsDemo],
  ['sys_attachment', recordIsDemo],
  ['sys_approval', isDemo('task')],
  ['sys_indication', isDemo('task')],
  ['sys_user_has_role', isDemo('user_id')],
  ['sys_user_group', sql`${isDemo('user_id')} or ${isDemo('group_id')}`],
  ['sys_group_has_role', isDemo('group_id')],
  ['sys_filter', isDemo('user_id')],
  ['sys_ui_form', isDemo('user_id')],
  ['sys_ui_form_section', isDemo('form_id')],
  ['sys_ui_form_element', isDemo('section_id')],
  ['sys_translated_text', isDemo('record_id')],
  ['sys_webhook_delivery', isDemo('webhook')],
]

async function addRows(session: Session, table: string, condition: Sql<unknown>): Promise<void> {
  await session.rows(sql`
    insert into demo_row select sys_id, ${`docket.${table}`} from ${sql.ref(`docket.${table}`)}
    where ${condition} on conflict do nothing`)
}

/** Rows per table with its schema, only those that still exist. */
export async function countDemoRows(session: Session): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {}
  for (const table of await demoTables(session)) {
    const [found] = await session.rows<{ readonly count: number }>(sql`
      select count(*)::integer as count from ${sql.ref(table)} where sys_id in (select sys_id from demo_row)`)
    if (found !== undefined && found.count > 0) counts[table] = found.count
  }
  return counts
}

/** With their schema. */
export async function demoTables(session: Session): Promise<readonly string[]> {
  const rows = await session.rows<{ readonly table: string }>(sql`
    select distinct storage_table as table from demo_row where to_regclass(
      (select format('%I.%I', p[1], p[2]) from string_to_array(storage_table, '.') as p)) is not null order by 1`)
  return rows.map(({ table }) => table)
}

/** References by foreign keys without `on delete`, and lists of references. */
export async function findBlockingReferences(session: Session): Promise<readonly BlockingReference[]> {
  const keys = await session.rows<ReferenceColumn>(sql`
    select n.nspname || '.' || c.relname as "table", a.attname as "column", false as "isList"
    from pg_constraint k
    join pg_class c on c.oid = k.conrelid
    join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]
    where k.contype = 'f' and k.confdeltype in ('a', 'r') and cardinality(k.conkey) = 1
      and k.confrelid in (select to_regclass((select format('%I.%I', p[1], p[2]) from string_to_array(storage_table, '.') as p)) from demo_row)
    order by 1, 2`)
  const lists = await session.rows<ReferenceColumn>(sql`
    select distinct 'docket.' || t.storage_table as "table", c.storage_column as "column", true as "isList"
    from docket.sys_db_column c
    join docket.sys_db_column_type y on y.sys_id = c.column_type_id and y.name = 'list'
    join docket.sys_db_table t on t.sys_id = c.table_id and t.storage_schema = 'docket'
    where c.reference_id is not null and c.storage_column is not null order by 1, 2`)
  const found: BlockingReference[] = []
  for (const column of [...keys, ...lists]) found.push(...(await rowsThatLeadToTheDemo(session, column)))
  return found
}

interface ReferenceColumn {
  readonly table: string
  readonly column: string
  readonly isList: boolean
}

function rowsThatLeadToTheDemo(
  session: Session,
  { table, column, isList }: ReferenceColumn,
): Promise<readonly BlockingReference[]> {
  const value = sql.ref(`x.${column}`)
  const leads = isList
    ? sql`${value}::text[] && (select array_agg(sys_id::text) from demo_row)`
    : sql`${value}::bigint in (select sys_id from demo_row)`
  return session.rows<BlockingReference>(sql`
    select ${table} as "table", ${column} as "column", to_jsonb(x.*) ->> 'sys_id' as "sysId",
           coalesce(to_jsonb(x.*) ->> 'number', to_jsonb(x.*) ->> 'name', to_jsonb(x.*) ->> 'user_name', to_jsonb(x.*) ->> 'title', '') as label
    from ${sql.ref(table)} as x
    where ${leads} and not exists (select from demo_row d where d.sys_id::text = to_jsonb(x.*) ->> 'sys_id')
    order by 3`)
}
