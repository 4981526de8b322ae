import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/kernel/sql.ts'
import { admin } from '../harness/fresh-database.ts'
import type { Caller, ReceivedResponse } from '../harness/send-request.ts'
import { type RunningDocket, startDocket } from '../harness/start-docket.ts'

// What an API key may do with users, roles and other keys: docs/spec/records.md, section 2, and docs/decisions/identity.md.

let docket: RunningDocket
const ids: Record<string, string> = {}
const keys: Record<string, Caller> = {}
const keyIds: Record<string, string> = {}

async function create(table: string, body: unknown): Promise<string> {
  const made = await docket.request('POST', `/rest/v1/table/${table}`, { as: admin, body })
  expect(made.status, made.text).toBe(200)
  return (made.body as { data: { sys_id: string }[] }).data[0]?.sys_id ?? ''
}

async function makeKey(name: string, wanted: object): Promise<void> {
  const made = await docket.request('POST', '/v1/auth/keys', { as: admin, body: { name, ...wanted } })
  expect(made.status, made.text).toBe(200)
  const [key] = (made.body as { data: { id: string; auth_key: string }[] }).data
  keys[name] = { bearer: key?.auth_key ?? '' }
  keyIds[name] = key?.id ?? ''
}

beforeAll(async () => {
  docket = await startDocket()
  ids['anna'] = await create('user', { user_name: 'anna', password: 'a good password' })
  ids['role'] = await create('sys_role', { name: 'printer' })
  ids['other_role'] = await create('sys_role', { name: 'copier' })
  ids['group'] = await create('sys_group', { name: 'Printers' })
  ids['other_group'] = await create('sys_group', { name: 'Copiers' })
  ids['grant'] = await create('sys_user_has_role', { user_id: ids['anna'], role_id: ids['other_role'] })
  ids['member'] = await create('sys_user_group', { user_id: ids['anna'], group_id: ids['other_group'] })
  const itil = (await docket.request('GET', '/rest/v1/table/sys_role?sysparm_query=name=itil', { as: admin })).body as {
    data: { sys_id: string }[]
  }
  await create('sys_user_has_role', { user_id: '155931135900000001', role_id: itil.data[0]?.sys_id })
  await makeKey('short', { life: '1d' })
  await makeKey('subset', { roles: ['admin', 'document_reader'] })
  await makeKey('full', {})
  await makeKey('victim', {})
})
afterAll(() => docket.close())

interface Write {
  readonly name: string
  readonly method: string
  readonly path: (ids: Record<string, string>) => string
  readonly body?: (ids: Record<string, string>) => unknown
  /** The action in the message, which the key cannot do. */
  readonly to: string
}

const table = (name: string) => () => `/rest/v1/table/${name}`
const record = (name: string, id: string) => (known: Record<string, string>) => `/rest/v1/table/${name}/${known[id]}`

const writes: readonly Write[] = [
  {
    name: 'create a user',
    method: 'POST',
    path: table('user'),
    body: () => ({ user_name: 'intruder', password: 'a good password' }),
    to: 'create users',
  },
  {
    name: 'create a user as an employee',
    method: 'POST',
    path: table('employee'),
    body: () => ({ user_name: 'intruder', password: 'a good password' }),
    to: 'create users',
  },
  { name: 'delete a user', method: 'DELETE', path: record('user', 'anna'), to: 'delete users' },
  {
    name: 'set a password',
    method: 'PATCH',
    path: record('user', 'anna'),
    body: () => ({ password: 'another password' }),
    to: 'change password of users',
  },
  {
    name: 'set a password by an instruction',
    method: 'PATCH',
    path: record('user', 'anna'),
    body: () => ({ password: { value: 'another password' } }),
    to: 'change password of users',
  },
  {
    name: 'set the password of its own user',
    method: 'PUT',
    path: () => '/rest/v1/table/user/155931135900000001',
    body: () => ({ password: 'another password' }),
    to: 'change password of users',
  },
  {
    name: 'end all keys of a user by disabling the user',
    method: 'PUT',
    path: record('user', 'anna'),
    body: () => ({ active: false }),
    to: 'change active of users',
  },
  {
    name: 'rename a user',
    method: 'PUT',
    path: record('user', 'anna'),
    body: () => ({ user_name: 'hanna' }),
    to: 'change user_name of users',
  },
  {
    name: 'create a role',
    method: 'POST',
    path: table('sys_role'),
    body: () => ({ name: 'wizard' }),
    to: 'create roles',
  },
  {
    name: 'give a role another name',
    method: 'PATCH',
    path: record('sys_role', 'role'),
    body: () => ({ name: 'wizard' }),
    to: 'change roles',
  },
  { name: 'delete a role', method: 'DELETE', path: record('sys_role', 'role'), to: 'delete roles' },
  {
    name: 'give a role to a user',
    method: 'POST',
    path: table('sys_user_has_role'),
    body: (known) => ({ user_id: known['anna'], role_id: known['role'] }),
    to: 'create roles of users',
  },
  {
    name: 'take a role from a user',
    method: 'DELETE',
    path: record('sys_user_has_role', 'grant'),
    to: 'delete roles of users',
  },
  {
    name: 'put a role into another',
    method: 'POST',
    path: table('sys_role_contains'),
    body: (known) => ({ role_id: known['role'], contained_role_id: known['other_role'] }),
    to: 'create roles inside roles',
  },
  {
    name: 'give a role to a group',
    method: 'POST',
    path: table('sys_group_has_role'),
    body: (known) => ({ group_id: known['group'], role_id: known['role'] }),
    to: 'create roles of groups',
  },
  {
    name: 'put a user into a group',
    method: 'POST',
    path: table('sys_user_group'),
    body: (known) => ({ user_id: known['anna'], group_id: known['group'] }),
    to: 'create members of groups',
  },
  {
    name: 'move a member to another group',
    method: 'PATCH',
    path: record('sys_user_group', 'member'),
    body: (known) => ({ group_id: known['group'] }),
    to: 'change members of groups',
  },
  {
    name: 'bring back the roles of a group',
    method: 'PATCH',
    path: record('sys_group', 'group'),
    body: () => ({ active: true }),
    to: 'change active of groups',
  },
]

