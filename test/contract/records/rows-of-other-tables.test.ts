import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { rule, type Stage, setStage, type Who } from './fixture.ts'

let stage: Stage
beforeAll(async () => {
  stage = await setStage([
    rule({ operation: 'read', table: 'task', column: 'description', roles: ['admin'] }),
    rule({ operation: 'read', table: 'user', column: 'email', roles: ['user'], condition: 'sys_id=201' }),
    rule({ operation: 'read', table: 'sys_user_group', roles: ['user'] }),
  ])
})
afterAll(() => stage.close())

async function send(who: Who, table: string, query: string): Promise<{ status: number; body: unknown }> {
  const path = `/rest/v1/table/${table}?sysparm_fields=sys_id&sysparm_query=${encodeURIComponent(query)}`
  const { status, body } = await stage.send(who, `GET ${path}`)
  return { status, body }
}

async function idsOf(who: Who, table: string, query: string): Promise<string> {
  const { status, body } = await send(who, table, query)
  expect({ status, query }).toEqual({ status: 200, query })
  return (body as { data: { sys_id: string }[] }).data.map(({ sys_id }) => sys_id).join(' ')
}

/** Tasks 1001 to 1008: callers 202 (1, 2) and 203 (3, 4, 5), assigned to 201 (1, 2) and 204 (5). All four users have company 301. */
const found: readonly (readonly [table: string, query: string, ids: string])[] = [
  ['user', 'RLQUERYtask.caller,>=1^ENDRLQUERY', '202 203'],
  ['user', 'RLQUERYtask.caller,>0^ENDRLQUERY^ORDERBYDESCsys_id', '203 202'],
  ['user', 'RLQUERYtask.caller,=3^ENDRLQUERY', '203'],
  ['user', 'RLQUERYtask.caller,!=3^ENDRLQUERY^sys_idIN201,202,203,204', '201 202 204'],
  ['user', 'RLQUERYtask.caller,<3^ENDRLQUERY^sys_idIN201,202,203,204', '201 202 204'],
  ['user', 'RLQUERYtask.caller,<=2^ENDRLQUERY^sys_idIN201,202,203,204', '201 202 204'],
  ['user', 'RLQUERYtask.caller,>2^ENDRLQUERY', '203'],
  ['user', 'RLQUERYtask.caller,>=0^ENDRLQUERY^sys_idIN201,202', '201 202'],
  ['user', 'RLQUERYtask.caller,=0^ENDRLQUERY^sys_idIN201,202,203,204', '201 204'],
  ['user', 'RLQUERYtask.caller,>=1^active=false^ENDRLQUERY', '203'],
  ['user', 'RLQUERYtask.caller,=0^active=false^ENDRLQUERY^sys_idIN201,202,203,204', '201 202 204'],
  ['user', 'RLQUERYtask.caller,=2^priority=1^ORpriority=2^ENDRLQUERY', '202'],
  ['user', 'RLQUERYtask.caller,=1^priority=1^state=2^NQstate=0^ENDRLQUERY', '202 203'],
  ['user', 'RLQUERYtask.caller,>=1,m2m^company.name=acme^ENDRLQUERY', '202 203'],
  ['user', 'RLQUERYitsm_incident.caller,>=2^ENDRLQUERY', '202 203'],
  ['user', 'RLQUERYitsm_problem.caller,>=1^ENDRLQUERY', ''],
  ['user', 'user_name=reader^ORRLQUERYtask.assigned_user,>=1^ENDRLQUERY', '201 202 204'],
  ['user', '(RLQUERYtask.caller,>=1^ENDRLQUERY^user_name=reader)^ORuser_name=worker', '201 202'],
  ['user', 'RLQUERYsys_user_group.user_id,>=1^group_id.name=First line^ENDRLQUERY', '201'],
  ['company', 'RLQUERYuser.company,>=4^ENDRLQUERY', '301'],
  ['company', 'RLQUERYuser.company,>=1^RLQUERYtask.caller,=3^ENDRLQUERY^ENDRLQUERY', '301'],
  ['company', 'RLQUERYuser.company,>=1^RLQUERYtask.caller,=4^ENDRLQUERY^ENDRLQUERY', ''],
  ['task', 'JOINtask.assigned_user=user.sys_id!', '1001 1002 1005'],
  ['task', 'JOINtask.assigned_user=user.sys_id!user_name=worker', '1001 1002'],
  ['task', 'JOINtask.assigned_user=user.sys_id!user_name=worker^sys_id=202', ''],
  ['task', 'JOINtask.assigned_user=user.sys_id!user_name=worker^ORuser_name=moscow', '1001 1002 1005'],
  ['task', 'JOINtask.assigned_user=user.sys_id!user_name=worker^ORDERBYDESCsys_id', '1002 1001'],
  ['task', 'JOINtask.assigned_user=user.sys_id!user_name=worker^ORDERBYsys_id^priority=2', '1002'],
  ['task', '(JOINtask.assigned_user=user.sys_id!user_name=worker)^priority=2', '1002'],
  ['task', 'priority=2^JOINtask.assigned_user=user.sys_id!user_name=worker', '1002'],
  ['task', 'JOINtask.caller=user.sys_id!user_name=nobody^JOINtask.assigned_user=user.sys_id!user_name=moscow', '1005'],
  [
    'task',
    'JOINtask.caller=user.sys_id!user_name=reader^ORJOINtask.assigned_user=user.sys_id!user_name=moscow',
    '1001 1002 1005',
  ],
  ['task', 'JOINtask.caller=user.sys_id!user_name=reader^NQsys_id=1008', '1001 1002 1008'],
  ['itsm_incident', 'JOINtask.company=user.company!', '1001 1003 1005'],
  ['itsm_incident', 'JOINitsm_incident.company=company.sys_id!city=London', '1001 1003 1005'],
  ['task', 'JOINtask.caller=task.assigned_user!', ''],
  ['user', 'JOINuser.sys_id=task.caller!priority=4', '203'],
]

