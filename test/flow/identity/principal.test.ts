import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../../src/database/database.ts'
import { administratorId } from '../../../src/identity/administrator.ts'
import { loadPrincipal } from '../../../src/identity/load-principal.ts'
import { sql } from '../../../src/kernel/sql.ts'
import { type FreshDatabase, freshDatabase } from '../../harness/fresh-database.ts'
import { addGroup, addRole, addUser, giveRoles, identityEpoch, join, putRoleIn } from './people.ts'

let fresh: FreshDatabase
let database: Database
beforeAll(async () => {
  fresh = await freshDatabase()
  database = fresh.database
})
afterAll(() => fresh.drop())

const rolesOf = async (userId: string) => [...((await loadPrincipal(database, userId))?.principal.roles ?? [])].sort()

test('the administrator holds the shipped role with all roles in it, under the epoch of the same snapshot', async () => {
  expect(await loadPrincipal(database, administratorId)).toEqual({
    principal: {
      userId: administratorId,
      userName: 'admin',
      displayName: 'System Administrator',
      roles: new Set(['admin', 'security_admin', 'document_writer', 'document_reader']),
      roleKey: '["admin","document_reader","document_writer","security_admin"]',
      groupIds: [],
      language: 'en',
      timeZone: 'UTC',
      companyId: null,
    },
    identityEpoch: await identityEpoch(database),
    generation: expect.stringMatching(/^\d+$/),
    isActive: true,
  })
})

test('there is no principal of a user who does not exist', async () => {
  expect(await loadPrincipal(database, '155931135900000009')).toBeUndefined()
})

test('roles come directly, through active groups, and through roles at any depth', async () => {
  await addRole(database, 'deepest')
  await addRole(database, 'deeper', ['deepest'])
  await addRole(database, 'deep', ['deeper'])
  await addRole(database, 'of_group')
  await addRole(database, 'of_sleeping_group')
  await addRole(database, 'of_other_group')
  const user = await addUser(database, 'roles.anna', null)
  await giveRoles(database, user, ['deep'])
  const group = await addGroup(database, 'Group', ['of_group'])
  const sleeping = await addGroup(database, 'Sleeping group', ['of_sleeping_group'])
  await addGroup(database, 'Other group', ['of_other_group'])
  await join(database, user, group)
  await join(database, user, sleeping)
  await database.rows(sql`update docket.sys_group set active = false where sys_id = ${sleeping}::bigint`)

  expect(await rolesOf(user)).toEqual(['deep', 'deeper', 'deepest', 'of_group'])
  expect((await loadPrincipal(database, user))?.principal.groupIds).toEqual([group])
})

test('roles that contain each other, or themselves, end', async () => {
  await addRole(database, 'ring_a')
  await addRole(database, 'ring_b', ['ring_a'])
  await putRoleIn(database, 'ring_b', 'ring_a')
  await putRoleIn(database, 'ring_a', 'ring_a')
  const user = await addUser(database, 'roles.ring', null)
  await giveRoles(database, user, ['ring_b'])
  expect(await rolesOf(user)).toEqual(['ring_a', 'ring_b'])
})

test('names of roles with commas and quotes make different role keys', async () => {
  const keys: (string | undefined)[] = []
  for (const names of [['a,b'], ['a', 'b'], ['a","b']]) {
    for (const name of names) await addRole(database, name)
    const user = await addUser(database, `roles.${names.join('|')}`, null)
    await giveRoles(database, user, names)
    keys.push((await loadPrincipal(database, user))?.principal.roleKey)
  }
  expect(keys).toEqual(['["a,b"]', '["a","b"]', '["a\\",\\"b"]'])
})

describe('language and time zone', () => {
  test.each([
    ['ru', 'Europe/Moscow', 'ru', 'Europe/Moscow'],
    ['en', 'America/Argentina/Buenos_Aires', 'en', 'America/Argentina/Buenos_Aires'],
    ['en', 'Etc/GMT-3', 'en', 'Etc/GMT-3'],
    ['de', 'UTC', 'en', 'UTC'],
    [null, null, 'en', 'UTC'],
    ['ru', '', 'ru', 'UTC'],
    ['ru', 'Europe/Atlantis', 'ru', 'UTC'],
    ['ru', '+03:00', 'ru', 'UTC'],
    ['ru', 'MSK', 'ru', 'UTC'],
    ['ru', "'; drop table docket.task; --", 'ru', 'UTC'],
  ])('of %j and %j become %j and %j', async (language, zone, knownLanguage, knownZone) => {
    const user = await addUser(database, `zone.${language}.${zone}`, null)
    await database.rows(
      sql`update docket."user" set language = ${language}, time_zone = ${zone} where sys_id = ${user}::bigint`,
    )
    const loaded = await loadPrincipal(database, user)
    expect({ language: loaded?.principal.language, timeZone: loaded?.principal.timeZone }).toEqual({
      language: knownLanguage,
      timeZone: knownZone,
    })
  })
})
