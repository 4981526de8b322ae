import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/kernel/sql.ts'
import { rule, type Stage, setStage } from './records/fixture.ts'

/** Denied requests (issue 13): administrators see them, others do not, and what a caller gets does not depend on them. */

let stage: Stage
beforeAll(async () => {
  stage = await setStage([
    rule({ operation: 'read', table: 'company', roles: ['itil'] }),
    rule({ operation: 'read', table: 'task', column: 'priority', roles: ['admin'] }),
    rule({ operation: 'write', table: 'company', roles: ['itil'], condition: 'city=London' }),
  ])
})
afterAll(() => stage.close())

interface Denial {
  readonly user: { readonly user_name: string }
  readonly reason: string
  readonly record: string | null
  readonly explain: string | null
}
const list = async (query = ''): Promise<readonly Denial[]> => {
  const { status, body } = await stage.send('admin', `GET /v1/denials?sysparm_limit=1000${query}`)
  expect(status).toBe(200)
  return (body as { data: Denial[] }).data
}
const clear = () => stage.run(sql`delete from docket_system.denial`)
/** The server stores denials a moment after their responses. */
const listed = async (query: string, count: number): Promise<readonly Denial[]> => {
  await expect.poll(async () => (await list(query)).length).toBe(count)
  return list(query)
}

const nemo = { value: '203', display_value: 'Nemo Nobody', user_name: 'nobody', link: 'BASE/rest/v1/table/user/203' }
const wanda = { value: '201', display_value: 'Wanda Worker', user_name: 'worker', link: 'BASE/rest/v1/table/user/201' }
const times = { first_at: '2026-03-02 10:00:00', last_at: '2026-03-02 10:00:00' }

test('a table, a column, a record and a role: who, what, which record, how often, and the way to the explanation', async () => {
  for (const line of ['GET /rest/v1/table/company/301', 'GET /rest/v1/table/company/301', 'GET /v1/denials'])
    expect((await stage.send('nobody', line)).status).toBe(403)
  expect((await stage.send('worker', 'GET /rest/v1/table/task?sysparm_query=priority=1')).status).toBe(403)
  const body = { name: 'Camomile' }
  expect((await stage.send('worker', 'PATCH /rest/v1/table/company/302', { body })).status).toBe(403)
  const found = await listed('', 4)
  const of = (reason: string) => found.filter((denial) => denial.reason === reason)
  expect(of('table')).toEqual([
    {
      user: nemo,
      reason: 'table',
      message: 'You have no access to read the records of the table company.',
      operation: 'read',
      table: 'company',
      record: '301',
      column: null,
      roles: [],
      method: 'GET',
      route: '/rest/v1/table/:table/:sys_id',
      requests: 2,
      ...times,
      explain: 'BASE/rest/v1/acl/explain?table=company&operation=read&user=nobody&sys_id=301',
    },
  ])
  expect(of('role')).toEqual([
    {
      user: nemo,
      reason: 'role',
      message: 'You need the role admin or security_admin to see which requests were denied.',
      operation: null,
      table: null,
      record: null,
      column: null,
      roles: ['admin', 'security_admin'],
      method: 'GET',
      route: '/v1/denials',
      requests: 1,
      ...times,
      explain: null,
    },
  ])
  expect(of('column')).toEqual([
    {
      user: wanda,
      reason: 'column',
      message: 'You have no access to read the column priority of the table task, which the query names.',
      operation: 'read',
      table: 'task',
      record: null,
      column: 'priority',
      roles: [],
      method: 'GET',
      route: '/rest/v1/table/:table',
      requests: 1,
      ...times,
      explain: 'BASE/rest/v1/acl/explain?table=task&operation=read&user=worker&column=priority',
    },
  ])
  expect(of('record')).toEqual([
    {
      user: wanda,
      reason: 'record',
      message: 'You have no access to write this record of the table company.',
      operation: 'write',
      table: 'company',
      record: '302',
      column: null,
      roles: [],
      method: 'PATCH',
      route: '/rest/v1/table/:table/:sys_id',
      requests: 1,
      ...times,
      explain: 'BASE/rest/v1/acl/explain?table=company&operation=write&user=worker&sys_id=302',
    },
  ])
})

test('the address of the explanation explains', async () => {
  await clear()
  await stage.send('nobody', 'GET /rest/v1/table/company/301')
  const [denial] = await listed('', 1)
  const response = await stage.send('admin', `GET ${denial?.explain?.replace('BASE', '')}`)
  expect(response.body).toMatchObject({ data: { table: 'company', verdict: 'refused' } })
})

