import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../../src/database/database.ts'
import type { Authenticated } from '../../../src/identity/authenticate.ts'
import { endAllSessions, logIn, logOut } from '../../../src/identity/log-in.ts'
import { hashPassword } from '../../../src/identity/passwords.ts'
import type { Problem } from '../../../src/kernel/problem.ts'
import type { Result } from '../../../src/kernel/result.ts'
import { sql } from '../../../src/kernel/sql.ts'
import { type FreshDatabase, freshDatabase } from '../../harness/fresh-database.ts'
import {
  addRole,
  addUser,
  asKey,
  asPair,
  giveRoles,
  home,
  identityEpoch,
  minuteMs,
  type Server,
  serverOn,
  sessionOf,
  testClock,
} from './people.ts'

let fresh: FreshDatabase
let database: Database
beforeAll(async () => {
  fresh = await freshDatabase()
  database = fresh.database
})
afterAll(() => fresh.drop())

const password = 'a good password'
const rejection = (reason: 'wrong' | 'expired') => ({ ok: false, error: { kind: 'unauthenticated', reason } })
const userOf = (result: Result<Authenticated, Problem>) => (result.ok ? result.value.principal.userName : result)

/** Like a record request: from the cache first, and again if the statement ran under another epoch. */
async function call(server: Server, key: string) {
  const first = await server.authenticator.authenticate(asKey(key), home)
  const epoch = await identityEpoch(database)
  if (!first.ok || first.value.identityEpoch === epoch) return first
  return server.authenticator.authenticate(asKey(key), home, epoch)
}

describe('a key of a login', () => {
  test('has 64 characters of A-Z a-z 0-9 - _, no two alike, and only its hash is stored', async () => {
    await addUser(database, 'format', password)
    const server = serverOn(database, testClock())
    const keys = await Promise.all(Array.from({ length: 20 }, () => sessionOf(server, 'format', password)))
    for (const key of keys) expect(key).toMatch(/^[A-Za-z0-9_-]{64}$/)
    expect(new Set(keys).size).toBe(20)
    const bits = keys.flatMap((key) => [...Buffer.from(key, 'base64url')])
    expect(new Set(bits).size).toBeGreaterThan(200)
    const stored = await database.rows<{ text: string }>(sql`select k::text as text from docket_system.access_key k`)
    for (const { text } of stored) for (const key of keys) expect(text).not.toContain(key)
  })

  test('lives as long as the property says, to the millisecond of the clock, and using it does not prolong it', async () => {
    await addUser(database, 'life', password)
    const clock = testClock('2031-05-05T10:00:00.250Z')
    const server = serverOn(database, clock)
    const session = await logIn(server, { userName: 'life', password, address: home })
    expect(session).toEqual({
      ok: true,
      value: { key: expect.stringMatching(/^.{64}$/), expiresAt: '2031-05-05 12:00:00' },
    })
    const key = session.ok ? session.value.key : ''
    clock.pass(60 * minuteMs)
    expect(userOf(await call(server, key))).toBe('life')
    clock.pass(60 * minuteMs - 251)
    expect(userOf(await call(server, key))).toBe('life')
    clock.pass(1)
    expect(await call(server, key)).toEqual(rejection('expired'))
    expect(await call(serverOn(database, clock), key)).toEqual(rejection('expired'))
  })

  test.each([
    ['5', '2031-05-05 10:05:00'],
    ['005', '2031-05-05 10:05:00'],
    ['0', '2031-05-05 12:00:00'],
    ['two hours', '2031-05-05 12:00:00'],
    ['99999999999', '2031-05-05 12:00:00'],
  ])('lives for auth.token.life_minutes = %s until %s', async (value, expiresAt) => {
    await addUser(database, `life.${value}`, password)
    await database.rows(sql`update docket.sys_property set value = ${value} where name = 'auth.token.life_minutes'`)
    const session = await logIn(serverOn(database, testClock()), { userName: `life.${value}`, password, address: home })
    await database.rows(sql`update docket.sys_property set value = '120' where name = 'auth.token.life_minutes'`)
    expect(session.ok && session.value.expiresAt).toBe(expiresAt)
  })

  test('that was never given is rejected, whatever it looks like', async () => {
    const server = serverOn(database, testClock())
    for (const key of ['', 'short', 'x'.repeat(64), `${'x'.repeat(63)}é`, 'x'.repeat(100_000), '\0'])
      expect(await server.authenticator.authenticate(asKey(key), home)).toEqual(rejection('wrong'))
  })

  test('tells by what its holder is known', async () => {
    const userId = await addUser(database, 'means', password)
    const clock = testClock()
    const server = serverOn(database, clock)
    const result = await call(server, await sessionOf(server, 'means', password))
    expect(result).toEqual({
      ok: true,
      value: {
        principal: {
          userId,
          userName: 'means',
          displayName: 'means',
          roles: new Set(),
          roleKey: '[]',
          groupIds: [],
          language: 'en',
          timeZone: 'UTC',
          companyId: null,
        },
        identityEpoch: await identityEpoch(database),
        means: {
          kind: 'session',
          keyId: expect.stringMatching(/^\d{18}$/),
          expiresAtMs: Date.parse('2031-05-05T12:00:00Z'),
          hasRoleSubset: false,
          isNarrowed: false,
          isOfClient: false,
        },
      },
    })
  })
})

