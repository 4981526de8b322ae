import type pg from 'pg'

/** A table that a user added to the dictionary, at the first level. */
export const ownTable = 'asset'

export interface RowsByTable {
  /** By the name of the table in PostgreSQL. */
  readonly [storageTable: string]: { readonly table: string; readonly ids: readonly string[] }
}

/** Tables without data of users: the dictionary itself, and tables that only functions of the database write. */
const dictionary = [
  'sys_db_table',
  'sys_db_column',
  'sys_db_column_type',
  'sys_db_index',
  'sys_number',
  'sys_state_model',
  'sys_state_transition',
  'sys_translated_text',
  'sys_dynamic_option',
  'sys_webhook_delivery',
  // It is a table until level 9, but no version before wrote to it.
  'sys_record_deletion_log',
]

interface Column {
  readonly name: string
  readonly type: string
  /** The table to which a foreign key refers, with its schema; null: no foreign key. */
  readonly target: string | null
}

/**
 * Adds a row with a value in every column to each table for records that exists at this level, and to the tables of documents. Values
 * contain the level. At levels 7 and 8, sys_approval gets no row: its trigger calls a function that level 9 adds.
 */
export async function insertRows(client: pg.Client, level: number): Promise<void> {
  await client.query(`set search_path to docket, docket_system`)
  if (level === 1) await makeOwnTable(client)
  const { rows: tables } = await client.query<{ readonly name: string; readonly classId: string }>(
    `select t.storage_table as name, min(t.sys_id)::text as "classId" from docket.sys_db_table t
     join pg_class c on c.oid = to_regclass(format('docket.%I', t.storage_table)) and c.relkind = 'r'
     where not t.name = any($1) group by 1
     order by array_position(array['company', 'user', 'sys_group', 'service', 'task', 'sys_ui_form', 'sys_ui_form_section'], t.storage_table), 1`,
    [dictionary],
  )
  for (const { name, classId } of tables)
    if (name !== 'sys_approval' || (level !== 7 && level !== 8)) await insertRow(client, { name, classId, level })
  await insertBeside(client, level)
}

async function makeOwnTable(client: pg.Client): Promise<void> {
  await client.query(`select docket_system.define_table('${ownTable}', 'Asset', 'Имущество')`)
  for (const [name, type, options] of [
    ['name', 'string', '{"display_by_ref": true, "mandatory": true}'],
    ['price', 'decimal', '{}'],
    ['bought', 'date', '{}'],
    ['owner', 'reference', '{"reference": "user"}'],
    ['kind', 'choice', '{}'],
    ['details', 'json', '{}'],
  ])
    await client.query(`select docket_system.define_column($1, $2, $3, $2, $2, $4)`, [ownTable, name, type, options])
}

async function insertRow(
  client: pg.Client,
  { name, classId, level }: { readonly name: string; readonly classId: string; readonly level: number },
): Promise<void> {
  const { rows: columns } = await client.query<Column>(
    `select a.attname as name, format_type(a.atttypid, null) as type, (select k.confrelid::regclass::text from pg_constraint k
       where k.conrelid = a.attrelid and k.contype = 'f' and k.conkey = array[a.attnum]) as target
     from pg_attribute a where a.attrelid = format('docket.%I', $1::text)::regclass and a.attnum > 0 and not a.attisdropped
       and a.attgenerated = '' and a.attidentity = '' and a.attname not in ('sys_id', 'sys_created_at', 'sys_updated_at')`,
    [name],
  )
  const written = columns.map((column) => ({ name: column.name, value: sqlValue(column, { name, classId, level }) }))
  const given = written.filter(({ value }) => value !== null)
  await client.query(
    `insert into docket."${name}" (${given.map((column) => `"${column.name}"`).join(', ')}) select ${given.map(({ value }) => value).join(', ')}`,
  )
}

const administrator = '155931135900000001'
const anIncident = `(select max(sys_id) from docket.task)`

/** Columns that take only certain values. null: the column is left out. */
const fixedValues: Readonly<Record<string, string | null>> = {
  sys_created_by: administrator,
  sys_updated_by: administrator,
  parent_id: null,
  password: null,
  language: `'ru'`,
  time_zone: `'Europe/Moscow'`,
  operation: `'read'`,
  operations: `'{create}'`,
  condition: `'active=true'`,
  column_name: `'subject'`,
  table_name: `'task'`,
  record_id: anIncident,
  table_id: `(select sys_id from docket.sys_db_table where name = 'itsm_incident')`,
  approval_state: `'not_requested'`,
  url: `'https://hooks.example/'`,
}

