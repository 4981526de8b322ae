import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { nowMs, rule, type Stage, setStage } from './fixture.ts'

let ms = nowMs
let stage: Stage
beforeAll(async () => {
  stage = await setStage([], { clock: { nowMs: () => ms } })
})
afterAll(() => stage.close())

const create = (key: string, subject: string, line = 'POST /rest/v1/table/task') =>
  stage.send('worker', line, { body: { subject }, headers: { 'idempotency-key': key } })
const count = async (subject: string): Promise<unknown> =>
  (await stage.run(sql`select count(*)::integer as n from docket.task where subject = ${subject}`))[0]

test('the same create with the same key gets the first response', async () => {
  const first = await create('one', 'Once')
  const second = await create('one', 'Once')
  expect(first.status).toBe(200)
  expect({
    status: second.status,
    text: second.text,
    etag: second.headers.etag,
    location: second.headers.location,
  }).toEqual({
    status: 200,
    text: first.text,
    etag: first.headers.etag,
    location: first.headers.location,
  })
  expect(await count('Once')).toEqual({ n: 1 })
})

test('another request with the key is rejected', async () => {
  const other = await create('one', 'Another')
  expect([other.status, other.body]).toEqual([
    422,
    {
      status: 'ERROR',
      error_type: 'SERVER',
      message: 'The value of Idempotency-Key is rejected: another request had this key; each needs its own.',
      errors: [
        {
          message: 'The value of Idempotency-Key is rejected: another request had this key; each needs its own.',
          code: 'INVALID_VALUE',
          field: 'Idempotency-Key',
        },
      ],
      request_id: 'ID',
    },
  ])
  expect((await create('one', 'Once', 'POST /rest/v1/table/itsm_incident')).status).toBe(422)
  expect((await create('one', 'Once', 'POST /rest/v1/table/task?sysparm_fields=number')).status).toBe(422)
})

test('of many at once one creates, and all get its response', async () => {
  const responses = await Promise.all(Array.from({ length: 12 }, () => create('many', 'At once')))
  expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
  expect(responses[0]?.status).toBe(200)
  expect(await count('At once')).toEqual({ n: 1 })
})

test('a rejected create leaves the key free', async () => {
  const errorBody = await stage.send('worker', 'POST /rest/v1/table/task', {
    body: { subject: 'Free', priority: 'no such' },
    headers: { 'idempotency-key': 'free' },
  })
  expect(errorBody.status).toBe(422)
  expect((await create('free', 'Free')).status).toBe(200)
})

test('keys of two users have nothing to do with each other', async () => {
  const other = await stage.send('admin', 'POST /rest/v1/table/task', {
    body: { subject: 'Once' },
    headers: { 'idempotency-key': 'one' },
  })
  expect(other.status).toBe(200)
  expect(await count('Once')).toEqual({ n: 2 })
})

test('a table is made once, too', async () => {
  const make = () =>
    stage.send('admin', 'POST /rest/v1/table/sys_db_table', {
      body: { name: 'made_once', title: 'Made once' },
      headers: { 'idempotency-key': 'table' },
    })
  const first = await make()
  expect([first.status, (await make()).text]).toEqual([200, first.text])
})

test('after a day the key is free again', async () => {
  ms = nowMs + 86_400_000
  expect((await create('one', 'Next day')).status).toBe(200)
  expect(await count('Next day')).toEqual({ n: 1 })
  expect(
    await stage.run(sql`select key from docket_system.answered_once order by user_id desc, key`),
  ).not.toContainEqual({ key: 'many' })
})

test('a key that is too long is rejected', async () => {
  const response = await create('k'.repeat(256), 'Long')
  expect([response.status, response.text.includes('Idempotency-Key')]).toEqual([400, true])
})

test('a repeated create shows no field that the caller can no longer read (issue 8, A10)', async () => {
  const line = 'POST /rest/v1/table/task?sysparm_fields=subject,description'
  const first = await create('field', 'Field', line)
  expect(first.body).toEqual({ status: 'OK', data: [{ subject: 'Field', description: null }] })
  await stage.run(rule({ operation: 'read', table: 'task', column: 'description', roles: ['admin'] }))
  const again = await create('field', 'Field', line)
  await stage.run(sql`delete from docket.sys_security_acl where table_name = 'task' and column_name = 'description'`)
  expect([again.status, again.body]).toEqual([200, { status: 'OK', data: [{ subject: 'Field' }] }])
})

test('a repeated create has nothing of other records that the caller may not read any more', async () => {
  const linesOf = (display: string) =>
    `POST /rest/v1/table/task?sysparm_fields=subject,assigned_user,assigned_user.email&sysparm_exclude_reference_link=1${display}`
  const send = (key: string, display: string) =>
    stage.send('worker', linesOf(display), {
      body: { subject: 'Of others', assigned_user: '202' },
      headers: { 'idempotency-key': key },
    })
  const forms = [
    ['', '202', 'reader@example.com'],
    ['&sysparm_display_value=1', 'Rita Reader', 'reader@example.com'],
    [
      '&sysparm_display_value=all',
      { value: '202', display_value: 'Rita Reader' },
      { value: 'reader@example.com', display_value: 'reader@example.com' },
    ],
  ] as const
  for (const [at, [display, user, email]] of forms.entries()) {
    const first = await send(`others ${at}`, display)
    expect(first.body).toMatchObject({ status: 'OK', data: [{ assigned_user: user, 'assigned_user.email': email }] })
    expect((await send(`others ${at}`, display)).text).toBe(first.text)
  }
  // A change of the record itself is not in the response of the create.
  await stage.run(sql`update docket.task set subject = 'Changed' where subject = 'Of others'`)
  const setRule = (isActive: boolean) =>
    stage.run(
      sql`update docket.sys_security_acl set active = ${isActive} where table_name = 'user' and operation = 'read' and column_name is null`,
    )
  await setRule(false)
  const hidden = [
    { subject: 'Of others', assigned_user: '202', 'assigned_user.email': null },
    { subject: 'Changed', assigned_user: null, 'assigned_user.email': null },
    { assigned_user: { value: '202', display_value: null }, 'assigned_user.email': null },
  ]
  for (const [at, [display]] of forms.entries())
    expect((await send(`others ${at}`, display)).body).toMatchObject({ status: 'OK', data: [hidden[at]] })
  await setRule(true)
})

test('a repeated create of a record that the caller can no longer read is 404 (issue 8, A10)', async () => {
  const first = await create('hidden', 'Hidden')
  const { sys_id } = (first.body as { data: [{ sys_id: string }] }).data[0]
  await stage.run(
    sql`update docket.sys_security_acl set active = false where table_name = 'task' and operation = 'read' and column_name is null`,
  )
  const hidden = await create('hidden', 'Hidden')
  await stage.run(
    sql`update docket.sys_security_acl set active = true where table_name = 'task' and operation = 'read' and column_name is null`,
  )
  expect(hidden.status).toBe(403)
  await stage.run(sql`delete from docket.task where sys_id = ${sys_id}`)
  const gone = await create('hidden', 'Hidden')
  const message = `The table task has no record ${sys_id} that you may read.`
  expect([gone.status, gone.body]).toEqual([
    404,
    {
      status: 'ERROR',
      error_type: 'SERVER',
      message,
      errors: [{ message, code: 'RECORD_NOT_FOUND' }],
      request_id: 'ID',
    },
  ])
  expect(await count('Hidden')).toEqual({ n: 0 })
})
