import type { Catalog } from '../../src/catalog/catalog.ts'
import { type Database, openDatabase } from '../../src/database/database.ts'
import type { WholeResponse } from '../../src/http/response/send-response.ts'
import { roleKeyOf } from '../../src/identity/load-principal.ts'
import type { Principal } from '../../src/identity/principal.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import type { Problem } from '../../src/kernel/problem.ts'
import type { Result } from '../../src/kernel/result.ts'
import { sql } from '../../src/kernel/sql.ts'
import type { Operation } from '../../src/records/parse/record-request.ts'
import { createRecordDeps, type RecordDeps } from '../../src/records/record-deps.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'
import { respondAsText } from '../harness/respond-as-text.ts'

/**
 * The tables on which the laws of the record service are tested: a hierarchy with a column of every type, with references to itself, to
 * its children and in a circle, and a fixed clock. Two labs have exactly the same content, including sys_ids.
 */

/** Type and options of `docket_system.define_column`. */
type LabColumn = readonly [type: string, options?: Readonly<Record<string, unknown>>]

interface LabTable {
  readonly parent?: string
  readonly extendable?: boolean
  readonly audit?: boolean
  readonly columns: Readonly<Record<string, LabColumn>>
}

/**
 * Rules depend only on the columns `ctl…`, so that a law may change all others without changing rights. `weight` is a column of two
 * unrelated child tables.
 */
export const LAB_TABLES: Readonly<Record<string, LabTable>> = {
  lab_shelf: {
    columns: {
      name: ['string', { display_by_ref: true, full_text_search: true }],
      level: ['integer'],
      is_open: ['boolean'],
      built: ['date'],
      above: ['reference', { reference: 'lab_shelf' }],
      keeper: ['reference', { reference: 'user' }],
      ctl_level: ['integer', { default: '1' }],
    },
  },
  // Only administrators may read it.
  lab_vault: { columns: { code: ['string', { display_by_ref: true }], depth: ['integer'] } },
  lab: {
    extendable: true,
    audit: true,
    columns: {
      title: ['string', { display_by_ref: true, full_text_search: true, max_length: 200 }],
      body: ['text', { full_text_search: true }],
      amount: ['integer'],
      small: ['smallinteger'],
      big: ['biginteger'],
      price: ['decimal'],
      ratio: ['float'],
      percent: ['percent_complete'],
      flag: ['boolean'],
      site: ['url'],
      mail: ['email'],
      phone: ['phone'],
      hue: ['color'],
      page: ['html'],
      script: ['script'],
      field: ['field_name'],
      label: ['translated_text'],
      rich: ['wysiwyg'],
      happened_at: ['datetime'],
      ended_at: ['datetime'],
      on_day: ['date'],
      clock: ['time'],
      took: ['duration'],
      days: ['days_of_week'],
      mood: ['choice'],
      rank: ['choice'],
      peer: ['reference', { reference: 'lab' }],
      shelf: ['reference', { reference: 'lab_shelf' }],
      owner: ['reference', { reference: 'user' }],
      team: ['reference', { reference: 'sys_group' }],
      vault: ['reference', { reference: 'lab_vault' }],
      tags: ['list'],
      shelves: ['list', { reference: 'lab_shelf' }],
      doc: ['document_id'],
      data: ['json'],
      note: ['journal_input'],
      remark: ['journal_input'],
      pass: ['password'],
      sealed: ['encrypted'],
      picture: ['image'],
      scan: ['file'],
      fixed: ['string', { read_only: true, default: 'as made' }],
      ctl: ['integer', { default: '0' }],
      ctl_shelf: ['reference', { reference: 'lab_shelf' }],
    },
  },
  lab_part: {
    parent: 'lab',
    columns: {
      weight: ['integer'],
      grade: ['choice'],
      maker: ['reference', { reference: 'lab_shelf' }],
      whole: ['reference', { reference: 'lab_kit' }],
      part_note: ['journal_input'],
      ctl_part: ['integer', { default: '0' }],
    },
  },
  lab_kit: { parent: 'lab', columns: { weight: ['integer'], contents: ['list', { reference: 'lab' }] } },
}

