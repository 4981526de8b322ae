import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { type Stage, setStage, type Who } from '../records/fixture.ts'
import { errorBody } from '../records/scenarios.ts'

/** Rules: `itil` and `user` may read the history of what they may read, and some columns are for `itil` only. */
const rules = [
  ['read', 'sys_history', null, 'itil'],
  ['read', 'sys_history', null, 'user'],
].map(
  ([
    operation,
    table,
    column,
    role,
  ]) => sql`insert into docket.sys_security_acl (operation, table_name, column_name, roles, admin_overrides)
    values (${operation}, ${table}, ${column}::text, array[(select sys_id::text from docket.sys_role where name = ${role})], true)`,
)

let stage: Stage
let task = ''
beforeAll(async () => {
  stage = await setStage(rules)
  const made = await stage.send('admin', 'POST /rest/v1/table/task', {
    body: { subject: 'Printer', caller: '202', work_notes: 'Seen it' },
  })
  task = (made.body as { data: { sys_id: string }[] }).data[0]?.sys_id ?? ''
})
afterAll(() => stage.close())

const historyOf = (as: Who | null, id: string, query = '') => stage.send(as, `GET /rest/v1/history/task/${id}${query}`)

interface Change {
  readonly operation: string
  readonly changed_by: { readonly value: string; readonly display_value: string }
  readonly changes: readonly { readonly column: string; readonly old_value: unknown; readonly new_value: unknown }[]
}
const changesIn = (response: { readonly body: unknown }): readonly Change[] =>
  (response.body as { data: Change[] }).data
const columnsIn = (change: Change | undefined): readonly string[] => (change?.changes ?? []).map(({ column }) => column)

test('a create is a change: what the record was given, and its first notes', async () => {
  const [created, ...others] = changesIn(await historyOf('admin', task))
  expect(others).toEqual([])
  expect(created?.operation).toBe('create')
  const given = Object.fromEntries((created?.changes ?? []).map(({ column, new_value }) => [column, new_value]))
  expect(given).toMatchObject({ subject: 'Printer', caller: '202', work_notes: 'Seen it', state: '0', active: true })
  expect(created?.changes.filter(({ old_value }) => old_value !== null)).toEqual([])
})

test('a change tells who, when, and old and new values of the columns that differ, as stored and as people read them', async () => {
  await stage.send('worker', `PATCH /rest/v1/table/task/${task}`, {
    body: { state: '2', subject: 'Printer', assigned_user: '201' },
  })
  const response = await historyOf('worker', task, '?sysparm_limit=1')
  expect({ status: response.status, data: (response.body as { data: unknown }).data }).toEqual({
    status: 200,
    data: [
      {
        change: expect.stringMatching(/^[\w-]{22}$/),
        operation: 'update',
        table: 'task',
        changed_at: '2026-03-02 10:00:00',
        changed_by: { value: '201', display_value: 'Wanda Worker', link: 'BASE/rest/v1/table/user/201' },
        changes: [
          {
            column: 'assigned_user',
            title: 'Assigned to',
            old_value: null,
            new_value: '201',
            old_display_value: null,
            new_display_value: 'Wanda Worker',
          },
          {
            column: 'state',
            title: 'State',
            old_value: '0',
            new_value: '2',
            old_display_value: 'Registered',
            new_display_value: 'In progress',
          },
          {
            column: 'state_changed_at',
            title: 'State changed',
            old_value: null,
            new_value: '2026-03-02 10:00:00',
            old_display_value: null,
            new_display_value: '2026-03-02 10:00:00',
          },
        ],
      },
    ],
  })
  expect(response.headers).toMatchObject({
    'x-total-count': '2',
    'x-next-cursor': expect.stringMatching(/^[\w-]{22}$/),
  })
})

test('pages by cursor cover every change once', async () => {
  const [, ...earlier] = changesIn(await historyOf('worker', task, '?sysparm_limit=10'))
  const first = await historyOf('worker', task, '?sysparm_limit=1')
  const cursor = String(first.headers['x-next-cursor'])
  const second = await historyOf('worker', task, `?sysparm_limit=1&sysparm_cursor=${cursor}`)
  expect(changesIn(second)).toEqual(earlier)
  expect(second.headers['x-next-cursor']).toBeUndefined()
  expect(changesIn(await historyOf('worker', task, '?sysparm_limit=1&sysparm_page=2'))).toEqual(earlier)
})

test('a write that changes nothing, and one that is rejected, leave no change', async () => {
  const before = await historyOf('admin', task)
  await stage.send('worker', `PATCH /rest/v1/table/task/${task}`, { body: { state: '2' } })
  await stage.send('worker', `PATCH /rest/v1/table/task/${task}`, { body: { state: '1', caller: '999' } })
  await stage.send('worker', `PATCH /rest/v1/table/task/${task}`, {
    body: { state: '1' },
    headers: { 'if-match': '"of yesterday"' },
  })
  expect((await historyOf('admin', task)).body).toEqual(before.body)
})

