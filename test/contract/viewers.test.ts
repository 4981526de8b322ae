import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { sql } from '../../src/kernel/sql.ts'
import { type RunningDocket, startDocket } from '../harness/start-docket.ts'
import { rule, type Stage, setStage, type Who } from './records/fixture.ts'

/** Who has a record open (issue 13): only what a caller may read anyway, in all processes, and nothing that stays. */

let stage: Stage
let other: RunningDocket
beforeAll(async () => {
  stage = await setStage([
    // Nobody but administrators sees moscow.
    sql`update docket.sys_security_acl set condition = 'user_name!=moscow' where table_name = 'user' and operation = 'read' and column_name is null`,
    rule({ operation: 'read', table: 'user', column: 'display_name', roles: ['user'] }),
    // The user without a role reads the tickets of their own, and users without their names.
    rule({ operation: 'read', table: 'task', condition: 'callerDYNAMICme' }),
    rule({ operation: 'read', table: 'user', condition: 'user_name!=moscow' }),
  ])
  const { database, connectionString } = stage.docket
  // Another process on the same database.
  other = await startDocket({ fresh: { database, connectionString, drop: async () => undefined } as never })
  await turn('true')
})
afterAll(async () => {
  await other.close()
  await stage.close()
})
beforeEach(() => stage.run(sql`delete from docket_system.viewer`))

interface Viewers {
  readonly enabled: boolean
  readonly viewers: readonly { readonly user: { readonly display_value: string | null }; readonly since: string }[]
}

async function turn(value: string) {
  const list = await stage.send('admin', 'GET /rest/v1/table/sys_property?sysparm_query=name=viewers.enabled')
  const id = (list.body as { data: { sys_id: string }[] }).data[0]?.sys_id
  return stage.send('admin', `PATCH /rest/v1/table/sys_property/${id}`, { body: { value } })
}

const viewersOf = (body: unknown) => (body as { data: Viewers }).data.viewers.map(({ user }) => user.display_value)

async function open(who: Who, record: string, page = `page-of-${who}`): Promise<readonly (string | null)[]> {
  const { status, body } = await stage.send(who, `PUT /v1/viewers/${record}/${page}`)
  expect(status).toBe(200)
  return viewersOf(body)
}

test('a page that opens a record learns who else has it open; leaving ends it at once', async () => {
  expect(await open('worker', 'itsm_incident/1001')).toEqual([])
  const second = await stage.send('admin', 'PUT /v1/viewers/itsm_incident/1001/a')
  expect(second.body).toEqual({
    status: 'OK',
    data: {
      enabled: true,
      viewers: [
        {
          user: { value: '201', display_value: 'Wanda Worker', link: 'BASE/rest/v1/table/user/201' },
          since: '2026-03-02 10:00:00',
        },
      ],
      refresh_seconds: 5,
      expire_seconds: 30,
    },
  })
  expect(await open('worker', 'itsm_incident/1001')).toEqual(['System Administrator'])
  // To look is not to have it open.
  expect(viewersOf((await stage.send('reader', 'GET /v1/viewers/task/1001')).body)).toEqual([
    'Wanda Worker',
    'System Administrator',
  ])
  expect(await open('worker', 'itsm_incident/1001')).toEqual(['System Administrator'])
  const left = await stage.send('admin', 'DELETE /v1/viewers/a')
  expect(left.body).toEqual({ status: 'OK', data: { page: 'a' } })
  expect(await open('worker', 'itsm_incident/1001')).toEqual([])
  expect(await open('worker', 'itsm_incident/1002')).toEqual([])
})

test('a record is the same under the name of its table and of a parent; two pages of a user are one viewer, until both are left', async () => {
  await open('worker', 'task/1001', 'one')
  await open('worker', 'itsm_incident/1001', 'two')
  expect(await open('admin', 'itsm_incident/1001')).toEqual(['Wanda Worker'])
  expect(await open('admin', 'task/1001')).toEqual(['Wanda Worker'])
  // A page is that of its user.
  await stage.send('admin', 'DELETE /v1/viewers/one')
  await stage.send('worker', 'DELETE /v1/viewers/two')
  expect(await open('admin', 'task/1001')).toEqual(['Wanda Worker'])
  await stage.send('worker', 'DELETE /v1/viewers/one')
  expect(await open('admin', 'task/1001')).toEqual([])
})

test('each process knows the viewers of all', async () => {
  await open('worker', 'task/1001')
  const put = await other.request('PUT', '/v1/viewers/task/1001/b', { as: stage.callerOf('admin') })
  expect(viewersOf(put.body)).toEqual(['Wanda Worker'])
  expect(await open('worker', 'task/1001')).toEqual(['System Administrator'])
})

