import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '../../../src/database/database.ts'
import { administratorId } from '../../../src/identity/administrator.ts'
import { findApiKeys } from '../../../src/identity/api-keys.ts'
import type { Authenticated } from '../../../src/identity/authenticate.ts'
import {
  type ApiKeyRequest,
  listKeysForCaller,
  makeKeyForCaller,
  revokeKeyForCaller,
} from '../../../src/identity/keys-of-caller.ts'
import { loadPrincipal } from '../../../src/identity/load-principal.ts'
import { endAllSessions } from '../../../src/identity/log-in.ts'
import { sql } from '../../../src/kernel/sql.ts'
import { type FreshDatabase, freshDatabase } from '../../harness/fresh-database.ts'
import { addRole, addUser, asKey, giveRoles, home, type Server, serverOn, type TestClock, testClock } from './people.ts'

let fresh: FreshDatabase
let database: Database
let anna: string
let boris: string
let clock: TestClock
let server: Server
beforeAll(async () => {
  fresh = await freshDatabase()
  database = fresh.database
  await addRole(database, 'reader')
  await addRole(database, 'editor', ['reader'])
  await addRole(database, 'printer')
  anna = await addUser(database, 'anna', 'a good password')
  boris = await addUser(database, 'boris', 'a good password')
  await giveRoles(database, anna, ['editor', 'printer'])
})
afterAll(() => fresh.drop())
beforeEach(async () => {
  await database.rows(sql`delete from docket_system.access_key`)
  clock = testClock()
  server = serverOn(database, clock)
})

const dayMs = 86_400_000
const inDays = (days: number) => clock.nowMs() + days * dayMs

async function byPassword(userId: string): Promise<Authenticated> {
  const loaded = await loadPrincipal(database, userId)
  if (loaded === undefined) throw new Error('no such user')
  return { principal: loaded.principal, identityEpoch: loaded.identityEpoch, means: { kind: 'password' } }
}

const requested = (changes: Partial<ApiKeyRequest> = {}): ApiKeyRequest => ({
  userId: null,
  name: 'reports',
  expiresAtMs: inDays(90),
  roles: null,
  ...changes,
})

async function madeBy(caller: Authenticated, changes: Partial<ApiKeyRequest> = {}) {
  const made = await makeKeyForCaller(server, caller, requested(changes))
  if (!made.ok) throw new Error(JSON.stringify(made.error))
  return made.value
}

async function callerOfKey(key: string): Promise<Authenticated> {
  const caller = await server.authenticator.authenticateNow(asKey(key), home)
  if (!caller.ok) throw new Error(JSON.stringify(caller.error))
  return caller.value
}

const rejected = (reason: 'wrong' | 'expired') => ({ ok: false, error: { kind: 'unauthenticated', reason } })
const invalid = (field: string) => ({
  ok: false,
  error: { kind: 'invalid-value', field, detail: expect.stringMatching(/\w/) },
})

