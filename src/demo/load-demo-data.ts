import { LOCKS } from '../database/advisory-locks.ts'
import type { Session } from '../database/database.ts'
import { hashPassword } from '../identity/passwords.ts'
import { sql } from '../kernel/sql.ts'
import type { LoggedChange } from './change-log.ts'
import { type DemoIds, recordDemoIds } from './demo-record.ts'
import { demoUsers } from './demo-users.ts'
import { setDeskColumns } from './desk-columns.ts'
import { makeServiceDesk } from './make-service-desk.ts'
import type { Ground, Row } from './model.ts'
import type { Rows } from './people-rows.ts'

export interface DemoOptions {
  /** End of the desk's 90 days; milliseconds since 1970. */
  readonly nowMs: number
  /** Stores bytes durably before rows refer to them. Without it the desk has no files. */
  readonly keepFiles?: (files: readonly FileToKeep[]) => Promise<void>
}

export interface FileToKeep {
  readonly bytes: Buffer
  /** SHA-256 of the bytes. */
  readonly hash: Buffer
}

export type DemoReport =
  | { readonly outcome: 'loaded'; readonly rows: Readonly<Record<string, number>> }
  /** It has users or tasks: of a real desk, or of an earlier demo. They are not mixed. */
  | { readonly outcome: 'not-empty' }

/**
 * Fills an empty database with the demo desk; does nothing to any other. The caller's transaction makes it atomic.
 *
 * @throws Error of the database
 */
export async function fillWithDemoData(session: Session, { nowMs, keepFiles }: DemoOptions): Promise<DemoReport> {
  await session.rows(sql`select pg_advisory_xact_lock(${LOCKS.demoData})`)
  if (await isInUse(session)) return { outcome: 'not-empty' }
  const ground = await surveyGround(session, nowMs)
  const { rows, changes, files } = makeServiceDesk(ground, await hashPasswords(), keepFiles !== undefined)
  await keepFiles?.(files)
  const withoutHeads = (rows['department'] ?? []).map(({ head_id: _head, ...row }) => row)
  for (const [table, each] of Object.entries({ ...rows, department: withoutHeads }))
    await insertRows(session, table, each)
  await setHeads(session, rows['department'] ?? [])
  await dateDecisions(session, rows['sys_approval'] ?? [])
  await writeLog(session, changes)
  await recordDemoIds(session, idsOf(rows))
  await setDeskColumns(session)
  // The planner needs statistics from the first request on, before autovacuum runs.
  await session.rows(sql`analyze docket_system.change (position, record_id),
    ${sql.join(tablesWith(rows).map((table) => sql.ref(`docket.${table}`)))}`)
  return {
    outcome: 'loaded',
    rows: Object.fromEntries(tablesWith(rows).map((table) => [table, rows[table]?.length ?? 0])),
  }
}

const tablesWith = (rows: Rows): readonly string[] => Object.keys(rows).filter((table) => rows[table]?.length !== 0)

function idsOf(rows: Readonly<Record<string, readonly Row[]>>): DemoIds {
  return Object.fromEntries(
    Object.entries(rows).map(([table, each]) => [`docket.${table}`, each.map((row) => String(row['sys_id']))]),
  )
}

async function isInUse(session: Session): Promise<boolean> {
  const [found] = await session.rows<{ readonly isInUse: boolean }>(sql`
    select exists (select from docket."user" offset 1) or exists (select from docket.task) as "isInUse"`)
  return found?.isInUse === true
}

async function hashPasswords(): Promise<ReadonlyMap<string, string>> {
  return new Map(
    await Promise.all(
      demoUsers.map(async ({ userName, password }) => [userName, await hashPassword(password)] as const),
    ),
  )
}

/** Exceeds the number of the desk's records. */
const sysIdsReserved = 30_000

