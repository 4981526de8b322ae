import { expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { rule, setStage } from '../records/fixture.ts'
import { describeScenarios, type Scenario } from '../records/scenarios.ts'
import { failed, id, NO_RECORD, servedIds } from './expected.ts'

const classOf = (name: string) => sql`(select sys_id from docket.sys_db_table where name = ${name})`
const person = (sysId: number, name: string, of: string, active = true) =>
  sql`insert into docket."user" (sys_id, user_name, password, display_name, language, time_zone, active, sys_db_table_id)
    values (${sysId}::bigint, ${name}, 'x', ${name}, 'en', 'UTC', ${active}, ${classOf(of)})`

/** `worker` may write users, and read the active ones. */
const users = [
  servedIds,
  person(205, 'clerk', 'employee'),
  person(206, 'former', 'employee', false),
  person(207, 'robot', 'user'),
  sql`delete from docket.sys_security_acl where table_name = 'user'`,
  rule({ operation: 'read', table: 'user', roles: ['itil'], condition: 'active=true' }),
  ...(['create', 'write'] as const).map((operation) => rule({ operation, table: 'user', roles: ['itil'] })),
  rule({ operation: 'write', table: 'employee', column: 'employee_number', roles: ['admin'] }),
]
const FIELDS = 'sysparm_fields=sys_class_name,name,title,employee_number'
const change = (
  name: string,
  sysId: number,
  body: object,
  more: Pick<Scenario, 'status' | 'response'> & Partial<Scenario>,
): Scenario => ({
  name,
  as: 'worker',
  send: `PATCH /api/now/table/sys_user/${id(sysId)}?${FIELDS}`,
  body,
  writes: more.status === 200,
  ...more,
})
const record = (table: string, name: string, title: string, number = ''): unknown => ({
  result: { sys_class_name: table, name, title, employee_number: number },
})

const changes: readonly Scenario[] = [
  change(
    'a title of an employee is written where users are',
    205,
    { title: 'Accountant', name: 'Clara' },
    {
      status: 200,
      response: record('employee', 'Clara', 'Accountant'),
      responseHeaders: { 'x-ignored-fields': undefined },
    },
  ),
  change('and emptied', 205, { title: '' }, { status: 200, response: record('employee', 'Clara', '') }),
  change(
    'a user who is no employee has none, and the response says so',
    207,
    { title: 'Robot', name: 'Robby' },
    {
      status: 200,
      response: record('sys_user', 'Robby', ''),
      responseHeaders: { 'x-ignored-fields': 'title' },
    },
  ),
  change(
    'a column that the caller may not write is an error',
    205,
    { employee_number: 'E1' },
    {
      status: 403,
      response: failed('Operation Failed', 'ACL Exception Update Failed due to security constraints'),
    },
  ),
  // Whoever may not read an employee learns nothing of their class.
  ...[206, 299].map((sysId) =>
    change(
      `an employee whom the caller may not read, and nobody: ${sysId}`,
      sysId,
      { employee_number: 'E1' },
      {
        status: 404,
        response: NO_RECORD,
      },
    ),
  ),
  change(
    'an administrator writes both',
    205,
    { title: { value: 'Chief' }, employee_number: 'E1' },
    {
      as: 'admin',
      status: 200,
      response: record('employee', 'Clara', 'Chief', 'E1'),
    },
  ),
]

const create = (name: string, body: object, response: unknown, ignored?: string): Scenario => ({
  name,
  as: 'worker',
  send: `POST /api/now/table/sys_user?${FIELDS}`,
  body,
  status: 201,
  response,
  responseHeaders: { 'x-ignored-fields': ignored },
  writes: true,
})
const creates: readonly Scenario[] = [
  create(
    'with a title, an employee is made',
    { user_name: 'n1', name: 'New', title: 'Clerk' },
    record('employee', 'New', 'Clerk'),
  ),
  create('without one, a user', { user_name: 'n2', name: 'Plain' }, record('sys_user', 'Plain', '')),
  create(
    'with empty ones, a user; the response says what was left out',
    { user_name: 'n3', name: 'Empty', title: '', employee_number: null },
    record('sys_user', 'Empty', ''),
    'title, employee_number',
  ),
]

test('the version of an employee is that of the user (issue 15, section 8)', async () => {
  const stage = await setStage(users)
  const address = `/api/now/table/sys_user/${id(205)}?${FIELDS}`
  const version = async (): Promise<string> => String((await stage.send('admin', `GET ${address}`)).headers['etag'])
  const patch = (etag: string, title: string) =>
    stage.send('admin', `PATCH ${address}`, { body: { title, name: title }, headers: { 'if-match': etag } })
  const first = await version()
  const written = await patch(first, 'Clerk')
  expect({ status: written.status, body: written.body }).toEqual({
    status: 200,
    body: record('employee', 'Clerk', 'Clerk'),
  })
  expect(written.headers['etag']).toBe(await version())
  expect((await patch(first, 'Late')).status).toBe(409)
  await stage.close()
})

describeScenarios('changes of columns that only employees have (issue 15, section 3)', changes, users)
describeScenarios('creates with columns that only employees have (issue 15, section 3)', creates, users)
