import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createUser } from '../../src/identity/manage-users.ts'
import { sql } from '../../src/kernel/sql.ts'
import { admin } from '../harness/fresh-database.ts'
import { type RunningDocket, startDocket } from '../harness/start-docket.ts'

let docket: RunningDocket
beforeAll(async () => {
  docket = await startDocket()
  // This test must not depend on the built-in rules, which may change.
  await docket.database.rows(sql`delete from docket.sys_security_acl`)
  await docket.database.rows(sql`
    insert into docket.sys_security_acl (operation, table_name, column_name, roles, condition, description, admin_overrides, sys_id)
    select 'read', 'task', null, array[]::bigint[], 'active=true', 'Active tasks are for everybody', false, 155931135900000777`)
})
afterAll(() => docket.close())

const explain = (query: string) =>
  docket.request('GET', `/rest/v1/acl/explain?${query}`, { as: admin, headers: { 'x-request-id': 'r' } })

test('an administrator learns which rule decides', async () => {
  const response = await explain('table=itsm_incident&operation=read')
  expect({ status: response.status, body: response.body }).toEqual({
    status: 200,
    body: {
      status: 'OK',
      data: {
        table: 'itsm_incident',
        class: 'itsm_incident',
        operation: 'read',
        column: null,
        verdict: 'on_condition',
        table_decision: {
          verdict: 'on_condition',
          level: 'task',
          rules: [
            {
              sys_id: '155931135900000777',
              description: 'Active tasks are for everybody',
              roles: [],
              condition: 'active=true',
              admin_overrides: false,
              verdict: 'passes-on-condition',
            },
          ],
        },
        column_decision: null,
        reason: expect.stringMatching(/\w/),
      },
    },
  })
})

test('the reason is in the language of the administrator (issue 13)', async () => {
  const reasonOf = async (query: string): Promise<string> =>
    ((await explain(query)).body as { data: { reason: string } }).data.reason
  await docket.database.rows(sql`update docket."user" set language = 'ru' where user_name = 'admin'`)
  expect([
    await reasonOf('table=itsm_incident&operation=read'),
    await reasonOf('table=company&operation=delete'),
  ]).toEqual([
    'Об операции read (таблица itsm_incident) решают правила уровня task: 1 действующее правило, из них без условий ' +
      'выполняется 0, при условии выполняется 1. Достаточно одного правила, которое выполняется.',
    'Для операции delete нет действующего правила на уровнях company, *; без правила доступа нет.',
  ])
  await docket.database.rows(sql`update docket."user" set language = 'en' where user_name = 'admin'`)
})

test('the reason counts rules in the singular and in the plural (issue 13)', async () => {
  const reasons = async (): Promise<readonly string[]> => {
    const of = async (table: string): Promise<string> =>
      ((await explain(`table=${table}&operation=read`)).body as { data: { reason: string } }).data.reason
    return [await of('itsm_incident'), await of('company')]
  }
  await docket.database.rows(sql`
    insert into docket.sys_security_acl (operation, table_name, column_name, roles, condition, description, admin_overrides, sys_id)
    select 'read', 'company', null, array[]::bigint[], condition, 'Companies', false, 155931135900000780 + n
    from (values (1, ''), (2, 'active=true'), (3, 'active=false')) rule (n, condition)`)
  expect(await reasons()).toEqual([
    'The level task decides read on the table itsm_incident: 1 active rule. Of these, 0 pass without a condition and ' +
      '1 passes on a condition. One passing rule is enough.',
    'The level company decides read on the table company: 3 active rules. Of these, 1 passes without a condition and ' +
      '2 pass on a condition. One passing rule is enough.',
  ])
  await docket.database.rows(sql`update docket."user" set language = 'ru' where user_name = 'admin'`)
  const [, russian] = await reasons()
  expect(russian).toBe(
    'Об операции read (таблица company) решают правила уровня company: действующих правил 3, из них без условий ' +
      'выполняется 1, при условии выполняется 2. Достаточно одного правила, которое выполняется.',
  )
  await docket.database.rows(sql`update docket."user" set language = 'en' where user_name = 'admin'`)
  await docket.database.rows(sql`delete from docket.sys_security_acl where table_name = 'company'`)
})