/** Values and titles of the choices. Those of `rank` are ordered by number. `tags` takes any values. */
export const LAB_CHOICES: Readonly<Record<string, readonly string[]>> = {
  mood: ['calm', 'Wild', 'Ёж', 'a,b', '50%'],
  rank: ['1', '2', '10', '20'],
  grade: ['A', 'b', 'C_1'],
}

/** The time at which every statement of a lab runs, unless a test changes its clock. A Wednesday. */
export const LAB_NOW = '2026-03-11 14:25:36'

export const ANNA = '900000000000000101'
export const BORIS = '900000000000000102'
export const USERS: readonly string[] = [ANNA, BORIS, '900000000000000103']
/** Anna is a member of the first two. */
export const GROUPS: readonly string[] = ['900000000000000201', '900000000000000202', '900000000000000203']

export interface Lab {
  readonly database: Database
  readonly deps: RecordDeps
  readonly clock: { nowMs(): number; set(utc: string): void }
  /** sys_ids of the built-in dynamic options by name. */
  readonly options: ReadonlyMap<string, string>
  /** The dictionary at the time when the lab was opened: its tables never change, rules may. */
  readonly catalog: Catalog
  call(requested: LabRequest): Promise<Result<WholeResponse, Problem>>
  /** Must be called after a test has changed users or their groups without the service. */
  meetPeople(): Promise<void>
  close(): Promise<void>
}

/** A request. The default of each member is that of a list without parameters by an administrator. */
export interface LabRequest {
  readonly operation?: Operation
  readonly table: string
  readonly sysId?: string
  readonly parameters?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly ifMatch?: string
  readonly as?: Principal
}

/** @param watch wraps the database that the service uses */
export async function openLab(watch: (database: Database) => Database = (database) => database): Promise<Lab> {
  const fresh = await freshDatabase()
  await pinClock(fresh)
  const database = openDatabase({
    connectionString: fresh.connectionString,
    maxConnections: 6,
    statementTimeoutMs: 30_000,
  })
  await defineTables(database)
  await database.rows(FILL)
  const clock = settableClock()
  const deps = createRecordDeps({ database: watch(database), clock })
  let identityEpoch = await readIdentityEpoch(database)
  const options = await database.rows<{ name: string; id: string }>(
    sql`select name, sys_id::text as id from docket.sys_dynamic_option`,
  )
  return {
    database,
    deps,
    clock,
    options: new Map(options.map((option) => [option.name, option.id])),
    catalog: await deps.catalog.current(),
    call: (requested) =>
      respondAsText(deps, {
        operation: requested.operation ?? 'list',
        table: requested.table,
        sysId: requested.sysId ?? null,
        parameters: new Map(Object.entries(requested.parameters ?? {})),
        body: requested.body,
        principal: requested.as ?? principalOf(['admin']),
        identityEpoch,
        baseUrl: 'https://lab.example',
        ifMatch: requested.ifMatch ?? null,
      }),
    async meetPeople() {
      identityEpoch = await readIdentityEpoch(database)
    },
    async close() {
      await database.close()
      await fresh.drop()
    },
  }
}

async function readIdentityEpoch(database: Database): Promise<string> {
  const [epoch] = await database.rows<{ identity: string }>(sql`select identity::text from docket_system.epoch`)
  return epoch?.identity ?? ''
}

/** The principal of Anna with these roles. */
export function principalOf(roles: readonly string[], more: Partial<Principal> = {}): Principal {
  return {
    userId: ANNA,
    userName: 'anna',
    displayName: 'Анна',
    roles: new Set(roles),
    roleKey: roleKeyOf(roles),
    groupIds: GROUPS.slice(0, 2),
    language: 'en',
    timeZone: 'UTC',
    ...more,
  }
}

