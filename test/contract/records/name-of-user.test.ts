import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { type Stage, setStage } from './fixture.ts'

let stage: Stage
beforeAll(async () => {
  stage = await setStage([])
})
afterAll(() => stage.close())

const create = (table: string, body: object) => stage.send('admin', `POST /rest/v1/table/${table}`, { body })
const nameOf = async (table: string, body: object): Promise<unknown> => {
  const made = await create(table, body)
  expect(made.status).toBe(200)
  return (made.body as { data: [Readonly<Record<string, unknown>>] }).data[0]['display_name']
}

test.each([
  [{ user_name: 'one' }, 'one'],
  [{ user_name: 'two', first_name: 'Tom', last_name: 'Two' }, 'Tom Two'],
  [{ user_name: 'three', last_name: ' Three ' }, 'Three'],
  [{ user_name: 'four', first_name: 'Fay', display_name: 'Dr. Four' }, 'Dr. Four'],
  [{ user_name: 'five', display_name: '', last_name: 'Five' }, 'Five'],
  [{ user_name: 'six', display_name: null }, 'six'],
])('a new user has a name that records can display: %j', async (body, name) => {
  expect(await nameOf('user', body)).toBe(name)
})

test('so has a new employee, one of the ServiceNow API, and one of an import; the log has the name', async () => {
  expect(await nameOf('employee', { user_name: 'emma', first_name: 'Emma', last_name: 'Employee' })).toBe(
    'Emma Employee',
  )
  const now = await stage.send('admin', 'POST /api/now/table/sys_user', {
    body: { user_name: 'nora', first_name: 'Nora' },
  })
  expect((now.body as { result: { name: string } }).result.name).toBe('Nora')
  const csv = 'user_name,first_name,last_name\nivan,Иван,Импортов\nirma,,\n'
  const sent = await stage.send('admin', 'POST /rest/v1/import/user', {
    body: csv,
    headers: { 'content-type': 'text/csv' },
  })
  expect(sent.body).toMatchObject({ data: { inserted: 2 } })
  const rows =
    await stage.run(sql`select u.display_name as name, c.changes ->> 'display_name' as logged from docket."user" u
    join docket_system.change c on c.record_id = u.sys_id::text where u.user_name in ('ivan', 'irma') order by 1`)
  expect(rows).toEqual([
    { name: 'irma', logged: 'irma' },
    { name: 'Иван Импортов', logged: 'Иван Импортов' },
  ])
})

test('a user needs a user name, and white space is none', async () => {
  for (const body of [{ first_name: 'Nobody' }, { user_name: '', first_name: 'Nobody' }, { user_name: ' \t' }]) {
    const { status, body: response } = await create('user', body)
    expect([status, (response as { errors: { field: string }[] }).errors[0]?.field]).toEqual([422, 'user_name'])
  }
})

test('a later change of the first name leaves the displayed name alone', async () => {
  const made = await create('user', { user_name: 'seven', first_name: 'Sue' })
  const [{ sys_id: id }] = (made.body as { data: [{ sys_id: string }] }).data
  const changed = await stage.send('admin', `PATCH /rest/v1/table/user/${id}`, { body: { first_name: 'Susan' } })
  expect(changed.body).toMatchObject({ data: [{ first_name: 'Susan', display_name: 'Sue' }] })
})