describe('what conditions on other tables find (issue 15)', () => {
  test.each(found)('%s?%s', async (table, query, ids) => {
    expect(await idsOf('worker', table, query)).toBe(ids)
  })

  test('the total counts what the list shows', async () => {
    const query = encodeURIComponent('RLQUERYtask.caller,>=1^ENDRLQUERY')
    const response = await stage.send('worker', `GET /rest/v1/table/user?sysparm_limit=1&sysparm_query=${query}`)
    expect(response.headers['x-total-count']).toBe('2')
  })

  test('one record may be asked for with such a query', async () => {
    const query = (caller: string): string => encodeURIComponent(`JOINtask.caller=user.sys_id!user_name=${caller}`)
    const read = (caller: string) =>
      stage.send('worker', `GET /rest/v1/table/task/1001?sysparm_fields=sys_id&sysparm_query=${query(caller)}`)
    expect((await read('reader')).status).toBe(200)
    expect((await read('nobody')).status).toBe(404)
  })

  test('queries that differ in numbers alone share a statement and not its values', async () => {
    const numbers = ['2', '3', '4', '2']
    const ids = []
    for (const number of numbers) ids.push(await idsOf('worker', 'user', `RLQUERYtask.caller,=${number}^ENDRLQUERY`))
    expect(ids).toEqual(['202', '203', '', '202'])
  })
})