describe('a new API key', () => {
  test('is shown once, with what it is; the list has everything but the key', async () => {
    const made = await madeBy(await byPassword(anna))
    const { key, ...rest } = made
    expect(key).toMatch(/^[A-Za-z0-9_-]{64}$/)
    expect(rest).toEqual({
      id: expect.stringMatching(/^\d{18}$/),
      userId: anna,
      userName: 'anna',
      name: 'reports',
      roles: null,
      createdAt: '2031-05-05 10:00:00',
      expiresAt: '2031-08-03 10:00:00',
      lastUsedAt: null,
      state: 'valid',
    })
    expect(await listKeysForCaller(server, await byPassword(anna), null)).toEqual({ ok: true, value: [rest] })
  })

  test('lets its user in with all roles, until it ends', async () => {
    const { key } = await madeBy(await byPassword(anna))
    expect((await callerOfKey(key)).principal.roles).toEqual(new Set(['editor', 'reader', 'printer']))
    clock.pass(90 * dayMs - 251)
    expect((await server.authenticator.authenticate(asKey(key), home)).ok).toBe(true)
    clock.pass(1)
    expect(await server.authenticator.authenticate(asKey(key), home)).toEqual(rejected('expired'))
    expect((await findApiKeys(server)).map(({ state }) => state)).toEqual(['expired'])
  })

  test('with a subset of roles lets in with these and those inside them', async () => {
    const { key } = await madeBy(await byPassword(anna), { roles: ['editor', 'editor'] })
    const runAs = await callerOfKey(key)
    expect(runAs.principal.roles).toEqual(new Set(['editor', 'reader']))
    expect(runAs.principal.roleKey).toBe('["editor","reader"]')
    expect(runAs.means).toMatchObject({ kind: 'api_key', isNarrowed: true })
  })

  test('gives a role no longer than the user has it', async () => {
    const { key } = await madeBy(await byPassword(anna), { roles: ['printer'] })
    const before = await callerOfKey(key)
    await database.rows(sql`
      delete from docket.sys_user_has_role h using docket.sys_role r
      where r.sys_id = h.role_id and r.name = 'printer' and h.user_id = ${anna}::bigint`)
    const after = await callerOfKey(key)
    await giveRoles(database, anna, ['printer'])
    expect([before.principal.roles, after.principal.roles]).toEqual([new Set(['printer']), new Set()])
  })

  test.each<[string, string, () => Partial<ApiKeyRequest>]>([
    ['without a name', 'name', () => ({ name: ' ' })],
    ['with a name of 101 characters', 'name', () => ({ name: 'x'.repeat(101) })],
    ['with a zero character in its name', 'name', () => ({ name: 'a\0b' })],
    ['that ended already', 'life', () => ({ expiresAtMs: inDays(-1) })],
    ['that ends never', 'life', () => ({ expiresAtMs: Number.POSITIVE_INFINITY })],
    ['that ends at no time', 'life', () => ({ expiresAtMs: Number.NaN })],
    ['that lives longer than five years', 'life', () => ({ expiresAtMs: inDays(5 * 365 + 1) })],
    ['with an empty list of roles', 'roles', () => ({ roles: [] })],
    ['with a role that the user lacks', 'roles', () => ({ roles: ['editor', 'admin'] })],
    ['with a role that is not there', 'roles', () => ({ roles: ['wizard'] })],
  ])('%s is rejected, and the field is named', async (_, field, changes) => {
    expect(await makeKeyForCaller(server, await byPassword(anna), requested(changes()))).toEqual(invalid(field))
    expect(await findApiKeys(server)).toEqual([])
  })

  test('is rejected when the user has a hundred that are valid', async () => {
    const caller = await byPassword(anna)
    const first = await madeBy(caller)
    for (let n = 1; n < 100; n++) await madeBy(caller)
    expect(await makeKeyForCaller(server, caller, requested())).toEqual({
      ok: false,
      error: { kind: 'conflict', detail: 'The user has 100 API keys already: revoke one first.' },
    })
    await revokeKeyForCaller(server, caller, first.id)
    expect((await makeKeyForCaller(server, caller, requested())).ok).toBe(true)
    // As a change of the password does.
    await database.rows(sql`select docket_system.raise_generation(${anna}::bigint)`)
    expect((await makeKeyForCaller(server, caller, requested())).ok).toBe(true)
  })

  test.each(['abc', '', '1.5', '99999999999999999999'])('for the user "%s" is not found', async (userId) => {
    const administrator = await byPassword(administratorId)
    expect(await makeKeyForCaller(server, administrator, requested({ userId }))).toEqual({
      ok: false,
      error: { kind: 'thing-not-found', thing: 'active user', name: userId },
    })
  })
})