function sqlValue(
  { name: column, type, target }: Column,
  { name, classId, level }: { readonly name: string; readonly classId: string; readonly level: number },
): string | null {
  if (column === 'sys_db_table_id')
    return name === 'task' ? `(select sys_id from docket.sys_db_table where name = 'itsm_incident')` : classId
  if (column === 'state') return name === 'sys_approval' ? `'requested'` : `'0'`
  const fixed = fixedValues[column]
  if (fixed !== undefined) return fixed !== null && fixed === anIncident && type === 'text' ? `${fixed}::text` : fixed
  if (target !== null)
    return `(select sys_id from ${target.includes('.') ? target : `docket.${target}`} order by sys_id desc limit 1)`
  const values: Readonly<Record<string, string>> = {
    text: `'${column} ${level}'`,
    bigint: '65000',
    integer: '7',
    smallint: '3',
    numeric: '12.30',
    'double precision': '1.5',
    boolean: 'true',
    'timestamp without time zone': `'2026-01-02 03:04:05'`,
    date: `'2026-01-02'`,
    'time without time zone': `'03:04:05'`,
    'text[]': `'{}'`,
    jsonb: `'{"level": ${level}}'`,
    bytea: `'\\x00'`,
  }
  return values[type] ?? null
}

const firstLevelWithDocuments = 3

/** The levels up to this one at which a collection `kb-<level>` was added. */
export function levelsWithDocuments(level: number): readonly number[] {
  return Array.from({ length: level }, (_, at) => at + 1).filter((each) => each >= firstLevelWithDocuments)
}

/** Adds a document, with the columns that every level since the first one with documents has. */
async function insertBeside(client: pg.Client, level: number): Promise<void> {
  if (level < firstLevelWithDocuments) return
  const at = `'2026-01-02 03:04:05'`
  await client.query(`
    insert into docket_documents.collection (name, created_at, updated_at) values ('kb-${level}', ${at}, ${at})`)
  await client.query(`
    insert into docket_documents.document (id, collection_id, doc_id, version, added_position, metadata, filter_values, media_type, size,
      characters, chunk_count, content_hash, loaded_at)
    select ${level}, c.id, 'doc', 1, docket_documents.next_position(), '{"level": ${level}}', '{}', 'text/plain', 6, 6, 1, '\\x00', ${at}
    from docket_documents.collection c where c.name = 'kb-${level}'`)
  await client.query('select docket_documents.reach_position(docket_documents.next_position())')
  await client.query(`
    insert into docket_documents.chunk (document_id, chunk_index, from_unit, to_unit, heading_path, text)
    values (${level}, 0, 0, 6, '{}', 'secret')`)
}

const tablesBeside = [
  ['docket_documents.collection', 'id'],
  ['docket_documents.document', 'id'],
  ['docket_documents.chunk', 'document_id'],
] as const

/** Every row of Docket's tables, to compare before and after an upgrade: `values` by "table id column". */
export async function snapshotRows(client: pg.Client): Promise<{
  readonly values: Readonly<Record<string, string>>
  readonly byTable: RowsByTable
}> {
  const { rows: tables } = await client.query<{ readonly storage: string; readonly table: string }>(
    `select distinct on (t.storage_table) t.storage_table as storage, t.name as table from docket.sys_db_table t
     where to_regclass(format('docket.%I', t.storage_table)) is not null and not t.name = any($1) order by t.storage_table, t.sys_id`,
    [dictionary],
  )
  const values: Record<string, string> = {}
  const byTable: Record<string, { table: string; ids: readonly string[] }> = {}
  for (const { storage, table } of tables) {
    const ids = await addValues(client, values, { table: `docket."${storage}"`, key: 'sys_id' })
    byTable[storage] = { table, ids }
  }
  for (const [table, key] of tablesBeside) await addValues(client, values, { table, key })
  return { values, byTable }
}

/** @returns the ids of the rows */
async function addValues(
  client: pg.Client,
  values: Record<string, string>,
  { table, key }: { readonly table: string; readonly key: string },
): Promise<readonly string[]> {
  if ((await client.query(`select to_regclass($1) as found`, [table])).rows[0]?.found === null) return []
  // As text: a JavaScript number cannot hold the 18 digits of a sys_id.
  const { rows } = await client.query<{ readonly id: string; readonly row: Readonly<Record<string, string>> }>(
    `select ${key}::text as id, (select jsonb_object_agg(c.name, c.value) from jsonb_each_text(to_jsonb(x)) as c (name, value)
       where c.value is not null) as row from ${table} as x order by 1`,
  )
  for (const { id, row } of rows)
    for (const [column, value] of Object.entries(row)) values[`${table} ${id} ${column}`] = value
  return rows.map(({ id }) => id)
}