/** The records of a response; an error fails the test. */
export function recordsOf(response: Result<WholeResponse, Problem>): readonly Readonly<Record<string, unknown>>[] {
  if (!response.ok) throw new Error(`rejected: ${JSON.stringify(response.error)}`)
  return (JSON.parse(String(response.value.body)) as { data: Record<string, unknown>[] }).data
}

/** One row in the form of the dictionary: values by column name, the table's name as `class`. */
export interface LabRow {
  readonly class: string
  readonly values: Readonly<Record<string, unknown>>
}

/** Writes rows without the service: only the constraints of PostgreSQL apply. */
export async function insertRows(lab: Pick<Lab, 'database' | 'catalog'>, rows: readonly LabRow[]): Promise<void> {
  const { tables } = lab.catalog
  for (const [storage, group] of Map.groupBy(rows, (row) => tables.get(row.class)?.storage.table ?? row.class)) {
    const stored = group.map((row) => storedRow(row, tables))
    const names = [...new Set(stored.flatMap((row) => Object.keys(row)))]
    const columns = sql.join(names.map((name) => sql.id(name)))
    await lab.database.rows(sql`insert into ${sql.id('docket', storage)} (${columns})
      select ${columns} from jsonb_populate_recordset(null::${sql.id('docket', storage)}, ${JSON.stringify(stored)}::jsonb)`)
  }
}

function storedRow(row: LabRow, tables: Catalog['tables']): Record<string, unknown> {
  const table = tables.get(row.class)
  if (table === undefined) throw new Error(`there is no table ${row.class}`)
  const stored: Record<string, unknown> = {
    sys_db_table_id: table.id,
    sys_created_at: LAB_NOW,
    sys_updated_at: LAB_NOW,
  }
  for (const [name, value] of Object.entries(row.values)) {
    const storage = table.columns.get(name)?.storage
    if (storage == null) throw new Error(`${row.class} stores no ${name}`)
    stored[storage] = value
  }
  return stored
}

/** Empties the tables of the lab. */
export async function emptyLab(database: Database): Promise<void> {
  // Also tables of a law that refer to them.
  await database.rows(sql`truncate docket.lab, docket.lab_shelf, docket.lab_vault cascade`)
  await database.rows(sql`truncate docket.sys_journal_entry, docket_system.change, docket.sys_attachment`)
  await restartIds(database)
}

/** The next records and changes get the same numbers as in every other lab. */
export async function restartIds(database: Database): Promise<void> {
  await database.rows(sql`select setval('docket_system.sys_id_low', 5000000, false),
    setval('docket_system.change_position', 500000000000000000, false)`)
}

/** A rule in a test. Roles are names; without roles: everyone. */
export interface LabRule {
  readonly operation: 'create' | 'read' | 'write' | 'delete'
  readonly table: string
  readonly column?: string | null
  readonly roles?: readonly string[]
  readonly condition?: string
}

/** Adds these rules to the built-in ones. They replace the rules of an earlier call. */
export async function setRules(database: Database, rules: readonly LabRule[]): Promise<void> {
  const given = rules.map((rule, index) => ({
    sys_id: `9100000000000000${String(index).padStart(2, '0')}`,
    operation: rule.operation,
    table_name: rule.table,
    column_name: rule.column ?? null,
    roles: rule.roles ?? [],
    condition: rule.condition ?? null,
  }))
  await database.inTransaction(async (session) => {
    await session.rows(sql`delete from docket.sys_security_acl where description is null`)
    await session.rows(sql`
      insert into docket.sys_security_acl (sys_id, operation, table_name, column_name, roles, condition)
      select g.sys_id::bigint, g.operation, g.table_name, g.column_name,
             array(select coalesce(r.sys_id::text, '0') from jsonb_array_elements_text(g.roles) as n (name)
                   left join docket.sys_role r using (name)), g.condition
      from jsonb_to_recordset(${JSON.stringify(given)}::jsonb)
        as g (sys_id text, operation text, table_name text, column_name text, roles jsonb, condition text)`)
  })
}