describe('who makes, sees and revokes keys', () => {
  test('a user makes none for others, and does not see or revoke theirs', async () => {
    const caller = await byPassword(boris)
    const { id, key } = await madeBy(await byPassword(anna))
    const needed = {
      ok: false,
      error: { kind: 'role-needed', roles: ['admin'], to: expect.stringContaining('other users') },
    }
    expect(await makeKeyForCaller(server, caller, requested({ userId: anna }))).toEqual(needed)
    expect(await listKeysForCaller(server, caller, anna)).toEqual(needed)
    expect(await listKeysForCaller(server, caller, '*')).toEqual(needed)
    expect(await listKeysForCaller(server, caller, null)).toEqual({ ok: true, value: [] })
    expect(await revokeKeyForCaller(server, caller, id)).toEqual({
      ok: false,
      error: { kind: 'thing-not-found', thing: 'API key', name: id },
    })
    expect((await callerOfKey(key)).principal.userId).toBe(anna)
  })

  test('an administrator does all of it, and the key is the user’s', async () => {
    const admin = await byPassword(administratorId)
    const { id, key } = await madeBy(admin, { userId: anna, roles: ['printer'] })
    expect((await callerOfKey(key)).principal).toMatchObject({ userId: anna, roles: new Set(['printer']) })
    // The time of last use is written after the response.
    await expect
      .poll(() =>
        database.rows(
          sql`select from docket_system.access_key where sys_id = ${id}::bigint and last_used_at is not null`,
        ),
      )
      .toHaveLength(1)
    const listed = await listKeysForCaller(server, admin, anna)
    expect(listed.ok && listed.value.map((listedKey) => listedKey.id)).toEqual([id])
    expect(await listKeysForCaller(server, admin, '*')).toEqual(listed)
    expect(await revokeKeyForCaller(server, admin, id)).toEqual({ ok: true, value: undefined })
    expect(await server.authenticator.authenticateNow(asKey(key), home)).toEqual(rejected('expired'))
  })

  test('an administrator’s key without the role admin is no administrator', async () => {
    const admin = await byPassword(administratorId)
    const { key } = await madeBy(admin, { roles: ['document_reader'] })
    expect(await listKeysForCaller(server, await callerOfKey(key), '*')).toMatchObject({ ok: false })
    expect(await makeKeyForCaller(server, await callerOfKey(key), requested({ userId: anna }))).toMatchObject({
      ok: false,
    })
  })

  test('a key is for a user who exists and is active', async () => {
    const admin = await byPassword(administratorId)
    const gone = await addUser(database, 'gone', null)
    await database.rows(sql`update docket."user" set active = false where sys_id = ${gone}::bigint`)
    for (const userId of [gone, '155931135900000009'])
      expect(await makeKeyForCaller(server, admin, requested({ userId }))).toEqual({
        ok: false,
        error: { kind: 'thing-not-found', thing: 'active user', name: userId },
      })
  })

  test.each(['', '0', 'x', "1'", '-1', '99999999999999999999', '155931135900000009'])(
    'there is no key %j to revoke',
    async (id) => {
      expect(await revokeKeyForCaller(server, await byPassword(administratorId), id)).toEqual({
        ok: false,
        error: { kind: 'thing-not-found', thing: 'API key', name: id },
      })
    },
  )
})

describe('a key that makes keys', () => {
  test('makes none that lives longer than itself', async () => {
    const { key } = await madeBy(await byPassword(anna), { expiresAtMs: inDays(10) })
    const runAs = await callerOfKey(key)
    expect(await makeKeyForCaller(server, runAs, requested({ expiresAtMs: inDays(11) }))).toEqual(invalid('life'))
    const heir = await madeBy(runAs, { expiresAtMs: inDays(9) })
    expect((await callerOfKey(heir.key)).principal.userId).toBe(anna)
  })

  test('makes none with more roles than itself', async () => {
    const { key } = await madeBy(await byPassword(anna), { roles: ['editor'] })
    const runAs = await callerOfKey(key)
    const within = { expiresAtMs: inDays(9) }
    expect(await makeKeyForCaller(server, runAs, requested({ ...within, roles: null }))).toEqual(invalid('roles'))
    expect(await makeKeyForCaller(server, runAs, requested({ ...within, roles: ['printer'] }))).toEqual(
      invalid('roles'),
    )
    expect(await makeKeyForCaller(server, runAs, requested({ ...within, roles: ['editor', 'printer'] }))).toEqual(
      invalid('roles'),
    )
    const heir = await madeBy(runAs, { ...within, roles: ['reader'] })
    expect((await callerOfKey(heir.key)).principal.roles).toEqual(new Set(['reader']))
  })
})

describe('lesson: reset, logout or suspension left tokens alive', () => {
  test('a revoked key is over at once in every process, and others go on', async () => {
    const caller = await byPassword(anna)
    const [gone, kept] = [await madeBy(caller), await madeBy(caller)]
    const other = serverOn(database, clock)
    for (const { key } of [gone, kept]) expect((await other.authenticator.authenticate(asKey(key), home)).ok).toBe(true)
    await revokeKeyForCaller(server, caller, gone.id)
    expect(await revokeKeyForCaller(server, caller, gone.id)).toEqual({ ok: true, value: undefined })
    for (const process of [server, other]) {
      expect(await process.authenticator.authenticateNow(asKey(gone.key), home)).toEqual(rejected('expired'))
      expect((await process.authenticator.authenticateNow(asKey(kept.key), home)).ok).toBe(true)
    }
    expect((await findApiKeys(server)).map(({ id, state }) => [id, state])).toEqual([
      [kept.id, 'valid'],
      [gone.id, 'ended'],
    ])
  })

  test('ending all sessions ends API keys too, and the list says so', async () => {
    const { key } = await madeBy(await byPassword(anna))
    await endAllSessions(database, anna)
    expect(await server.authenticator.authenticateNow(asKey(key), home)).toEqual(rejected('expired'))
    expect((await findApiKeys(server)).map(({ state }) => state)).toEqual(['ended'])
  })
})