test('so does that of a request to /api/now, by its names (issue 15, section 3)', async () => {
  await clear()
  await stage.send('nobody', 'GET /api/now/table/core_company?sysparm_limit=1')
  const [denial] = await listed('', 1)
  expect(denial).toMatchObject({
    table: 'core_company',
    explain: 'BASE/rest/v1/acl/explain?table=core_company&operation=read&user=nobody&face=now',
  })
  const response = await stage.send('admin', `GET ${denial?.explain?.replace('BASE', '')}`)
  expect(response.body).toMatchObject({
    data: {
      table: 'company',
      verdict: 'refused',
      names: { table: 'core_company', class: 'core_company', column: null },
    },
  })
})

test('by user and by table; a repeated request adds to its count', async () => {
  await clear()
  await stage.send('nobody', 'GET /rest/v1/table/company/301')
  await stage.send('nobody', 'GET /rest/v1/table/task')
  await stage.send('worker', 'DELETE /rest/v1/table/company/301')
  await listed('', 3)
  expect((await list('&user=WORKER')).map(({ user }) => user.user_name)).toEqual(['worker'])
  expect((await list('&user=nobody&table=task')).length).toBe(1)
  expect(await list('&user=somebody')).toEqual([])
  await stage.send('worker', 'DELETE /rest/v1/table/company/301')
  await expect.poll(() => list('&user=worker')).toEqual([expect.objectContaining({ requests: 2 })])
})

test('what is not found, left out, or sent without valid credentials is no denial', async () => {
  await clear()
  expect((await stage.send('worker', 'GET /rest/v1/table/task/9999')).status).toBe(404)
  expect((await stage.send(null, 'GET /rest/v1/table/company')).status).toBe(401)
  expect((await stage.send('worker', 'GET /rest/v1/table/task?sysparm_fields=number')).status).toBe(200)
  await stage.send('nobody', 'GET /rest/v1/table/company')
  expect((await listed('', 1)).map(({ user }) => user.user_name)).toEqual(['nobody'])
})

test('a user has at most 50, so that nobody hides the denials of others', async () => {
  await clear()
  await stage.send('worker', 'DELETE /rest/v1/table/company/301')
  await listed('&user=worker', 1)
  for (let id = 1; id <= 60; id += 1) await stage.send('nobody', `GET /rest/v1/table/company/${id}`)
  await expect.poll(async () => (await list('&user=nobody')).length).toBe(50)
  await stage.send('nobody', 'GET /rest/v1/table/company/999')
  await expect.poll(async () => (await list('&user=nobody')).some(({ record }) => record === '999')).toBe(true)
  expect((await list('&user=nobody')).length).toBe(50)
  expect((await list('&user=worker')).length).toBe(1)
})

describe('who may see them', () => {
  test.each(['worker', 'reader', 'nobody'] as const)('not %s', async (who) => {
    const { status, body } = await stage.send(who, 'GET /v1/denials', { headers: { 'x-request-id': 'r' } })
    const message = 'You need the role admin or security_admin to see which requests were denied.'
    expect({ status, body }).toEqual({
      status: 403,
      body: {
        status: 'ERROR',
        error_type: 'SERVER',
        message,
        errors: [{ message, code: 'ACCESS_DENIED' }],
        request_id: 'ID',
      },
    })
  })

  test('a security administrator without the role admin does', async () => {
    await stage.run(sql`insert into docket.sys_user_has_role (user_id, role_id)
      select 203, sys_id from docket.sys_role where name = 'security_admin'`)
    await expect.poll(async () => (await stage.send('nobody', 'GET /v1/denials')).status).toBe(200)
  })

  test('an error has the address of the explanation for security administrators, and for nobody else', async () => {
    const explained = async (who: 'worker' | 'nobody', line: string, body?: object): Promise<unknown> => {
      const response = await stage.send(who, line, { body })
      expect(response.status).toBe(403)
      return (response.body as { errors: { explain?: string }[] }).errors[0]?.explain
    }
    expect(await explained('nobody', 'GET /rest/v1/table/company/301')).toBe(
      'BASE/rest/v1/acl/explain?table=company&operation=read&user=nobody&sys_id=301',
    )
    expect(await explained('worker', 'PATCH /rest/v1/table/company/302', { name: 'Camomile' })).toBe(undefined)
    // A built-in rule decides, which no access rule changes.
    expect(await explained('nobody', 'GET /health/details')).toBe(undefined)
  })

  test('a limit of 0 is rejected', async () => {
    expect((await stage.send('admin', 'GET /v1/denials?sysparm_limit=0')).status).toBe(400)
    expect((await stage.send('admin', 'GET /v1/denials?usr=worker')).status).toBe(400)
  })
})