describe('lesson: reset, logout or suspension left tokens alive', () => {
  const endings: readonly (readonly [
    string,
    'wrong' | 'expired',
    (userId: string, userName: string) => Promise<unknown>,
  ])[] = [
    [
      'a new password',
      'expired',
      async (userId) =>
        database.rows(
          sql`update docket."user" set password = ${await hashPassword('another one')} where sys_id = ${userId}::bigint`,
        ),
    ],
    [
      'suspension',
      'wrong',
      async (userId) => database.rows(sql`update docket."user" set active = false where sys_id = ${userId}::bigint`),
    ],
    [
      'suspension that was taken back',
      'expired',
      async (userId) => {
        await database.rows(sql`update docket."user" set active = false where sys_id = ${userId}::bigint`)
        await database.rows(sql`update docket."user" set active = true where sys_id = ${userId}::bigint`)
      },
    ],
    [
      'removal of the user',
      'wrong',
      async (userId) => database.rows(sql`delete from docket."user" where sys_id = ${userId}::bigint`),
    ],
    ['ending all sessions', 'expired', async (userId) => endAllSessions(database, userId)],
    [
      'removal of the keys by hand',
      'wrong',
      async (userId) => database.rows(sql`delete from docket_system.access_key where user_id = ${userId}::bigint`),
    ],
  ]

  test.each(endings)(
    '%s ends every key of the user in every process, and of nobody else',
    async (name, reason, end) => {
      const userId = await addUser(database, `ends ${name}`, password)
      await addUser(database, `stays ${name}`, password)
      const clock = testClock()
      const servers = [serverOn(fresh.database, clock), serverOn(fresh.database, clock)] as const
      const keys = [
        await sessionOf(servers[0], `ends ${name}`, password),
        await sessionOf(servers[1], `ends ${name}`, password),
      ]
      const others = await sessionOf(servers[0], `stays ${name}`, password)
      for (const server of servers) for (const key of keys) expect(userOf(await call(server, key))).toBe(`ends ${name}`)

      await end(userId, `ends ${name}`)

      for (const server of servers) {
        for (const key of keys) {
          expect(await call(server, key)).toEqual(rejection(reason))
          expect(await server.authenticator.authenticateNow(asKey(key), home)).toEqual(rejection(reason))
        }
        expect(userOf(await call(server, others))).toBe(`stays ${name}`)
      }
    },
  )

  test('logout ends the key that was shown, in every process, and no other', async () => {
    await addUser(database, 'logout', password)
    const clock = testClock()
    const here = serverOn(database, clock)
    const there = serverOn(database, clock)
    const [gone, kept] = [await sessionOf(here, 'logout', password), await sessionOf(here, 'logout', password)]
    for (const key of [gone, kept]) expect(userOf(await call(there, key))).toBe('logout')
    const caller = await call(here, gone)
    expect(caller.ok && (await logOut(here, caller.value))).toEqual({ ok: true, value: undefined })
    for (const server of [here, there]) {
      expect(await call(server, gone)).toEqual(rejection('expired'))
      expect(userOf(await call(server, kept))).toBe('logout')
    }
  })

  test('a password has nothing to log out', async () => {
    await addUser(database, 'logout.basic', password)
    const server = serverOn(database, testClock())
    const caller = await server.authenticator.authenticate(asPair('logout.basic', password), home)
    expect(caller.ok && (await logOut(server, caller.value))).toEqual({
      ok: false,
      error: { kind: 'conflict', detail: expect.stringContaining('logged out') },
    })
  })

  test('a password that changes while it is looked at opens nothing that outlives the change', async () => {
    const userId = await addUser(database, 'race', password)
    const server = serverOn(database, testClock())
    const deps = {
      ...server,
      async checkLogin(claim: Parameters<typeof server.checkLogin>[0]) {
        const verified = await server.checkLogin(claim)
        await database.rows(
          sql`update docket."user" set password = ${await hashPassword('another one')} where sys_id = ${userId}::bigint`,
        )
        return verified
      },
    }
    const session = await logIn(deps, { userName: 'race', password, address: home })
    expect(session.ok && (await call(server, session.value.key))).toEqual(rejection('expired'))
  })
})

