import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../../src/database/database.ts'
import { logIn } from '../../../src/identity/log-in.ts'
import { hashPassword } from '../../../src/identity/passwords.ts'
import { sql } from '../../../src/kernel/sql.ts'
import { type FreshDatabase, freshDatabase } from '../../harness/fresh-database.ts'
import { addRole, addUser, asPair, giveRoles, home, identityEpoch, minuteMs, serverOn, testClock } from './people.ts'

let fresh: FreshDatabase
let database: Database
beforeAll(async () => {
  fresh = await freshDatabase()
  database = fresh.database
})
afterAll(() => fresh.drop())

const password = 'a good: пароль'
const wrong = { ok: false, error: { kind: 'unauthenticated', reason: 'wrong' } }
const setPassword = async (userId: string, text: string) =>
  database.rows(sql`update docket."user" set password = ${await hashPassword(text)} where sys_id = ${userId}::bigint`)

describe('the response to a wrong password', () => {
  test('is the same for a wrong password, an unknown, a passwordless and a suspended user', async () => {
    await addUser(database, 'same.known', password)
    await addUser(database, 'same.passwordless', null)
    const suspended = await addUser(database, 'same.suspended', password)
    await database.rows(sql`update docket."user" set active = false where sys_id = ${suspended}::bigint`)
    const server = serverOn(database, testClock())
    const claims = [
      ['same.known', 'a wrong password'],
      ['same.unknown', password],
      ['same.passwordless', ''],
      ['same.passwordless', password],
      ['same.suspended', password],
      ['', ''],
      ['\0', password],
      [`same.known\0`, password],
      ['x'.repeat(100_000), password],
      ['same.known', 'x'.repeat(100_000)],
    ] as const
    const statements = new Set<number>()
    for (const [n, [userName, text]] of claims.entries()) {
      const address = `192.0.2.${100 + n}`
      server.statements()
      expect(await logIn(server, { userName, password: text, address })).toEqual(wrong)
      statements.add(server.statements())
      expect(await server.authenticator.authenticate(asPair(userName, text), address)).toEqual(wrong)
    }
    // Equal work for both: the claim is looked up, and the failure counted.
    expect(statements).toEqual(new Set([2]))
  })
})

describe('a user name and a password', () => {
  test('let in without case of the name, in any script', async () => {
    await addUser(database, 'Пётр.Ёлкин', password)
    const server = serverOn(database, testClock())
    for (const name of ['Пётр.Ёлкин', 'пётр.ёлкин', 'ПЁТР.ЁЛКИН']) {
      const caller = await server.authenticator.authenticate(asPair(name, password), home)
      expect(caller.ok && [caller.value.principal.userName, caller.value.means]).toEqual([
        'Пётр.Ёлкин',
        { kind: 'password' },
      ])
    }
  })

  test('are read once a minute and served from memory in between', async () => {
    await addUser(database, 'memory', password)
    const clock = testClock()
    const server = serverOn(database, clock)
    const call = () => server.authenticator.authenticate(asPair('memory', password), home)
    const first = await call()
    expect(first.ok).toBe(true)
    server.statements()
    for (let n = 0; n < 20; n++) expect(await call()).toEqual(first)
    clock.pass(minuteMs - 1)
    expect(await call()).toEqual(first)
    expect(server.statements()).toBe(0)
    clock.pass(1)
    expect(await call()).toEqual(first)
    // the claim, and the principal
    expect(server.statements()).toBe(2)
  })

  test('that come sixteen times at once are looked at once', async () => {
    await addUser(database, 'burst', password)
    const server = serverOn(database, testClock())
    const right = await Promise.all(
      Array.from({ length: 16 }, () => server.authenticator.authenticate(asPair('burst', password), home)),
    )
    expect(right.every((caller) => caller.ok)).toBe(true)
    const wrongOnes = await Promise.all(
      Array.from({ length: 16 }, () => server.authenticator.authenticate(asPair('burst', 'a wrong one'), home)),
    )
    expect(new Set(wrongOnes.map((caller) => JSON.stringify(caller)))).toEqual(new Set([JSON.stringify(wrong)]))
    const counted = await database.rows(sql`
      select f.scope, f.failures from docket_system.login_marks('burst', ${home}) m
      join docket_system.failed_login f using (scope, mark) where scope <> 'address' order by scope`)
    expect(counted).toEqual([
      { scope: 'name', failures: 1 },
      { scope: 'pair', failures: 1 },
    ])
  })

  test('that were remembered are dropped when the password, the name or the user changes, in every process', async () => {
    const changes: readonly ((userId: string) => Promise<unknown>)[] = [
      (userId) => setPassword(userId, 'another password'),
      (userId) => database.rows(sql`update docket."user" set user_name = 'renamed' where sys_id = ${userId}::bigint`),
      (userId) => database.rows(sql`update docket."user" set active = false where sys_id = ${userId}::bigint`),
      (userId) => database.rows(sql`delete from docket."user" where sys_id = ${userId}::bigint`),
    ]
    for (const [n, change] of changes.entries()) {
      const userName = `dropped.${n}`
      const userId = await addUser(database, userName, password)
      const clock = testClock()
      const servers = [serverOn(database, clock), serverOn(database, clock)]
      for (const server of servers)
        expect((await server.authenticator.authenticate(asPair(userName, password), home)).ok).toBe(true)
      await change(userId)
      const epoch = await identityEpoch(database)
      for (const server of servers) {
        expect(await server.authenticator.authenticate(asPair(userName, password), home, epoch)).toEqual(wrong)
        expect(await server.authenticator.authenticateNow(asPair(userName, password), home)).toEqual(wrong)
      }
    }
  })

  test('stay verified when only a role changes: the roles are read again, the password is not hashed again', async () => {
    const userId = await addUser(database, 'role.change', password)
    await addRole(database, 'changed_role')
    const server = serverOn(database, testClock())
    await server.authenticator.authenticate(asPair('role.change', password), home)
    await giveRoles(database, userId, ['changed_role'])
    server.statements()
    const caller = await server.authenticator.authenticate(
      asPair('role.change', password),
      home,
      await identityEpoch(database),
    )
    expect(caller.ok && caller.value.principal.roles).toEqual(new Set(['changed_role']))
    expect(server.statements()).toBe(1)
  })
})