async function pinClock(fresh: FreshDatabase): Promise<void> {
  const name = new URL(fresh.connectionString).pathname.slice(1)
  const session = openDatabase({
    connectionString: fresh.connectionString,
    maxConnections: 1,
    statementTimeoutMs: 5_000,
  })
  await session.rows(sql`alter database ${sql.id(name)} set docket.now = ${sql.lit(LAB_NOW)}`)
  await session.close()
}

function settableClock(): Clock & { set(utc: string): void } {
  let nowMs = Date.parse(`${LAB_NOW.replace(' ', 'T')}Z`)
  return {
    nowMs: () => nowMs,
    set(utc) {
      nowMs = Date.parse(`${utc.replace(' ', 'T')}Z`)
    },
  }
}

async function defineTables(database: Database): Promise<void> {
  for (const [name, { columns, parent, extendable, audit }] of Object.entries(LAB_TABLES)) {
    const options = JSON.stringify({
      ...(parent && { parent }),
      extendable: extendable ?? false,
      audit: audit ?? false,
    })
    await database.rows(sql`select docket_system.define_table(${name}, ${name}, ${name}, ${options}::jsonb)`)
    // Columns in a circle of references are added when the table to which they refer exists.
    for (const [column, [type, more]] of Object.entries(columns)) {
      if (name === 'lab_part' && column === 'whole') continue
      await defineColumn(database, name, column, type, more)
    }
  }
  await defineColumn(database, 'lab_part', 'whole', 'reference', { reference: 'lab_kit' })
  await database.rows(sql`select docket_system.define_choices('lab', 'mood', ${choicesOf('mood')}::jsonb)`)
  await database.rows(sql`select docket_system.define_choices('lab', 'rank', ${choicesOf('rank')}::jsonb)`)
  await database.rows(sql`select docket_system.define_choices('lab_part', 'grade', ${choicesOf('grade')}::jsonb)`)
}

async function defineColumn(
  database: Database,
  table: string,
  column: string,
  type: string,
  options: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  await database.rows(
    sql`select docket_system.define_column(${table}, ${column}, ${type}, ${column}, ${column}, ${JSON.stringify(options)}::jsonb)`,
  )
}

function choicesOf(column: string): string {
  return JSON.stringify((LAB_CHOICES[column] ?? []).map((value) => [value, `${value} (en)`, `${value} (ru)`]))
}

/** Users and groups to which references of the lab refer, and the roles of the tests' callers. */
const FILL = sql`
  with people as (insert into docket."user" (sys_id, user_name, display_name, manager, language, time_zone)
      values (${ANNA}::bigint, 'anna', 'Анна', null, 'en', 'UTC'),
             (${BORIS}::bigint, 'boris', 'Борис 50%', ${ANNA}::bigint, 'ru', 'Europe/Moscow'),
             (${USERS[2]}::bigint, 'nobody', null, ${BORIS}::bigint, 'en', 'UTC')),
    teams as (insert into docket.sys_group (sys_id, name, manager)
      values (${GROUPS[0]}::bigint, 'Support', ${ANNA}::bigint), (${GROUPS[1]}::bigint, 'Сеть', null),
             (${GROUPS[2]}::bigint, 'sales_EU', ${BORIS}::bigint))
  insert into docket.sys_role (name) values ('reader'), ('worker')`

/** How often a law is tested. `DOCKET_LAW_EFFORT=20 DOCKET_LAW_SEED=random` runs twenty times as many cases, for example before a release. */
export function runs(count: number): { readonly numRuns: number } {
  return { numRuns: Math.ceil(count * Number(process.env['DOCKET_LAW_EFFORT'] ?? '1')) }
}

/** Maximum number of steps to shrink a counterexample: each step is many requests, and more would not make it clearer. */
export const MAX_SHRINKS = 200
