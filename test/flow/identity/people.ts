import type { Database } from '../../../src/database/database.ts'
import { type Authenticator, authenticator } from '../../../src/identity/authenticate.ts'
import { type CheckLogin, loginCheck } from '../../../src/identity/check-login.ts'
import { logIn } from '../../../src/identity/log-in.ts'
import { hashPassword } from '../../../src/identity/passwords.ts'
import type { Credentials } from '../../../src/identity/read-credentials.ts'
import type { Clock } from '../../../src/kernel/clock.ts'
import { sql } from '../../../src/kernel/sql.ts'

/** A clock that moves only on request. */
export interface TestClock extends Clock {
  pass(ms: number): void
}

export const minuteMs = 60_000

export function testClock(startsAt = '2031-05-05T10:00:00.250Z'): TestClock {
  let nowMs = Date.parse(startsAt)
  return {
    nowMs: () => nowMs,
    pass(ms) {
      nowMs += ms
    },
  }
}

/** The identity module of one server process: its own caches, the shared database. */
export interface Server {
  readonly database: Database
  readonly clock: TestClock
  readonly checkLogin: CheckLogin
  readonly authenticator: Authenticator
  /** Delays of logins in milliseconds, one number for each. */
  readonly pauses: readonly number[]
  /** Statements sent since the last call. */
  statements(): number
}

export function serverOn(shared: Database, clock: TestClock): Server {
  let sent = 0
  const database: Database = {
    ...shared,
    rows(query) {
      sent++
      return shared.rows(query)
    },
    run(statement, values) {
      sent++
      return shared.run(statement, values)
    },
  }
  const pauses: number[] = []
  const checkLogin = loginCheck({
    database,
    clock,
    async pause(ms) {
      pauses.push(ms)
    },
  })
  return {
    database,
    clock,
    checkLogin,
    authenticator: authenticator({ database, clock, checkLogin }),
    pauses,
    statements() {
      const counted = sent
      sent = 0
      return counted
    },
  }
}

export const home = '192.0.2.1'

export const asKey = (key: string): Credentials => ({ kind: 'key', key })
export const asPair = (userName: string, password: string): Credentials => ({ kind: 'password', userName, password })

export async function sessionOf(server: Server, userName: string, password: string): Promise<string> {
  const session = await logIn(server, { userName, password, address: home })
  if (!session.ok) throw new Error(JSON.stringify(session.error))
  return session.value.key
}

/** @returns sys_id */
export async function addUser(database: Database, userName: string, password: string | null): Promise<string> {
  const stored = password === null ? null : await hashPassword(password)
  return onlyId(
    database,
    sql`insert into docket."user" (user_name, display_name, password) values (${userName}, ${userName}, ${stored}) returning sys_id`,
  )
}

export async function addRole(database: Database, name: string, contains: readonly string[] = []): Promise<string> {
  const id = await onlyId(database, sql`insert into docket.sys_role (name) values (${name}) returning sys_id`)
  for (const contained of contains) await putRoleIn(database, contained, name)
  return id
}

export async function putRoleIn(database: Database, contained: string, runAs: string): Promise<void> {
  await database.rows(sql`
    insert into docket.sys_role_contains (role_id, contained_role_id)
    select a.sys_id, b.sys_id from docket.sys_role a, docket.sys_role b where a.name = ${runAs} and b.name = ${contained}`)
}

export async function addGroup(database: Database, name: string, roles: readonly string[] = []): Promise<string> {
  const id = await onlyId(database, sql`insert into docket.sys_group (name) values (${name}) returning sys_id`)
  await database.rows(sql`
    insert into docket.sys_group_has_role (group_id, role_id)
    select ${id}::bigint, sys_id from docket.sys_role where name = any (${roles})`)
  return id
}

export async function join(database: Database, userId: string, groupId: string): Promise<void> {
  await database.rows(
    sql`insert into docket.sys_user_group (user_id, group_id) values (${userId}::bigint, ${groupId}::bigint)`,
  )
}

export async function giveRoles(database: Database, userId: string, roles: readonly string[]): Promise<void> {
  await database.rows(sql`
    insert into docket.sys_user_has_role (user_id, role_id)
    select ${userId}::bigint, sys_id from docket.sys_role where name = any (${roles})`)
}

export async function identityEpoch(database: Database): Promise<string> {
  const [row] = await database.rows<{ identity: string }>(sql`select identity from docket_system.epoch`)
  if (row === undefined) throw new Error('there is no epoch')
  return row.identity
}

async function onlyId(database: Database, insert: ReturnType<typeof sql>): Promise<string> {
  const [row] = (await database.rows(insert)) as readonly { readonly sys_id: string }[]
  if (row === undefined) throw new Error('nothing was inserted')
  return row.sys_id
}
