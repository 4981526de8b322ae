import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { type Stage, setStage, type Who } from '../records/fixture.ts'

const PREFIX = 'c0ffee0123456789'
const id = (sysId: number): string => PREFIX + sysId.toString(16).padStart(16, '0')
const FLAT = 'sysparm_exclude_reference_link=true&sysparm_fields'

let stage: Stage
beforeAll(async () => {
  stage = await setStage([sql`update docket_system.served_id set prefix = ${PREFIX}`])
})
afterAll(() => stage.close())

const call = async (as: Who, line: string, body?: unknown) => {
  const { status, body: received, headers } = await stage.send(as, line, body === undefined ? {} : { body })
  return { status, body: received as { readonly result: never }, headers }
}
const numbers = async (query: string, as: Who = 'worker') => {
  const { status, body } = await call(as, `GET /api/now/table/task?${query}&sysparm_fields=number`)
  return {
    status,
    numbers: (body.result as readonly { readonly number: string }[] | undefined)?.map((row) => row.number),
  }
}
const failed = (message: string, detail: unknown) => ({
  error: { message, detail },
  status: 'failure',
  request_id: 'ID',
})

describe('a parameter that is a column (issue 15, section 6)', () => {
  test.each([
    ['caller_id=Rita%20Reader', `caller_id=${id(202)}`],
    ['caller_id=rita%20reader', `caller_id=${id(202)}`],
    ['approval=Not%20Yet%20Requested', 'approval=not%20requested'],
    ['caller_id.company=Acme', `caller_id.company=${id(301)}`],
  ])('takes titles and display values: %s is %s', async (written, same) => {
    const { numbers: found } = await numbers(written)
    expect(found).toEqual((await numbers(same)).numbers)
    expect(found?.length).toBeGreaterThan(0)
  })

  test('the title of a state is that of the class of each row', async () => {
    const byTitle = await call('worker', `GET /api/now/table/task?state=In%20Progress&${FLAT}=state,sys_class_name`)
    const byTitleInRussian = await call(
      'worker',
      `GET /api/now/table/incident?state=${encodeURIComponent('В работе')}&${FLAT}=state`,
    )
    expect([byTitle.status, byTitleInRussian.status]).toEqual([200, 200])
    const states = [
      ...(byTitle.body.result as readonly object[]),
      ...(byTitleInRussian.body.result as readonly object[]),
    ]
    expect(new Set(states.map((row) => (row as { readonly state: string }).state))).toEqual(new Set(['2']))
  })

  test.each(['caller_id=Nobody%20Here', 'approval=sometimes', `caller_id=${'f'.repeat(32)}`])(
    'finds nothing by what is neither: %s',
    async (query) => {
      expect(await numbers(query)).toEqual({ status: 200, numbers: [] })
    },
  )

  test('a condition of a query takes values alone', async () => {
    expect((await numbers('sysparm_query=approval=Not%20Yet%20Requested')).numbers ?? []).toEqual([])
  })
})

describe('sysparm_suppress_auto_sys_field (issue 15, section 6)', () => {
  const STAMPS = 'sys_created_on,sys_created_by,sys_updated_on,sys_updated_by'
  const given = {
    sys_created_on: '2019-01-02 03:04:05',
    sys_created_by: 'reader',
    sys_updated_on: '2019-02-03 04:05:06',
    sys_updated_by: 'moscow',
  }
  const now = { sys_created_on: '2026-03-02 10:00:00', sys_updated_on: '2026-03-02 10:00:00' }
  const path = (more = 'true') => `incident?sysparm_suppress_auto_sys_field=${more}&${FLAT}=${STAMPS}`

  test('lets an administrator give who created and changed a record, and when; the log has the administrator', async () => {
    const made = await call('admin', `POST /api/now/table/${path()},sys_id`, { short_description: 'Stamped', ...given })
    expect(made.headers['x-ignored-fields']).toBeUndefined()
    const { sys_id: sysId } = made.body.result as { readonly sys_id: string }
    expect({ status: made.status, body: made.body }).toEqual({
      status: 201,
      body: { result: { ...given, sys_id: sysId } },
    })
    const later = { sys_updated_on: '2020-01-01 00:00:00', sys_updated_by: 'worker' }
    const changed = await call('admin', `PATCH /api/now/table/incident/${sysId}${path().slice('incident'.length)}`, {
      short_description: 'Stamped again',
      ...later,
    })
    expect({ status: changed.status, body: changed.body }).toEqual({
      status: 200,
      body: { result: { ...given, ...later } },
    })
    expect(
      await stage.run(sql`select u.user_name from docket_system.change c join docket."user" u on u.sys_id = c.changed_by
        where c.record_id = (select sys_id::text from docket.task where subject = 'Stamped again') order by c.position`),
    ).toEqual([{ user_name: 'admin' }, { user_name: 'admin' }])
  })

  test.each([
    ['worker', 'true'],
    ['admin', 'false'],
    ['admin', ''],
  ] as const)('does nothing for %s with %j: the columns are read-only', async (who, value) => {
    const { status, body, headers } = await call(who, `POST /api/now/table/${path(value)}`, {
      short_description: 'Not stamped',
      ...given,
    })
    expect({ status, body, ignored: headers['x-ignored-fields'] }).toEqual({
      status: 201,
      body: { result: { ...now, sys_created_by: who, sys_updated_by: who } },
      ignored: STAMPS.replaceAll(',', ', '),
    })
  })

  test('what it cannot read is 400, and a name that nobody has as well', async () => {
    expect(await call('admin', `POST /api/now/table/${path('perhaps')}`, {})).toMatchObject({
      status: 400,
      body: failed('Invalid value', expect.stringContaining('sysparm_suppress_auto_sys_field')),
    })
    expect(
      await call('admin', `POST /api/now/table/${path()}`, { short_description: 'x', sys_created_by: 'none.such' }),
    ).toMatchObject({
      status: 400,
      body: failed('Invalid value', expect.stringContaining('sys_created_by')),
    })
  })
})