test('who may not read the record gets the error of a read, and is no viewer of it', async () => {
  await open('worker', 'task/1004')
  await open('worker', 'task/1001')
  const errors = async (line: string) => {
    const response = await stage.send('reader', line)
    const { path, status } = { path: line.split('/').slice(3, 5).join('/'), status: response.status }
    const read = await stage.send('reader', `GET /rest/v1/table/${path}`)
    expect({ status, body: response.body }).toEqual({ status: read.status, body: read.body })
    return status
  }
  expect(await errors('PUT /v1/viewers/task/1004/p')).toBe(404)
  expect(await errors('GET /v1/viewers/task/1004')).toBe(404)
  expect(await errors('PUT /v1/viewers/task/999999/p')).toBe(404)
  expect(await errors('PUT /v1/viewers/probe/2001/p')).toBe(403)
  expect(await errors('PUT /v1/viewers/nonsense/1/p')).toBe(404)
  expect(await open('admin', 'task/1004')).toEqual(['Wanda Worker'])
  expect((await stage.send(null, 'PUT /v1/viewers/task/1001/p')).status).toBe(401)
})

test('who may not read a user does not learn that they are there, and without the right to the name gets none', async () => {
  await open('moscow', 'task/1004')
  expect(await open('worker', 'task/1004')).toEqual([])
  expect(await open('admin', 'task/1004')).toEqual(['Wanda Worker', 'Миша Московский'])
  expect(await open('nobody', 'task/1004')).toEqual([null, null])
  // One viewer is counted for each user that the caller may read, so the number reveals nobody.
  expect(await open('moscow', 'task/1004')).toHaveLength(3)
})

test('a page that sends nothing for 30 s is gone, and begins again when it comes back', async () => {
  await open('worker', 'task/1001')
  const age = (seconds: number) =>
    stage.run(sql`update docket_system.viewer set seen_at = seen_at - ${seconds}::integer * interval '1 second',
      opened_at = opened_at - ${seconds}::integer * interval '1 second' where user_id = 201`)
  await age(29)
  expect(await open('admin', 'task/1001')).toEqual(['Wanda Worker'])
  await age(2)
  expect(await open('admin', 'task/1001')).toEqual([])
  await open('worker', 'task/1001')
  const { body } = await stage.send('admin', 'GET /v1/viewers/task/1001')
  expect((body as { data: Viewers }).data.viewers[0]?.since).toBe('2026-03-02 10:00:00')
})

test('a report writes only if the last one is older than 12 s, and never into the log of changes', async () => {
  const state = async () =>
    stage.run(sql`select (select array_agg(concat_ws(' ', xmin, xmax, ctid, seen_at)) from docket_system.viewer) as rows,
      (select max(position)::text from docket_system.change) as log`)
  await open('worker', 'task/1001')
  const before = await state()
  for (let times = 0; times < 5; times += 1) await open('worker', 'task/1001')
  expect(await state()).toEqual(before)
  await stage.run(sql`update docket_system.viewer set seen_at = seen_at - interval '13 seconds'`)
  const older = await state()
  await open('worker', 'task/1001')
  expect(await state()).not.toEqual(older)
})

test('a user has 100 pages at most; the oldest make room', async () => {
  await open('worker', 'task/1001', 'first')
  await stage.run(sql`update docket_system.viewer set seen_at = seen_at - interval '5 seconds'`)
  await stage.run(sql`insert into docket_system.viewer (root_table, record_id, user_id, page, opened_at, seen_at)
    select 'task', '1002', 201, 'p' || n, docket_system.now_utc(), docket_system.now_utc() from generate_series(1, 99) n`)
  expect(await open('admin', 'task/1001')).toEqual(['Wanda Worker'])
  await open('worker', 'task/1003', 'last')
  expect(await open('admin', 'task/1001')).toEqual([])
  expect(await stage.run(sql`select count(*)::integer as count from docket_system.viewer where user_id = 201`)).toEqual(
    [{ count: 100 }],
  )
})

test('the id of a page is checked', async () => {
  for (const page of ['a.b', 'x'.repeat(65), '%D1%8F'])
    expect((await stage.send('worker', `PUT /v1/viewers/task/1001/${page}`)).status).toBe(400)
  expect((await stage.send('worker', 'DELETE /v1/viewers/a.b')).status).toBe(400)
})

test('off, unless the property is true: the response says so, and nothing is kept', async () => {
  const session = async () =>
    ((await stage.send('worker', 'GET /v1/auth/session')).body as { data: { features: object } }).data.features
  expect(await session()).toMatchObject({ viewers: true })
  await open('admin', 'task/1001')
  expect((await turn('yes')).status).toBe(422)
  expect((await turn('false')).status).toBe(200)
  expect(await session()).toMatchObject({ viewers: false })
  const { status, body } = await stage.send('worker', 'PUT /v1/viewers/task/1001/p')
  expect({ status, body }).toEqual({
    status: 200,
    body: { status: 'OK', data: { enabled: false, viewers: [], refresh_seconds: 5, expire_seconds: 30 } },
  })
  expect(await stage.run(sql`select page from docket_system.viewer where user_id = 201`)).toEqual([])
  // The record is checked in any case.
  expect((await stage.send('reader', 'PUT /v1/viewers/task/1004/p')).status).toBe(404)
  await turn('true')
})