describe('rights are those of the record and its columns:', () => {
  test('a column that the caller may not read is not spoken of, and a change of nothing else is not there', async () => {
    await stage.run(sql`insert into docket.sys_security_acl (operation, table_name, column_name, roles, admin_overrides)
      select 'read', 'task', c, array[(select sys_id::text from docket.sys_role where name = 'itil')], true
      from unnest(array['state', 'work_notes']) as c`)
    await stage.send('worker', `PATCH /rest/v1/table/task/${task}`, { body: { state: '3' } })
    const [newest] = changesIn(await historyOf('worker', task))
    expect(columnsIn(newest)).toEqual(['state'])
    const response = await historyOf('reader', task)
    const seen = changesIn(response)
    expect(seen.map(({ operation }) => operation)).toEqual(['update', 'create'])
    expect(seen.flatMap(columnsIn)).not.toContain('state')
    expect(seen.flatMap(columnsIn)).not.toContain('work_notes')
    expect(response.headers['x-total-count']).toBe('2')
  })

  test('a rule of a child for a column that it has from its parent holds for the child’s records, though a sibling has none', async () => {
    await stage.run(sql`insert into docket.sys_security_acl (operation, table_name, column_name, roles, admin_overrides)
      select 'read', 'itsm_incident', 'urgency', array[(select sys_id::text from docket.sys_role where name = 'security_admin')], true`)
    const made = await stage.send('admin', 'POST /rest/v1/table/itsm_incident', {
      body: { subject: 'Quiet', urgency: '1', work_notes: 'seen' },
    })
    const id = (made.body as { data: { sys_id: string }[] }).data[0]?.sys_id ?? ''
    const columns = changesIn(await historyOf('worker', id)).flatMap(columnsIn)
    expect(columns).toContain('subject')
    expect(columns).not.toContain('urgency')
    const rows = await stage.send(
      'worker',
      `GET /rest/v1/table/sys_history?sysparm_query=record_id=${id}^column_name=urgency&sysparm_limit=10`,
    )
    expect((rows.body as { data: unknown[] }).data).toEqual([])
  })

  test('the Table API shows the same under sys_history', async () => {
    for (const who of ['worker', 'reader', 'admin'] as const) {
      const rows = (
        (
          await stage.send(
            who,
            `GET /rest/v1/table/sys_history?sysparm_query=record_id=${task}^ORDERBYDESCsys_id&sysparm_limit=1000&sysparm_exclude_reference_link=1`,
          )
        ).body as { data: { column_name: string; new_value: string | null; sys_created_by: string }[] }
      ).data
      const described = changesIn(await historyOf(who, task)).flatMap(({ changes, changed_by }) =>
        changes.map(({ column, new_value }) => `${changed_by.value} ${column} ${new_value}`),
      )
      expect(rows.map((row) => `${row.sys_created_by} ${row.column_name} ${row.new_value}`).sort()).toEqual(
        described.toSorted(),
      )
    }
  })

  const rejections = [
    ['nobody', 'task', '1001', 403, 'ACCESS_DENIED'],
    ['admin', 'task', '999999', 404, 'RECORD_NOT_FOUND'],
    ['admin', 'task', 'abc', 404, 'RECORD_NOT_FOUND'],
    ['admin', 'itsm_problem', '1001', 404, 'RECORD_NOT_FOUND'],
    ['admin', 'nothing', '1', 404, 'TABLE_NOT_FOUND'],
    [null, 'task', '1001', 401, 'UNAUTHENTICATED'],
  ] as const
  test.each(rejections)('%s asks for %s %s: %i', async (as, table, id, status, code) => {
    const response = await stage.send(as, `GET /rest/v1/history/${table}/${id}`)
    expect([response.status, (response.body as { errors: { code: string }[] }).errors[0]?.code]).toEqual([status, code])
  })

  test.each([
    ['sysparm_limit=0', 'sysparm_limit'],
    ['sysparm_limit=1001', 'sysparm_limit'],
    ['sysparm_page=x', 'sysparm_page'],
    ['sysparm_cursor=x', 'sysparm_cursor'],
  ])('%s is rejected', async (query, field) => {
    const response = await historyOf('admin', task, `?${query}`)
    expect([response.status, (response.body as { errors: { field: string }[] }).errors[0]?.field]).toEqual([400, field])
  })

  test.each([
    ['admin', 'The parameter sysparm_page must be given without sysparm_cursor; found both.'],
    ['moscow', 'Неверное значение параметра sysparm_page. Ожидается: без sysparm_cursor. Получено: оба параметра.'],
  ] as const)('%s: a page beside a cursor is rejected, as in lists', async (as, message) => {
    const first = await historyOf('admin', task, '?sysparm_limit=1')
    const cursor = String(first.headers['x-next-cursor'])
    const { status, body } = await historyOf(as, task, `?sysparm_limit=1&sysparm_page=2&sysparm_cursor=${cursor}`)
    expect({ status, body }).toEqual({
      status: 400,
      body: errorBody('BAD_PARAMETER', message, { field: 'sysparm_page' }),
    })
    expect((await historyOf(as, task, `?sysparm_limit=1&sysparm_page=1&sysparm_cursor=${cursor}`)).status).toBe(200)
  })
})

