import { hash } from '@node-rs/argon2'
import { sql } from 'kysely'
import type { Database, Session } from '../database/database.ts'
import { demoUsers } from './demo-users.ts'
import { makeServiceDesk } from './make-service-desk.ts'
import type { Ground, Row } from './model.ts'

export interface DemoOptions {
  /** The desk's last 90 days end here; milliseconds since 1970. */
  readonly nowMs: number
}

export type DemoReport =
  | { readonly outcome: 'loaded'; readonly rows: Readonly<Record<string, number>> }
  /** An earlier start has done it. */
  | { readonly outcome: 'already-loaded' }
  /** Somebody works in this database; their desk is not mixed with ours. */
  | { readonly outcome: 'not-empty' }

/** Its value is the time of the load, UTC. Removing it does not load again into a database that has users. */
const markProperty = 'demo.loaded_at'
/** Two processes that start at once must not both load; a number of ours, no other lock uses it. */
const loadLock = 7_236_401_260

/**
 * Loads the demo desk once, whole or not at all. A second call, also at the same time by another process, finds it loaded.
 *
 * @throws Error of the database; nothing is loaded then
 */
export async function loadDemoData(database: Database, { nowMs }: DemoOptions): Promise<DemoReport> {
  const standing = await whatStands(database)
  if (standing !== 'empty') return { outcome: standing }
  // Before the transaction: hashing is slow on purpose, and locks should be short.
  const passwordHashes = await hashPasswords()
  return database.inTransaction(async (session) => {
    await session.rows(sql`select pg_advisory_xact_lock(${loadLock})`)
    const stands = await whatStands(session)
    if (stands !== 'empty') return { outcome: stands }

    const ground = await surveyGround(session, nowMs)
    const desk = makeServiceDesk(ground, passwordHashes)
    const counts: [table: string, rows: number][] = []
    for (const [table, rows] of Object.entries(desk)) {
      await insertRows(session, table, rows)
      counts.push([table, rows.length])
    }
    await session.rows(sql`
      insert into docket.sys_property (name, value, description)
      values (${markProperty}, docket_system.now_utc()::text, 'When the demo desk was loaded.')`)
    // The planner should know the desk from the first request on, not from the next visit of autovacuum.
    await session.rows(sql`analyze ${sql.join(Object.keys(desk).map((table) => sql.table(`docket.${table}`)))}`)
    return { outcome: 'loaded', rows: Object.fromEntries(counts) }
  })
}

async function whatStands(session: Session): Promise<'empty' | 'already-loaded' | 'not-empty'> {
  const [found] = await session.rows<{ readonly isMarked: boolean; readonly isUsed: boolean }>(sql`
    select exists (select from docket.sys_property where name = ${markProperty}) as "isMarked",
           exists (select from docket."user" offset 1) or exists (select from docket.task) as "isUsed"`)
  if (found?.isMarked === true) return 'already-loaded'
  return found?.isUsed === true ? 'not-empty' : 'empty'
}

/** argon2id with the library's settings (19 MiB, two passes). */
async function hashPasswords(): Promise<ReadonlyMap<string, string>> {
  return new Map(
    await Promise.all(demoUsers.map(async ({ userName, password }) => [userName, await hash(password)] as const)),
  )
}

/** More than a desk has records. */
const sysIdsReserved = 80_000

async function surveyGround(session: Session, nowMs: number): Promise<Ground> {
  const tables = await session.rows<Named>(sql`select name, sys_id as id from docket.sys_db_table`)
  const roles = await session.rows<Named>(sql`select name, sys_id as id from docket.sys_role`)
  const administrators = await session.rows<Named>(sql`
    select user_name as name, sys_id as id from docket."user" order by sys_created_at, sys_id limit 1`)
  // The low digits come from the sequence that all sys_ids come from, so none is given twice.
  const lows = await session.rows<{ readonly low: string }>(sql`
    select lpad(nextval('docket_system.sys_id_low')::text, 8, '0') as low from generate_series(1, ${sysIdsReserved}::int)`)
  let used = 0
  return {
    nowMs,
    newSysId(createdAtMs) {
      const low = lows[used++]?.low
      if (low === undefined) throw new Error(`the demo desk has more than ${sysIdsReserved} records`)
      return `${Math.floor(createdAtMs / 1_000)}${low}`
    },
    classId: finder('table', tables),
    roleId: finder('role', roles),
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

/** All rows of a table in one statement. Rows may have different columns: what one lacks is null. */
async function insertRows(session: Session, table: string, rows: readonly Row[]): Promise<void> {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const columns = sql.join(names.map((name) => sql.ref(name)))
  const json = JSON.stringify(rows)
  const source = sql`jsonb_populate_recordset(null::${sql.table(`docket.${table}`)}, ${json}::jsonb)`
  if (table !== 'task') {
    await session.rows(sql`insert into ${sql.table(`docket.${table}`)} (${columns}) select ${columns} from ${source}`)
    return
  }
  // Numbers come from the desk's own numbering, in the order of opening: what callers create next goes on from there.
  await session.rows(sql`
    insert into docket.task (number, ${columns})
    select docket_system.next_number(sys_db_table_id), ${columns}
    from (select * from ${source} order by opened_at, sys_id) as in_order`)
}