describe('rights (issue 15)', () => {
  test('only rows count that the caller may read', async () => {
    expect(await idsOf('reader', 'user', 'RLQUERYtask.caller,>=1^ENDRLQUERY')).toBe('202')
    expect(await idsOf('reader', 'user', 'RLQUERYtask.caller,=0^ENDRLQUERY^sys_idIN201,202,203,204')).toBe(
      '201 203 204',
    )
    expect(await idsOf('reader', 'user', 'JOINuser.sys_id=task.caller!')).toBe('202')
  })

  test('a column that may not be seen on a row is empty there', async () => {
    const query = 'JOINtask.assigned_user=user.sys_id!emailISNOTEMPTY'
    expect(await idsOf('worker', 'task', query)).toBe('1001 1002')
    expect(await idsOf('admin', 'task', query)).toBe('1001 1002 1005')
  })

  test('a table or a column that the caller may never read is 403, wherever it is named', async () => {
    const denied = async (who: Who, table: string, query: string): Promise<unknown> => {
      const { status, body } = await send(who, table, query)
      const [error] = (body as { errors: { code: string }[] }).errors
      return [status, error?.code]
    }
    expect(await denied('worker', 'user', 'RLQUERYsys_user_has_role.user_id,>=1^ENDRLQUERY')).toEqual([
      403,
      'ACCESS_DENIED',
    ])
    expect(await denied('worker', 'user', 'RLQUERYtask.caller,>=1^descriptionISEMPTY^ENDRLQUERY')).toEqual([
      403,
      'ACCESS_DENIED',
    ])
    expect(await denied('worker', 'probe', 'JOINprobe.title=task.description!')).toEqual([403, 'ACCESS_DENIED'])
    expect(await denied('worker', 'task', 'JOINtask.description=probe.title!')).toEqual([403, 'ACCESS_DENIED'])
    expect(
      await denied(
        'worker',
        'company',
        'RLQUERYuser.company,>0^RLQUERYtask.caller,>0^descriptionISEMPTY^ENDRLQUERY^ENDRLQUERY',
      ),
    ).toEqual([403, 'ACCESS_DENIED'])
  })

  test('what the caller may not read changes no response', async () => {
    const queries: readonly (readonly [string, string])[] = [
      ...['=0', '=1', '=2', '=3', '!=0', '!=2', '>1', '<2', '<=2', '>=3'].map(
        (count) => ['user', `RLQUERYtask.caller,${count}^ENDRLQUERY`] as const,
      ),
      ['user', 'RLQUERYtask.caller,<2^priority=2^ENDRLQUERY'],
      ['user', 'RLQUERYtask.caller,=0^subject!=x^ENDRLQUERY'],
      ['user', 'JOINuser.sys_id=task.caller!subjectLIKEdisk'],
      ['user', 'JOINuser.sys_id=task.assigned_user!'],
      ['user', 'JOINuser.company=task.company!state!=2'],
      ['company', 'RLQUERYuser.company,>=1^RLQUERYtask.caller,=3^ENDRLQUERY^ENDRLQUERY'],
      ['company', 'JOINcompany.sys_id=task.company!caller.user_nameISNOTEMPTY'],
    ]
    const responses = async (): Promise<unknown> => {
      const all: unknown[] = []
      for (const [table, query] of queries) {
        const path = `/rest/v1/table/${table}?sysparm_fields=sys_id&sysparm_query=${encodeURIComponent(query)}`
        const { status, headers, body } = await stage.send('reader', `GET ${path}`)
        all.push([query, status, headers['x-total-count'], body])
      }
      return all
    }
    const before = await responses()
    // The reader sees only their own tasks (caller 202).
    await stage.run(
      sql`update docket.task set caller = 204, assigned_user = 202, priority = '2', state = '0', company = 302 where sys_id in (1003, 1006)`,
    )
    await stage.run(sql`delete from docket.task where sys_id = 1005`)
    expect(await responses()).toEqual(before)
    expect(await idsOf('worker', 'user', 'RLQUERYtask.caller,=2^ENDRLQUERY')).toBe('202 204')
  })
})