/** The error of the problem kind key-narrowed. */
const narrowed = (to: string) => {
  const message =
    `A narrowed API key cannot ${to}. ` +
    'Use a password or a session, or a key that has all roles of its user and a life of at least 90d.'
  return {
    status: 'ERROR',
    error_type: 'SERVER',
    message,
    errors: [{ message, code: 'ACCESS_DENIED' }],
    request_id: 'r',
  }
}
const headers = { 'x-request-id': 'r' }

/** All rows that a narrowed key must not change. */
const identityRows = () =>
  docket.database.rows(sql`
    select (select jsonb_agg(to_jsonb(u) order by u.sys_id) from docket."user" u) as users,
           (select jsonb_agg(to_jsonb(r) order by r.sys_id) from docket.sys_role r) as roles,
           (select jsonb_agg(to_jsonb(r) order by r.sys_id) from docket.sys_user_has_role r) as "userRoles",
           (select jsonb_agg(to_jsonb(r) order by r.sys_id) from docket.sys_role_contains r) as contained,
           (select jsonb_agg(to_jsonb(r) order by r.sys_id) from docket.sys_group_has_role r) as "groupRoles",
           (select jsonb_agg(to_jsonb(r) order by r.sys_id) from docket.sys_user_group r) as members,
           (select jsonb_agg(to_jsonb(g) order by g.sys_id) from docket.sys_group g) as groups,
           (select count(*) from docket_system.access_key) as keys,
           (select count(*) from docket_system.access_key where revoked_at is not null) as revoked`)

describe.each(['short', 'subset'])('a key narrowed in life or roles (issue 8, A3): %s', (keyName) => {
  test.each(writes)('cannot $name by the Table API', async ({ method, path, body, to }) => {
    const before = await identityRows()
    const response = await docket.request(method, path(ids), {
      as: keys[keyName] ?? admin,
      headers,
      ...(body === undefined ? {} : { body: body(ids) }),
    })
    expect({ status: response.status, body: response.body }).toEqual({ status: 403, body: narrowed(to) })
    expect(await identityRows()).toEqual(before)
  })

  test.each([
    ['user', 'user_name,password\nintruder,a good password\n', 'create users'],
    ['sys_role', 'name\nwizard\n', 'create roles'],
  ])('cannot write %s by an import', async (name, csv, to) => {
    const before = await identityRows()
    const response = await importCsv(keys[keyName] ?? admin, `/rest/v1/import/${name}`, csv)
    expect(response).toMatchObject({
      status: 200,
      body: {
        data: { inserted: 0, updated: 0, errors: [{ line: 2, code: 'ACCESS_DENIED', message: narrowed(to).message }] },
      },
    })
    expect(await identityRows()).toEqual(before)
  })

  test('cannot change a password by an import with a key', async () => {
    const before = await identityRows()
    const csv = 'user_name,password\nanna,another password\n'
    const response = await importCsv(keys[keyName] ?? admin, '/rest/v1/import/user?key=user_name', csv)
    expect(response).toMatchObject({
      status: 200,
      body: { data: { inserted: 0, updated: 0, errors: [{ line: 2, code: 'ACCESS_DENIED' }] } },
    })
    expect(await identityRows()).toEqual(before)
  })

  test('cannot sign in in place of a password', async () => {
    const key = keys[keyName] as { bearer: string }
    for (const password of [key.bearer, ''])
      expect(
        await docket.request('POST', '/v1/auth/login', { as: key, body: { username: 'admin', password } }),
      ).toMatchObject({
        status: 401,
      })
  })

  test('revokes no key but itself', async () => {
    const before = await identityRows()
    for (const id of [keyIds['victim'], keyIds['full'], '155931135900000009']) {
      const response = await docket.request('DELETE', `/v1/auth/keys/${id}`, { as: keys[keyName] ?? admin, headers })
      expect({ status: response.status, body: response.body }).toEqual({
        status: 403,
        body: narrowed('revoke other keys'),
      })
    }
    expect(await identityRows()).toEqual(before)
    const [life, roles] = keyName === 'short' ? ['1d', undefined] : ['10d', ['admin']]
    await makeKey('ended', { life, roles })
    const itself = await docket.request('DELETE', `/v1/auth/keys/${keyIds['ended']}`, { as: keys['ended'] ?? admin })
    expect(itself.status).toBe(200)
  })

  test('still works with records, and with columns of users that open no door', async () => {
    const as = keys[keyName] ?? admin
    expect((await docket.request('POST', '/rest/v1/table/task', { as, body: { subject: 'x' } })).status).toBe(200)
    const path = `/rest/v1/table/user/${ids['anna']}`
    expect((await docket.request('PATCH', path, { as, body: { email: `${keyName}@example.org` } })).status).toBe(200)
    expect((await docket.request('GET', '/rest/v1/table/sys_user_has_role', { as })).status).toBe(200)
  })
})