describe('short addresses of lists (issue 15, section 11)', () => {
  const shorten = async (url: unknown, as: Who = 'worker') => call(as, 'POST /api/now/tinyurl', { url })
  const idIn = (text: string): string => /^task_list\.do\?sysparm_tiny=([0-9a-f]{32})$/.exec(text)?.[1] ?? ''

  test.each([
    'task_list.do?sysparm_query=numberSTARTSWITHINC^ORDERBYnumber&sysparm_limit=2',
    '/task_list.do?sysparm_query=numberSTARTSWITHINC%5EORDERBYnumber&sysparm_limit=2#top',
    'https://example.service-now.com/api/now/table/task?sysparm_query=numberSTARTSWITHINC^ORDERBYnumber&sysparm_limit=2',
  ])('%s', async (url) => {
    const made = await shorten(url)
    expect({ status: made.status, body: made.body }).toEqual({
      status: 201,
      body: { result: expect.stringMatching(/^task_list\.do\?sysparm_tiny=[0-9a-f]{32}$/) },
    })
    const tiny = idIn(made.body.result)
    const list = await call('worker', `GET /api/now/table/task?sysparm_tiny=${tiny}&sysparm_fields=number`)
    expect({ status: list.status, body: list.body }).toEqual({
      status: 200,
      body: { result: [{ number: 'INC0000001' }, { number: 'INC0000002' }] },
    })
    expect(list.headers['link']).toContain(
      `/api/now/table/task?sysparm_tiny=${tiny}&sysparm_fields=number&sysparm_limit=2&sysparm_offset=0`,
    )
    expect(list.headers['x-ignored-parameters']).toBeUndefined()
    // The request's own parameters come first.
    expect((await numbers(`sysparm_tiny=${tiny}&sysparm_limit=1`)).numbers).toEqual(['INC0000001'])
    // Of another user, and after a day, it is none.
    const again = await shorten(`task_list.do?sysparm_tiny=${tiny}`)
    const found = await numbers(`sysparm_tiny=${idIn(again.body.result)}`)
    expect(found.numbers).toEqual(['INC0000001', 'INC0000002'])

    const wrong = failed('Invalid value', expect.stringContaining('sysparm_tiny'))
    expect(await call('reader', `GET /api/now/table/task?sysparm_tiny=${tiny}`)).toMatchObject({
      status: 400,
      body: wrong,
    })
    await stage.run(
      sql`update docket_system.tiny_address set made_at = made_at - interval '25 hours' where id = ${tiny}`,
    )
    expect(await call('worker', `GET /api/now/table/task?sysparm_tiny=${tiny}`)).toMatchObject({
      status: 400,
      body: wrong,
    })
  })

  test('what is no address of a list is 400', async () => {
    for (const url of ['', 'incident.do?sys_id=1', `task_list.do?${'x'.repeat(65_536)}`, 7])
      expect([url, (await shorten(url)).status]).toEqual([url, 400])
  })
})

test('departments are cmn_department, and the department of a user is one (issue 15, section 3)', async () => {
  const made = await call('admin', `POST /api/now/table/cmn_department?${FLAT}=name,dept_head,parent,description`, {
    name: 'Finance',
    dept_head: 'reader',
    description: 'Counts',
  })
  expect({ status: made.status, body: made.body }).toEqual({
    status: 201,
    body: { result: { name: 'Finance', dept_head: id(202), parent: '', description: 'Counts' } },
  })
  const user = await call(
    'admin',
    `PATCH /api/now/table/sys_user/${id(202)}?sysparm_display_value=all&sysparm_fields=department,department.name`,
    {
      department: 'Finance',
    },
  )
  expect({ status: user.status, body: user.body }).toMatchObject({
    status: 200,
    body: { result: { department: { display_value: 'Finance' }, 'department.name': { display_value: 'Finance' } } },
  })
  const native = await call('admin', 'GET /rest/v1/table/user/202?sysparm_display_value=1&sysparm_fields=department_id')
  expect(native).toMatchObject({ status: 200, body: { data: [{ department_id: { display_value: 'Finance' } }] } })
})
