import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { type Stage, setStage } from './fixture.ts'

let stage: Stage
beforeAll(async () => {
  stage = await setStage([
    sql`insert into docket."user" (sys_id, user_name, display_name) values (211, 'twin.one', 'Twin'), (212, 'twin.two', 'Twin')`,
  ])
})
afterAll(() => stage.close())

async function write(line: string, body: object) {
  const [method, path = ''] = line.split(' ')
  const response = await stage.send('worker', `${method} /rest/v1/table/${path}`, { body })
  const { data, errors } = response.body as {
    data?: readonly unknown[]
    errors?: readonly { field: string; message: string }[]
  }
  return response.status === 200
    ? data?.[0]
    : { status: response.status, field: errors?.[0]?.field, message: errors?.[0]?.message }
}
const list = (path: string) =>
  stage.run(sql`select ${sql.ref(path)} as list from docket.probe where title = 'finds'`).then(([row]) => row)
const show = 'sysparm_fields=caller&sysparm_exclude_reference_link=1'

test('PUT takes a find as create and PATCH do (issue 8, B13)', async () => {
  expect(await write(`PUT task/1001?${show}`, { caller: { find: { user_name: 'reader' } } })).toEqual({ caller: '202' })
  expect(await write(`PUT task/1001?${show}`, { caller: { find: { user_name: 'worker', active: true } } })).toEqual({
    caller: '201',
  })
  expect(await write('PUT task/1001', { caller: { find: { user_name: 'nobody.at.all' } } })).toMatchObject({
    status: 422,
    field: 'caller',
  })
})

test('members of a list may be found, in their places, in values and in instructions (issue 8, B13)', async () => {
  const id = await made({
    c_users: [{ find: { user_name: 'moscow' } }, '201', { find: { display_name: 'Rita Reader' } }],
  })
  expect(await list('c_users')).toEqual({ list: ['204', '201', '202'] })
  await write(`PATCH probe/${id}`, {
    c_users: { add: [{ find: { user_name: 'nobody' } }], remove: [{ find: { user_name: 'worker' } }] },
  })
  expect(await list('c_users')).toEqual({ list: ['204', '202', '203'] })
  await write(`PATCH probe/${id}`, {
    c_users: { set: [{ find: { user_name: 'worker' } }, { find: { user_name: 'worker' } }] },
  })
  expect(await list('c_users')).toEqual({ list: ['201'] })
  await write(`PATCH probe/${id}`, { c_users: { add: [{ find: { user_name: 'reader' } }], remove: ['201', '204'] } })
  expect(await list('c_users')).toEqual({ list: ['202'] })
  await write(`PUT probe/${id}`, { c_users: ['202', { find: { user_name: 'worker' } }] })
  expect(await list('c_users')).toEqual({ list: ['202', '201'] })
  const before = await stage.fingerprint()
  for (const member of [
    { find: { user_name: 'nobody.at.all' } },
    { find: { display_name: 'Twin' } },
    { find: {} },
    { found: 1 },
  ])
    expect(await write(`PATCH probe/${id}`, { c_users: { add: ['201', member] } })).toMatchObject({
      status: 422,
      field: 'c_users',
    })
  expect(await write(`PATCH probe/${id}`, { c_users: { add: [{ find: { nope: 'x' } }] } })).toMatchObject({
    status: 422,
    message: expect.stringContaining('there is no column nope in user'),
  })
  expect(await stage.fingerprint()).toBe(before)
})

test('an access rule names its roles (issue 8, B13)', async () => {
  const body = {
    operation: 'read',
    table_name: 'probe',
    roles: [{ find: { name: 'itil' } }, { find: { name: 'user' } }],
  }
  const response = await stage.send('admin', 'POST /rest/v1/table/sys_security_acl?sysparm_fields=sys_id', { body })
  const [{ sys_id: id }] = (response.body as { data: [{ sys_id: string }] }).data
  const [row] =
    await stage.run(sql`select array(select r.name from docket.sys_security_acl a, unnest(a.roles) with ordinality as m (id, n)
    join docket.sys_role r on r.sys_id::text = m.id where a.sys_id = ${id}::bigint order by m.n) as roles`)
  expect(row).toEqual({ roles: ['itil', 'user'] })
})

const names = `sysparm_input_display_value=1&${show}`

test('sysparm_input_display_value=1 takes references by display value, unique column or sys_id (issue 8, B3)', async () => {
  for (const [name, id] of [
    ['Rita Reader', '202'],
    ['rita reader', '202'],
    ['worker', '201'],
    ['202', '202'],
  ])
    for (const method of ['PUT', 'PATCH'])
      expect(await write(`${method} task/1001?${names}`, { caller: name })).toEqual({ caller: id })
  expect(await write(`POST task?${names}`, { subject: 'named', caller: 'Rita Reader' })).toEqual({ caller: '202' })
  expect(await write(`PATCH task/1001?${names}`, { caller: '' })).toEqual({ caller: null })
  for (const name of ['Twin', 'nobody.at.all', 'javascript:gs.getUserName()', '999'])
    expect(await write(`PATCH task/1001?${names}`, { caller: name })).toEqual({
      status: 422,
      field: 'caller',
      message: expect.stringContaining('must name exactly one record of user'),
    })
})

test('sysparm_input_display_value=1 takes members of lists by name (issue 8, B3)', async () => {
  const id = await made({ c_users: [] })
  await write(`PATCH probe/${id}?sysparm_input_display_value=1`, { c_users: 'Rita Reader, worker' })
  expect(await list('c_users')).toEqual({ list: ['202', '201'] })
  await write(`PATCH probe/${id}?sysparm_input_display_value=1`, {
    c_users: { add: ['moscow'], remove: ['Rita Reader'] },
  })
  expect(await list('c_users')).toEqual({ list: ['201', '204'] })
  expect(await write(`PATCH probe/${id}?sysparm_input_display_value=1`, { c_users: ['Twin'] })).toMatchObject({
    status: 422,
    field: 'c_users',
  })
})

async function made(values: object): Promise<string> {
  await stage.run(sql`delete from docket.probe where title = 'finds'`)
  const row = await write('POST probe?sysparm_fields=sys_id', { title: 'finds', ...values })
  return (row as { sys_id: string }).sys_id
}