describe('a key that makes keys (issue 8, A3)', () => {
  const rejected = (field: string, detail: string) => {
    const message = `The value of ${field} is rejected: ${detail}`
    return {
      status: 'ERROR',
      error_type: 'SERVER',
      message,
      errors: [{ message, code: 'INVALID_VALUE', field }],
      request_id: 'r',
    }
  }
  const tooLong = rejected('life', 'a key that an API key makes ends no later than it.')
  const unnamed = rejected(
    'roles',
    'name the roles: a key that an API key makes for another user has roles of that key only.',
  )
  const wider = (own: string, roles: string) =>
    rejected('roles', `this API key has ${own}, so it makes no key with ${roles}.`)
  const subsetRoles = 'admin, document_reader, document_writer, security_admin'
  const adminRoles = 'admin, document_reader, document_writer, itil, security_admin, user'

  test.each([
    ['short', { life: '5y' }, tooLong],
    ['short', { life: '5y', user_id: 'anna', roles: ['copier'] }, tooLong],
    ['short', {}, tooLong],
    ['short', { life: '1h', user_id: 'anna' }, unnamed],
    ['short', { life: '1h', user_id: 'anna', roles: ['copier'] }, wider(adminRoles, 'copier')],
    ['subset', { life: '5y', user_id: 'anna', roles: ['copier'] }, tooLong],
    ['subset', { life: '1h' }, wider(subsetRoles, 'all roles')],
    ['subset', { life: '1h', roles: ['itil'] }, wider(subsetRoles, 'itil')],
    ['subset', { life: '1h', user_id: 'anna' }, unnamed],
    ['full', { life: '5y' }, tooLong],
    ['full', { life: '5y', user_id: 'anna' }, tooLong],
    ['full', { life: '1h', user_id: 'anna' }, unnamed],
    ['full', { life: '1h', user_id: 'anna', roles: ['copier'] }, wider(adminRoles, 'copier')],
  ])('%s cannot make %j', async (maker, { user_id, ...wanted }: { user_id?: string; life?: string }, expected) => {
    const before = await identityRows()
    const body = { name: 'x', ...wanted, ...(user_id === undefined ? {} : { user_id: ids[user_id] }) }
    const response = await docket.request('POST', '/v1/auth/keys', { as: keys[maker] ?? admin, headers, body })
    expect({ status: response.status, body: response.body }).toEqual({ status: 422, body: expected })
    expect(await identityRows()).toEqual(before)
  })

  test.each([
    ['short', { life: '1h' }],
    ['short', { life: '1h', roles: ['admin'] }],
    ['subset', { life: '1h', roles: ['document_reader'] }],
    ['full', { life: '1h' }],
  ])('%s makes %j, which is narrowed too', async (maker, wanted) => {
    const made = await docket.request('POST', '/v1/auth/keys', {
      as: keys[maker] ?? admin,
      body: { name: 'heir', ...wanted },
    })
    expect(made.status).toBe(200)
    const [{ auth_key: bearer }] = (made.body as { data: [{ auth_key: string }] }).data
    const response = await docket.request('DELETE', `/v1/auth/keys/${keyIds['victim']}`, { as: { bearer }, headers })
    expect(response.body).toEqual(narrowed('revoke other keys'))
  })
})

test('a key that is not narrowed creates users, sets passwords and revokes keys (issue 8, A3)', async () => {
  const as = keys['full'] ?? admin
  const user = { user_name: 'boris', password: 'a good password' }
  expect((await docket.request('POST', '/rest/v1/table/user', { as, body: user })).status).toBe(200)
  const path = `/rest/v1/table/user/${ids['anna']}`
  expect((await docket.request('PATCH', path, { as, body: { password: 'another password' } })).status).toBe(200)
  await makeKey('late', {})
  expect((await docket.request('DELETE', `/v1/auth/keys/${keyIds['late']}`, { as })).status).toBe(200)
})

function importCsv(as: Caller, path: string, csv: string): Promise<ReceivedResponse> {
  return docket.request('POST', path, { as, headers: { 'content-type': 'text/csv' }, body: csv })
}