test('what is changed through a parent’s path is told of the record’s own class', async () => {
  const made = await stage.send('admin', 'POST /rest/v1/table/itsm_incident', {
    body: { subject: 'VPN', severity: '1' },
  })
  const id = (made.body as { data: { sys_id: string }[] }).data[0]?.sys_id ?? ''
  await stage.send('admin', `PATCH /rest/v1/table/task/${id}`, { body: { priority: '1' } })
  const [update, create] = changesIn(await historyOf('admin', id)) as readonly (Change & { table: string })[]
  expect([update?.table, create?.table]).toEqual(['itsm_incident', 'itsm_incident'])
  expect(columnsIn(create)).toContain('severity')
  expect(columnsIn(update)).toEqual(['priority'])
})

test('a deletion is told with all that the record held, to those who see everything', async () => {
  const made = await stage.send('admin', 'POST /rest/v1/table/itsm_incident', {
    body: { subject: 'Gone', severity: '1' },
  })
  const id = (made.body as { data: { sys_id: string }[] }).data[0]?.sys_id ?? ''
  expect((await stage.send('admin', `DELETE /rest/v1/table/task/${id}`)).status).toBe(200)
  const [deleted] = changesIn(await historyOf('admin', id))
  expect(deleted?.operation).toBe('delete')
  expect(columnsIn(deleted)).toEqual(expect.arrayContaining(['subject', 'severity', 'number', 'sys_created_at']))
  expect((await historyOf('worker', id)).status).toBe(404)
})

test('the log holds no secret', async () => {
  await stage.send('admin', 'POST /rest/v1/table/user', {
    body: { user_name: 'sam', password: 'a new password for sam', display_name: 'Sam' },
  })
  await stage.send('admin', 'PATCH /rest/v1/table/user/203', { body: { password: 'another password for nemo' } })
  const rows = await stage.run(sql`select changes from docket_system.change where changes ? 'password'`)
  expect(rows).toEqual([])
})

test('deleted records are kept in the log of deletions where the table asks for it', async () => {
  await stage.run(sql`update docket.sys_db_table set record_deletion_logging = true where name = 'company'`)
  const made = await stage.send('admin', 'POST /rest/v1/table/company', { body: { name: 'Short-lived', city: 'Tver' } })
  const id = (made.body as { data: { sys_id: string }[] }).data[0]?.sys_id ?? ''
  await stage.send('admin', `DELETE /rest/v1/table/company/${id}`)
  const response = await stage.send(
    'admin',
    'GET /rest/v1/table/sys_record_deletion_log?sysparm_fields=table_id,record_id,display_value,values,sys_created_by&sysparm_exclude_reference_link=1',
  )
  expect((response.body as { data: unknown[] }).data).toEqual([
    {
      table_id: 'company',
      record_id: id,
      display_value: 'Short-lived',
      values: expect.objectContaining({ name: 'Short-lived', city: 'Tver', active: true }),
      sys_created_by: '155931135900000001',
    },
  ])
})

test('a record that was queued is in the log when it is made', async () => {
  const made = await stage.send('worker', 'POST /rest/v1/table/sys_schedule', { body: { name: 'Night shift' } })
  const queued =
    made.status === 200
      ? made
      : await stage.send('admin', 'POST /rest/v1/table/sys_schedule', { body: { name: 'Night shift' } })
  const id = (queued.body as { data: { sys_id: string }[] }).data[0]?.sys_id ?? ''
  await stage.run(sql`select docket_system.create_queued_records(3)`)
  const logged = () =>
    stage.run(
      sql`select operation, changes ->> 'name' as name, changes ->> 'days' as days from docket_system.change where record_id = ${id}`,
    )
  // The worker of the server may have processed the record before the line above.
  await expect.poll(logged, { timeout: 30_000 }).toEqual([{ operation: 'c', name: 'Night shift', days: '31' }])
})
