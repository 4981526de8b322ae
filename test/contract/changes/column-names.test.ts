import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { type EventReader, readEvents } from '../../harness/read-events.ts'
import { PASSWORD, rule, type Stage, setStage, type Who } from '../records/fixture.ts'

/**
 * Columns whose names are also names of rows in Docket's own statements: for PostgreSQL, `to_jsonb(a)` is a column `a`, if there is one,
 * and only otherwise the row `a`.
 */
const NAMES = [
  ...'abcdefghijklmnopqrstuvwxyz',
  'before',
  'after',
  'made',
  'gone',
  'files',
  'noted',
  'record',
  'own',
  'later',
]
const names = (prefix: string) => Object.fromEntries(NAMES.map((name) => [name, `${prefix} ${name}`]))
const column = (table: string, name: string) =>
  sql`select docket_system.define_column(${table}, ${name}, 'string', ${name}, ${name}, '{}'::jsonb)`

let stage: Stage
const open: EventReader[] = []
beforeAll(async () => {
  stage = await setStage([
    sql`select docket_system.define_table('odd', 'Odd', 'Odd')`,
    sql`update docket.sys_db_table set is_audit = true where name = 'odd'`,
    column('odd', 'visible'),
    ...NAMES.map((name) => column('odd', name)),
    ...['user', 'sys_group', 'task'].flatMap((table) =>
      ['g', 'm', 't', 'v', 'before', 'after', 'outcome', 'of_task', 'by_user', 'minutes'].map((name) =>
        column(table, name),
      ),
    ),
    rule({ operation: 'read', table: 'odd', roles: ['user'], condition: 'visible=yes' }),
  ])
})
afterAll(async () => {
  await Promise.all(open.map((reader) => reader.close()))
  await stage.close()
})

async function listen(who: Who): Promise<EventReader> {
  const { user, password } = stage.callerOf(who) as { user: string; password: string }
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
  const reader = await readEvents(`${stage.docket.baseUrl}/rest/v1/events?tables=odd`, { authorization })
  open.push(reader)
  await reader.until(() => reader.lastId() !== null)
  return reader
}
const idOf = ({ body }: { readonly body: unknown }) => (body as { data: { sys_id: string }[] }).data[0]?.sys_id ?? ''
const newValues = ({ data }: { readonly data: unknown }) =>
  Object.fromEntries(
    Object.entries((data as { changes: Record<string, { new_value: unknown }> }).changes).map(([name, value]) => [
      name,
      value.new_value,
    ]),
  )

test('events have all values of columns with names of rows, also for readers whose rights depend on the record', async () => {
  const [all, some] = [await listen('admin'), await listen('reader')]
  const id = idOf(await stage.send('admin', 'POST /rest/v1/table/odd', { body: { visible: 'no', ...names('first') } }))
  await stage.send('admin', `PATCH /rest/v1/table/odd/${id}`, { body: { visible: 'yes', a: 'second a' } })
  await stage.send('admin', `PATCH /rest/v1/table/odd/${id}`, { body: names('third') })
  expect((await all.until((events) => events.length === 3)).map(newValues)).toEqual([
    { visible: 'no', ...names('first') },
    { visible: 'yes', a: 'second a' },
    names('third'),
  ])
  expect((await some.until((events) => events.length === 2)).map(newValues)).toEqual([
    { visible: 'yes', ...names('first'), a: 'second a' },
    names('third'),
  ])
  const history = await stage.send('admin', `GET /rest/v1/history/odd/${id}`)
  const changes = (history.body as { data: { changes: { column: string; new_value: unknown }[] }[] }).data
  expect(changes.map((change) => change.changes.length)).toEqual([NAMES.length, 2, NAMES.length + 1])
})

test('a group that is no longer active gives its members no roles, whatever columns groups have', async () => {
  await stage.run(sql`insert into docket.sys_group_has_role (group_id, role_id)
    select 401, sys_id from docket.sys_role where name = 'document_writer'`)
  const roles = async () => {
    const { body } = await stage.send('worker', 'GET /v1/auth/session')
    return (body as { data: { roles: readonly string[] } }).data.roles
  }
  expect(await roles()).toContain('document_writer')
  await stage.send('admin', 'PATCH /rest/v1/table/sys_group/401', { body: { active: false } })
  expect(await roles()).not.toContain('document_writer')
})

test('the change of a task by its approvals is logged, whatever columns tasks have', async () => {
  const task = idOf(
    await stage.send('admin', 'POST /rest/v1/table/itsm_change_request', { body: { subject: 'x', t: 'text' } }),
  )
  const body = { task, approver: '201', state: 'requested' }
  expect((await stage.send('admin', 'POST /rest/v1/table/sys_approval', { body })).status).toBe(200)
  const [change] = await stage.run(sql`select changes -> 'approval_state' as state from docket_system.change
    where record_id = ${task} and operation = 'u' order by position desc limit 1`)
  expect(change).toEqual({ state: ['not_requested', 'requested'] })
})

test('users change their password, whatever columns users have', async () => {
  const body = { old: PASSWORD, new: 'another password of the reader' }
  expect((await stage.send('reader', 'POST /v1/auth/password', { body })).status).toBe(200)
})

test('users sign in, whatever columns users have', async () => {
  const body = { username: 'worker', password: PASSWORD }
  expect((await stage.send(null, 'POST /v1/auth/login', { body })).status).toBe(200)
})
