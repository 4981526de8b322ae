import { openDatabase } from '../../../src/database/database.ts'
import { sql } from '../../../src/kernel/sql.ts'

/**
 * Everything of a database that a restored copy must have, read from pg_catalog and not with src/backup: definitions, sequences, and each
 * table's rows.
 */
export async function printDatabase(connectionString: string): Promise<DatabasePrint> {
  const database = openDatabase({
    connectionString,
    maxConnections: 1,
    statementTimeoutMs: 0,
    applicationName: 'print',
  })
  try {
    const catalog: Record<string, readonly string[]> = {}
    for (const [kind, query] of Object.entries(catalogQueries))
      catalog[kind] = (await database.rows(sql<{ line: string }>`${sql.raw(query)}`)).map(({ line }) => line)
    const tables = await database.rows(sql<{ name: string }>`
      select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname in ('docket', 'docket_documents', 'docket_system') order by 1`)
    const rows: Record<string, readonly string[]> = {}
    for (const { name } of tables)
      rows[name] = (
        await database.rows(sql<{ line: string }>`
          select t::text as line from ${sql.raw(name)} t order by t::text collate "C"`)
      ).map(({ line }) => line)
    const sequences: Record<string, string> = {}
    for (const name of catalog['sequences'] ?? []) {
      const [state] = await database.rows(sql<{ state: string }>`
        select concat_ws(' ', last_value, is_called) as state from ${sql.raw(name.split(' ')[0] ?? '')}`)
      sequences[name] = state?.state ?? ''
    }
    return { catalog, rows, sequences }
  } finally {
    await database.close()
  }
}

export interface DatabasePrint {
  readonly catalog: Readonly<Record<string, readonly string[]>>
  readonly rows: Readonly<Record<string, readonly string[]>>
  readonly sequences: Readonly<Record<string, string>>
}

const own = `('docket', 'docket_documents', 'docket_system')`
const catalogQueries: Readonly<Record<string, string>> = {
  columns: `select concat_ws(' ', table_schema, table_name, row_number() over (partition by table_schema, table_name order by ordinal_position),
      column_name, column_default, is_nullable, data_type, udt_name, character_maximum_length, numeric_precision, numeric_scale, datetime_precision,
      collation_schema, collation_name, is_identity, identity_generation, identity_start, identity_increment, is_generated, generation_expression) as line
    from information_schema.columns where table_schema in ${own} order by 1`,
  constraints: `select concat_ws(' ', conrelid::regclass, conname, contype, convalidated, pg_get_constraintdef(oid)) as line from pg_constraint
    where connamespace::regnamespace::text in ${own} order by 1`,
  indexes: `select concat_ws(' ', indexdef) as line from pg_indexes where schemaname in ${own} order by 1`,
  triggers: `select concat_ws(' ', pg_get_triggerdef(t.oid), tgenabled) as line from pg_trigger t join pg_class c on c.oid = tgrelid
    where relnamespace::regnamespace::text in ${own} and not tgisinternal order by 1`,
  functions: `select pg_get_functiondef(oid) as line from pg_proc where pronamespace::regnamespace::text in ${own} order by 1`,
  views: `select concat_ws(' ', schemaname, viewname, definition) as line from pg_views where schemaname in ${own} order by 1`,
  sequences: `select concat_ws(' ', format('%I.%I', schemaname, sequencename), data_type, start_value, min_value, max_value, increment_by, cycle, cache_size) as line
    from pg_sequences where schemaname in ${own} order by 1`,
  statistics: `select pg_get_statisticsobjdef(oid) as line from pg_statistic_ext where stxnamespace::regnamespace::text in ${own} order by 1`,
  collations: `select concat_ws(' ', collname, collprovider, collcollate) as line from pg_collation where collnamespace::regnamespace::text in ${own} order by 1`,
  relations: `select concat_ws(' ', c.oid::regclass, relkind, relpersistence, reloptions::text) as line from pg_class c
    where relnamespace::regnamespace::text in ${own} order by 1`,
}

/** Values that a restored copy changes on purpose: docs/backup.md, "A copy is not its original". */
export function withoutIdentity(print: DatabasePrint): DatabasePrint {
  const log = 'docket_documents.change_log'
  const histories = 'docket_system.database_history'
  return {
    ...print,
    rows: {
      ...print.rows,
      [log]: (print.rows[log] ?? []).map((line) => line.replace(/[0-9a-f-]{36}/, '(database)')),
      [histories]: (print.rows[histories] ?? []).filter((line) => line.startsWith('(1,')),
    },
    sequences: Object.fromEntries(
      Object.entries(print.sequences).filter(([name]) => !name.startsWith('docket_system.change_position ')),
    ),
  }
}