test('by the names and ids of /api/now, whose response has both (issue 15, section 3)', async () => {
  const [task] = await docket.database.rows<{ id: string; prefix: string }>(sql`
    insert into docket.task (sys_id, sys_db_table_id, number, subject)
    values (1001, (select sys_id from docket.sys_db_table where name = 'itsm_incident'), 'INC1', 'x')
    returning sys_id::text as id, (select prefix from docket_system.served_id) as prefix`)
  const sysId = `${task?.prefix}${(1001).toString(16).padStart(16, '0')}`
  const here = await explain(`table=task&column=caller_id&sys_id=${sysId}&face=now`)
  const own = await explain('table=task&column=caller&sys_id=1001')
  const names = { table: 'task', class: 'incident', column: 'caller_id' }
  const { data } = own.body as { readonly data: object }
  expect({ status: here.status, body: here.body }).toEqual({
    status: 200,
    body: { status: 'OK', data: { ...data, names } },
  })
  expect(data).toMatchObject({ table: 'task', class: 'itsm_incident', column: 'caller' })
  const author = await explain('table=sys_user_grmember&column=sys_created_by&face=now')
  expect(author.body).toMatchObject({
    data: {
      table: 'sys_user_group',
      column: 'sys_created_by',
      names: { table: 'sys_user_grmember', class: 'sys_user_grmember', column: 'sys_created_by' },
    },
  })
  expect((await explain('table=itsm_incident&face=now')).status).toBe(404)
  expect((await explain('table=incident&column=caller&face=now')).status).toBe(404)
  expect((await explain('table=incident&face=then')).status).toBe(400)
})

const rejections: readonly (readonly [query: string, status: number, error: Record<string, unknown>])[] = [
  [
    '',
    400,
    {
      code: 'BAD_PARAMETER',
      field: 'table',
      message: 'The parameter table must be the name of a table; found nothing.',
    },
  ],
  [
    'table=task&operation=look',
    400,
    {
      code: 'BAD_PARAMETER',
      field: 'operation',
      message: 'The parameter operation must be create, read, write, delete; found look.',
    },
  ],
  ['table=nope', 404, { code: 'TABLE_NOT_FOUND', message: 'There is no table nope.' }],
  ['table=task&user=nobody', 404, { code: 'NOT_FOUND', message: 'There is no user nobody.' }],
  [
    'table=task&sys_id=12',
    404,
    { code: 'RECORD_NOT_FOUND', message: 'The table task has no record 12 that you may read.' },
  ],
]

describe('what cannot be explained is rejected:', () => {
  test.each(rejections)('%s', async (query, status, error) => {
    const response = await explain(query)
    expect({ status: response.status, body: response.body }).toEqual({
      status,
      body: { status: 'ERROR', error_type: 'SERVER', message: error['message'], errors: [error], request_id: 'r' },
    })
  })
})

test('others are rejected, whatever they ask', async () => {
  await createUser(docket.database, {
    userName: 'anna',
    password: 'anna-password-1',
    displayName: null,
    email: null,
    language: 'en',
    timeZone: 'UTC',
    roles: ['itil'],
  })
  const response = await docket.request('GET', '/rest/v1/acl/explain?table=nope', {
    as: { user: 'anna', password: 'anna-password-1' },
    headers: { 'x-request-id': 'r' },
  })
  const message = 'You need the role admin or security_admin to see which rule decides.'
  expect({ status: response.status, body: response.body }).toEqual({
    status: 403,
    body: {
      status: 'ERROR',
      error_type: 'SERVER',
      message,
      errors: [{ message, code: 'ACCESS_DENIED' }],
      request_id: 'r',
    },
  })
})