async function surveyGround(session: Session, nowMs: number): Promise<Ground> {
  const tables = await session.rows<Named>(sql`select name, sys_id as id from docket.sys_db_table`)
  const roles = await session.rows<Named>(sql`select name, sys_id as id from docket.sys_role`)
  const columns = await session.rows<Named>(sql`
    select t.name || '.' || c.column_name as name, c.sys_id as id
    from docket.sys_db_column c join docket.sys_db_table t on t.sys_id = c.table_id where c.column_name = 'title'`)
  const administrators = await session.rows<Named>(sql`
    select user_name as name, sys_id as id from docket."user" order by sys_created_at, sys_id limit 1`)
  // An administrator may have had another table of this name before Docket had one.
  const [departments] = await session.rows<{ readonly known: boolean }>(sql`
    select count(*) = 4 as known from docket.sys_db_column c join docket.sys_db_table t on t.sys_id = c.table_id
    where (t.name, c.column_name) in (('department', 'name'), ('department', 'head_id'), ('department', 'parent_id'), ('user', 'department_id'))
      and (t.storage_schema, t.storage_table) in (('docket', 'department'), ('docket', 'user'))`)
  // The low digits come from the sequence of all sys_ids, so they are unique.
  const lows = await session.rows<{ readonly low: string }>(sql`
    select lpad(nextval('docket_system.sys_id_low')::text, 8, '0') as low from generate_series(1, ${sysIdsReserved}::int)`)
  let used = 0
  return {
    nowMs,
    hasDepartments: departments?.known === true,
    newSysId(createdAtMs) {
      const low = lows[used++]?.low
      if (low === undefined) throw new Error(`the demo desk has more than ${sysIdsReserved} records`)
      return `${Math.floor(createdAtMs / 1_000)}${low}`
    },
    classId: finder('table', tables),
    roleId: finder('role', roles),
    columnId: (table, column) => finder('column', columns)(`${table}.${column}`),
    administratorId: finder('user', administrators)('admin'),
  }
}

interface Named {
  readonly name: string
  readonly id: string
}

function finder(kind: string, things: readonly Named[]): (name: string) => string {
  const ids = new Map(things.map(({ name, id }) => [name, id]))
  return (name) => {
    const id = ids.get(name)
    if (id === undefined) throw new Error(`the demo desk needs the ${kind} ${name}, which this database does not have`)
    return id
  }
}

/** All rows of a table in one statement. Rows may have different columns: missing ones are null. */
async function insertRows(session: Session, table: string, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const columns = sql.join(names.map((name) => sql.ref(name)))
  const json = JSON.stringify(rows)
  const source = sql`jsonb_populate_recordset(null::${sql.ref(`docket.${table}`)}, ${json}::jsonb)`
  if (table !== 'task') {
    await session.rows(sql`insert into ${sql.ref(`docket.${table}`)} (${columns}) select ${columns} from ${source}`)
    return
  }
  // Numbers come from the desk's own numbering, in the order of opening: later tickets of callers continue it.
  await session.rows(sql`
    insert into docket.task (number, ${columns})
    select docket_system.next_number(sys_db_table_id), ${columns}
    from (select * from ${source} order by opened_at, sys_id) as in_order`)
}

/** Heads of departments, who are in the database by now. */
async function setHeads(session: Session, departments: readonly Row[]): Promise<void> {
  if (departments.length === 0) return
  await session.rows(sql`
    update docket.department d set head_id = r.head_id
    from jsonb_populate_recordset(null::docket.department, ${JSON.stringify(departments)}::jsonb) as r where r.sys_id = d.sys_id`)
}

/** The database stamps a decision with the current time, so this sets the earlier times. */
async function dateDecisions(session: Session, approvals: readonly Row[]): Promise<void> {
  await session.rows(sql`
    update docket.sys_approval a set decided_at = d.decided_at
    from jsonb_populate_recordset(null::docket.sys_approval, ${JSON.stringify(approvals)}::jsonb) as d
    where d.sys_id = a.sys_id and a.decided_at is distinct from d.decided_at`)
}

/** Writes the change log as if these rows had been written one by one; webhooks begin after it. */
async function writeLog(session: Session, changes: readonly LoggedChange[]): Promise<void> {
  await session.rows(sql`
    insert into docket_system.change (operation, table_id, record_id, changed_at, changed_by, changes, audited)
    select c.operation, c.table_id, c.record_id, c.changed_at, c.changed_by, c.numbered, c.audited
    from (select r.*, r.changes || case when r.operation = 'c' and t.number is not null then jsonb_build_object('number', t.number) else '{}' end as numbered
          from rows from (json_to_recordset(${JSON.stringify(changes)}::json) as (operation "char", table_id bigint, record_id text,
              changed_at timestamp, changed_by bigint, changes jsonb, audited boolean)) with ordinality as r
          left join docket.task t on t.sys_id = r.record_id::bigint
          order by r.ordinality) as c`)
  await session.rows(sql`
    update docket_system.webhook set position = (select max(position) from docket_system.change)`)
}