describe('what a process remembers of a key', () => {
  test('works without a query to the database, until its epoch is over', async () => {
    const userId = await addUser(database, 'cache', password)
    await addRole(database, 'cache_role')
    const server = serverOn(database, testClock())
    const key = await sessionOf(server, 'cache', password)
    await call(server, key)
    // The time of last use is written after the response; until then, each use of the key would write it again.
    await expect
      .poll(() =>
        database.rows(
          sql`select from docket_system.access_key where user_id = ${userId}::bigint and last_used_at is not null`,
        ),
      )
      .toHaveLength(1)
    server.statements()
    for (let n = 0; n < 20; n++) await server.authenticator.authenticate(asKey(key), home)
    expect(server.statements()).toBe(0)

    const before = await server.authenticator.authenticate(asKey(key), home)
    await giveRoles(database, userId, ['cache_role'])
    expect(await server.authenticator.authenticate(asKey(key), home)).toEqual(before)
    const after = await server.authenticator.authenticate(asKey(key), home, await identityEpoch(database))
    expect(after.ok && after.value.principal.roles).toEqual(new Set(['cache_role']))
    expect(server.statements()).toBe(1)
    expect(await server.authenticator.authenticate(asKey(key), home)).toEqual(after)
    expect(server.statements()).toBe(0)
    server.authenticator.forget()
    expect(await server.authenticator.authenticate(asKey(key), home)).toEqual(after)
    expect(server.statements()).toBe(1)
  })

  test('is never used by a route that asks for now', async () => {
    const userId = await addUser(database, 'now', password)
    await addRole(database, 'now_role')
    const server = serverOn(database, testClock())
    const key = await sessionOf(server, 'now', password)
    await server.authenticator.authenticateNow(asKey(key), home)
    server.statements()
    await server.authenticator.authenticateNow(asKey(key), home)
    expect(server.statements()).toBe(1)
    await giveRoles(database, userId, ['now_role'])
    const now = await server.authenticator.authenticateNow(asKey(key), home)
    expect(now.ok && now.value.principal.roles).toEqual(new Set(['now_role']))
  })

  test('that it was used is written every ten minutes at most, and ends nothing that others remember', async () => {
    const userId = await addUser(database, 'used', password)
    const clock = testClock('2031-05-05T10:00:00.000Z')
    const server = serverOn(database, clock)
    const key = await sessionOf(server, 'used', password)
    const lastUsed = async () => {
      const [row] = await database.rows<{ at: string }>(
        sql`select to_char(last_used_at, 'HH24:MI') as at from docket_system.access_key where user_id = ${userId}::bigint`,
      )
      return row?.at
    }
    const epoch = await identityEpoch(database)
    await call(server, key)
    await expect.poll(lastUsed).toBe('10:00')
    server.statements()
    clock.pass(10 * minuteMs - 1)
    await server.authenticator.authenticate(asKey(key), home)
    expect(server.statements()).toBe(0)
    clock.pass(1)
    await server.authenticator.authenticate(asKey(key), home)
    expect(server.statements()).toBe(1)
    await expect.poll(lastUsed).toBe('10:10')
    expect(await identityEpoch(database)).toBe(epoch)
  })
})

test('sessions long over are cleared away by later logins, and that ends nothing that others remember', async () => {
  const own = await freshDatabase()
  try {
    await addUser(own.database, 'cleared', password)
    const clock = testClock('2019-01-01T00:00:00.000Z')
    const server = serverOn(own.database, clock)
    for (let n = 0; n < 5; n++) await sessionOf(server, 'cleared', password)
    clock.pass(26 * 60 * minuteMs + 1)
    const epoch = await identityEpoch(own.database)
    await sessionOf(server, 'cleared', password)
    expect(await identityEpoch(own.database)).toBe(epoch)
    expect(await own.database.rows(sql`select count(*)::integer as keys from docket_system.access_key`)).toEqual([
      { keys: 1 },
    ])
  } finally {
    await own.drop()
  }
})