/** A query on `task`, the position of its error, and a part of the message. */
const wrong: readonly (readonly [query: string, position: number, says: string])[] = [
  ['JOINtask.caller', 15, 'Expected = and a column of the other table'],
  ['JOINtask=user.sys_id!', 4, 'Expected a table and its column'],
  ['JOINtask.caller.company=user.company!', 4, 'Expected a table and its column'],
  ['JOINuser.company=company.sys_id!', 0, 'JOIN begins with a column of task; user is another table'],
  ['JOINtask.caller=nothing.sys_id!', 0, 'there is no table nothing'],
  ['JOINtask.nothing=user.sys_id!', 0, 'there is no column nothing in task'],
  ['JOINtask.caller=company.sys_id!', 0, 'JOIN compares fields of the same type'],
  ['JOINtask.subject=user.sys_id!', 0, 'JOIN compares fields of the same type'],
  ['active=true^JOINtask.caller=user.sys_id!nothing=1', 40, 'there is no column nothing in user'],
  ['RLQUERYtask.parent_id', 21, 'Expected , and a comparison with a number'],
  ['RLQUERYtask.parent_id,1^ENDRLQUERY', 22, 'Expected one of'],
  ['RLQUERYtask.parent_id,>=^ENDRLQUERY', 24, 'Expected a whole number of rows'],
  ['RLQUERYtask.parent_id,>=1000000001^ENDRLQUERY', 24, 'Expected a whole number of rows'],
  ['RLQUERYtask.parent_id,>=1', 25, 'or ^ENDRLQUERY'],
  ['RLQUERYtask.parent_id,>=1^active=true', 37, 'the ^ENDRLQUERY of the RLQUERY at position 0'],
  ['RLQUERYtask.parent_id,>=1^ORDERBYnumber^ENDRLQUERY', 26, 'An order stands outside RLQUERY'],
  ['RLQUERYtask.caller,>=1^ENDRLQUERY', 0, 'RLQUERY takes a reference to task; task.caller is none'],
  ['RLQUERYtask.subject,>=1^ENDRLQUERY', 0, 'RLQUERY takes a reference to task; task.subject is none'],
  ['active=true^ENDRLQUERY', 12, 'Expected a condition'],
  [
    'RLQUERYtask.parent_id,>0^RLQUERYtask.parent_id,>0^RLQUERYtask.parent_id,>0^ENDRLQUERY^ENDRLQUERY^ENDRLQUERY',
    50,
    'Conditions on other tables may stand in one another 2 times.',
  ],
]

describe('what such a condition says wrong is told with its position (issue 15)', () => {
  test.each(wrong)('%s', async (query, position, says) => {
    const { status, body } = await send('worker', 'task', query)
    const [error] = (body as { errors: { message: string; code: string; position: number }[] }).errors
    expect({ status, code: error?.code, position: error?.position }).toEqual({
      status: 400,
      code: 'BAD_QUERY',
      position,
    })
    expect(error?.message).toContain(says)
  })

  test('each counts as a condition', async () => {
    const many = (count: number): string =>
      Array.from({ length: count }, () => '(JOINtask.caller=user.sys_id!active=true)').join('^OR')
    expect((await send('worker', 'task', many(251))).status).toBe(400)
  })

  test('so many subqueries are rejected as so many references are', async () => {
    const many = Array.from({ length: 160 }, () => '(JOINtask.caller=user.sys_id!)').join('^OR')
    const { status, body } = await send('worker', 'task', many)
    expect({ status, body }).toMatchObject({
      status: 422,
      body: { errors: [{ message: expect.stringContaining('160 references') }] },
    })
  })

  test('a stored condition has none', async () => {
    const body = { operation: 'read', table_name: 'company', condition: 'RLQUERYuser.company,>0^ENDRLQUERY' }
    const { status, body: response } = await stage.send('admin', 'POST /rest/v1/table/sys_security_acl', { body })
    expect(status).toBe(422)
    expect(response).toMatchObject({
      errors: [{ message: expect.stringContaining('JOIN and RLQUERY are for queries') }],
    })
  })
})
