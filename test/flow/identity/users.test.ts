import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../../src/database/database.ts'
import { administratorId, ensureAdministrator } from '../../../src/identity/administrator.ts'
import {
  changeRoles,
  createUser,
  type NewUser,
  setUserActive,
  setUserPassword,
} from '../../../src/identity/manage-users.ts'
import { sql } from '../../../src/kernel/sql.ts'
import { StartFailure } from '../../../src/kernel/start-failure.ts'
import { type FreshDatabase, freshDatabase } from '../../harness/fresh-database.ts'
import { addGroup, asPair, home, join, serverOn, testClock } from './people.ts'

let fresh: FreshDatabase
let database: Database
beforeAll(async () => {
  fresh = await freshDatabase()
  database = fresh.database
})
afterAll(() => fresh.drop())

const canLogIn = async (userName: string, password: string): Promise<boolean> =>
  (await serverOn(database, testClock()).authenticator.authenticate(asPair(userName, password), home)).ok

const user = (changes: Partial<NewUser>): NewUser => ({
  userName: 'anna',
  displayName: 'Анна Петрова',
  email: 'anna@example.com',
  language: 'ru',
  timeZone: 'Europe/Moscow',
  password: 'a good password',
  roles: ['itil'],
  ...changes,
})
const countUsers = async () => (await database.rows(sql`select from docket."user"`)).length

describe('the administrator', () => {
  const forget = () =>
    database.rows(sql`update docket."user" set password = null where sys_id = ${administratorId}::bigint`)

  test('gets a password that is made once, and told once', async () => {
    await forget()
    const first = await ensureAdministrator(database)
    expect(first).toEqual({ created: true, password: expect.stringMatching(/^[A-Za-z2-9]{20}$/) })
    expect(await ensureAdministrator(database)).toEqual({ created: false })
    expect(await canLogIn('admin', first.password ?? '')).toBe(true)
  })

  test('gets the given password on the first start only', async () => {
    await forget()
    expect(await ensureAdministrator(database, { password: 'given at first' })).toEqual({ created: true })
    expect(await ensureAdministrator(database, { password: 'given at last' })).toEqual({ created: false })
    expect([await canLogIn('admin', 'given at first'), await canLogIn('admin', 'given at last')]).toEqual([true, false])
  })

  test('gets one password when several processes start at once', async () => {
    await forget()
    const starts = await Promise.all(Array.from({ length: 4 }, () => ensureAdministrator(database)))
    const [made, ...rest] = starts.filter(({ created }) => created)
    expect(rest).toEqual([])
    expect(await canLogIn('admin', made?.password ?? '')).toBe(true)
  })

  test('is not given a password that would not do', async () => {
    await forget()
    for (const password of ['admin', 'short', 'aaaaaaaaaa'])
      await expect(ensureAdministrator(database, { password })).rejects.toThrow(StartFailure)
    expect(await ensureAdministrator(database, { password: 'a better one' })).toEqual({ created: true })
  })
})

describe('a user who is made', () => {
  test('has what was given and can log in', async () => {
    const made = await createUser(database, user({}))
    const [row] = await database.rows(sql`
      select sys_id, user_name, display_name, email, language, time_zone, active, sys_created_by from docket."user" where user_name = 'anna'`)
    expect(row).toEqual({
      sys_id: made.ok ? made.value : '',
      user_name: 'anna',
      display_name: 'Анна Петрова',
      email: 'anna@example.com',
      language: 'ru',
      time_zone: 'Europe/Moscow',
      active: true,
      sys_created_by: administratorId,
    })
    expect(await canLogIn('anna', 'a good password')).toBe(true)
    expect(await changeRoles(database, 'ANNA', { give: [], take: [] })).toEqual({
      ok: true,
      value: { direct: ['itil'], all: ['itil', 'user'] },
    })
  })

  test.each<[string, Partial<NewUser>, object]>([
    [
      'of a name that is taken in another case',
      { userName: 'ADMIN' },
      { kind: 'not-unique', table: 'user', field: 'user_name' },
    ],
    ['without a name', { userName: '' }, { kind: 'invalid-value', field: 'user_name' }],
    ['with a colon in the name', { userName: 'a:b' }, { kind: 'invalid-value', field: 'user_name' }],
    ['with a space at the end of the name', { userName: 'anna ' }, { kind: 'invalid-value', field: 'user_name' }],
    ['with a zero character in the name', { userName: 'an\0na' }, { kind: 'invalid-value', field: 'user_name' }],
    ['with a name of 101 characters', { userName: 'x'.repeat(101) }, { kind: 'invalid-value', field: 'user_name' }],
    ['with a short password', { userName: 'new', password: 'short' }, { kind: 'invalid-value', field: 'password' }],
    [
      'with a role that is not there',
      { userName: 'new', roles: ['itil', 'wizard'] },
      { kind: 'thing-not-found', thing: 'role', name: 'wizard' },
    ],
  ])('%s is rejected, and nothing is written', async (_, changes, error) => {
    const before = await countUsers()
    expect(await createUser(database, user(changes))).toMatchObject({ ok: false, error })
    expect(await countUsers()).toBe(before)
  })

  test('without a password cannot log in with any', async () => {
    await createUser(database, user({ userName: 'robot', password: null }))
    for (const password of ['', 'null', 'a good password']) expect(await canLogIn('robot', password)).toBe(false)
  })
})

describe('a user who is changed', () => {
  test('comes in with the new password only, and not while inactive', async () => {
    await createUser(database, user({ userName: 'changed' }))
    expect(await setUserPassword(database, 'Changed', 'a new password')).toEqual({ ok: true, value: undefined })
    expect([await canLogIn('changed', 'a good password'), await canLogIn('changed', 'a new password')]).toEqual([
      false,
      true,
    ])
    await setUserActive(database, 'changed', false)
    expect(await canLogIn('changed', 'a new password')).toBe(false)
    await setUserActive(database, 'changed', true)
    expect(await canLogIn('changed', 'a new password')).toBe(true)
  })

  test('gets and loses direct roles; those of groups stay', async () => {
    const made = await createUser(database, user({ userName: 'roles', roles: [] }))
    await join(database, made.ok ? made.value : '', await addGroup(database, 'Readers', ['document_reader']))
    const roles = await changeRoles(database, 'roles', { give: ['itil', 'security_admin', 'itil'], take: [] })
    expect(roles).toEqual({
      ok: true,
      value: { direct: ['itil', 'security_admin'], all: ['document_reader', 'itil', 'security_admin', 'user'] },
    })
    expect(await changeRoles(database, 'roles', { give: [], take: ['itil', 'document_reader'] })).toEqual({
      ok: true,
      value: { direct: ['security_admin'], all: ['document_reader', 'security_admin'] },
    })
    expect(await changeRoles(database, 'roles', { give: ['admin', 'wizard'], take: [] })).toEqual({
      ok: false,
      error: { kind: 'thing-not-found', thing: 'role', name: 'wizard' },
    })
  })

  test('must be there', async () => {
    const missing = { ok: false, error: { kind: 'thing-not-found', thing: 'user', name: 'nobody' } }
    expect(await setUserPassword(database, 'nobody', 'a good password')).toEqual(missing)
    expect(await setUserActive(database, 'nobody', false)).toEqual(missing)
    expect(await changeRoles(database, 'nobody', { give: [], take: [] })).toEqual(missing)
  })
})
