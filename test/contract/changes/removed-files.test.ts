import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { rule, type Stage, setStage, type Who } from '../records/fixture.ts'

/** Files that were removed from a record stay visible to those who could read them (issue 13). */

let stage: Stage
beforeAll(async () => {
  stage = await setStage([
    sql`insert into docket.sys_security_acl (operation, table_name, roles, condition, admin_overrides)
        select o, 'sys_attachment', array[(select sys_id::text from docket.sys_role where name = r)], c, true
        from (values ('read', 'itil', null), ('create', 'itil', null), ('delete', 'itil', null), ('read', 'user', 'file_nameNOT LIKEsecret')) as v (o, r, c)`,
    rule({ operation: 'read', table: 'sys_attachment', column: 'content_type', roles: ['itil'] }),
    rule({ operation: 'read', table: 'user', column: 'display_name', roles: ['itil'] }),
  ])
})
afterAll(() => stage.close())

const headersOf = (as: Who) => {
  const { user, password } = stage.callerOf(as) as { user: string; password: string }
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` }
}
async function attach(address: string, name: string): Promise<string> {
  const form = new FormData()
  form.append('files[]', new Blob([`text of ${name}`]), name)
  const url = `${stage.docket.baseUrl}/v1/attachments/upload/${address}`
  const response = await fetch(url, { method: 'POST', body: form, headers: headersOf('worker') })
  return ((await response.json()) as { data: { sys_id: string }[] }).data[0]?.sys_id ?? ''
}
const remove = async (id: string): Promise<void> =>
  expect((await stage.send('moscow', `DELETE /v1/attachments/${id}`)).status).toBe(200)
async function makeTask(): Promise<string> {
  const made = await stage.send('admin', 'POST /rest/v1/table/task', { body: { subject: 'With files', caller: '202' } })
  return (made.body as { data: { sys_id: string }[] }).data[0]?.sys_id ?? ''
}
const removed = (as: Who | null, address: string) =>
  stage.docket.request('GET', `/v1/attachments/removed/${address}`, {
    ...(as === null ? {} : { as: stage.callerOf(as) }),
  })

test('a removed file: name, size, who attached and who removed it, and when', async () => {
  const task = await makeTask()
  const [one, two, kept] = [
    await attach(`task/${task}`, 'one.txt'),
    await attach(`task/${task}`, 'two.csv'),
    await attach(`task/${task}`, 'kept.txt'),
  ]
  expect((await removed('worker', `task/${task}`)).body).toEqual({ status: 'OK', data: [] })
  await remove(one)
  await remove(two)
  const user = (id: string, name: string | null) => ({
    value: id,
    display_value: name,
    link: `${stage.docket.baseUrl}/rest/v1/table/user/${id}`,
  })
  const file = (id: string, name: string, type: string, size: number) => ({
    sys_id: id,
    file_name: name,
    content_type: type,
    size_bytes: size,
    attached_at: '2026-03-02 10:00:00',
    attached_by: user('201', 'Wanda Worker'),
    removed_at: '2026-03-02 10:00:00',
    removed_by: user('204', 'Миша Московский'),
  })
  const { status, body } = await removed('worker', `task/${task}`)
  expect({ status, body }).toEqual({
    status: 200,
    body: { status: 'OK', data: [file(two, 'two.csv', 'text/csv', 15), file(one, 'one.txt', 'text/plain', 15)] },
  })
  expect(kept).toMatch(/^\d{18}$/)
  expect((await removed('worker', `task/${task}?sysparm_limit=1`)).body).toEqual({
    status: 'OK',
    data: [file(two, 'two.csv', 'text/csv', 15)],
  })
})

test('only files that the caller could read, only columns and names that they may read; the limit counts these', async () => {
  const task = await makeTask()
  const open = await attach(`task/${task}`, 'open.txt')
  const hidden = await attach(`task/${task}`, 'secret.txt')
  await remove(open)
  await remove(hidden)
  const link = (id: string) => ({
    value: id,
    display_value: null,
    link: `${stage.docket.baseUrl}/rest/v1/table/user/${id}`,
  })
  const { status, body } = await removed('reader', `task/${task}?sysparm_limit=1`)
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      status: 'OK',
      data: [
        {
          sys_id: open,
          file_name: 'open.txt',
          content_type: null,
          size_bytes: 16,
          attached_at: '2026-03-02 10:00:00',
          attached_by: link('201'),
          removed_at: '2026-03-02 10:00:00',
          removed_by: link('204'),
        },
      ],
    },
  })
})

test('a record that the caller may not read, or that is gone, is not found', async () => {
  const task = await makeTask()
  const id = await attach(`task/${task}`, 'one.txt')
  await remove(id)
  const statusOf = async (as: Who | null, address: string) => (await removed(as, address)).status
  expect(await statusOf('nobody', `task/${task}`)).toBe(403)
  expect(await statusOf(null, `task/${task}`)).toBe(401)
  expect(await statusOf('worker', `task/${task}1`)).toBe(404)
  expect(await statusOf('worker', 'task/abc')).toBe(404)
  expect(await statusOf('worker', `nowhere/${task}`)).toBe(404)
  expect((await stage.send('admin', `DELETE /rest/v1/table/task/${task}`)).status).toBe(200)
  expect(await statusOf('worker', `task/${task}`)).toBe(404)
})

test('the log keeps a removed file for as long as the deletion log', async () => {
  const task = await makeTask()
  await remove(await attach(`task/${task}`, 'one.txt'))
  expect(
    await stage.run(sql`select count(*)::int as kept from docket_system.change
    where operation = 'd' and changes ->> 'record_id' = ${task} and deletion_logged`),
  ).toEqual([{ kept: 1 }])
})

const removable = (as: Who | null, address: string) =>
  stage.docket.request('GET', `/v1/attachments/removable/${address}`, {
    ...(as === null ? {} : { as: stage.callerOf(as) }),
  })

test('the files that a caller may delete are those that the server lets them delete, the newest first', async () => {
  const task = await makeTask()
  const ids = [await attach(`task/${task}`, 'first.txt'), await attach(`task/${task}`, 'second.txt')]
  const seen: Partial<Record<Who, boolean>> = {}
  for (const as of ['reader', 'worker', 'moscow', 'admin'] as const) {
    const file = await attach(`task/${task}`, 'another.txt')
    const { status, body } = await removable(as, `task/${task}`)
    const { status: removal } = await stage.send(as, `DELETE /v1/attachments/${file}`)
    seen[as] = removal === 200
    expect({ as, status, body }).toEqual({
      as,
      status: 200,
      body: { status: 'OK', data: removal === 200 ? [file, ...ids.toReversed()] : [] },
    })
    if (removal !== 200) await remove(file)
  }
  expect(seen).toMatchObject({ reader: false, moscow: true })
})

test('the files that may be deleted: of records that the caller may read', async () => {
  const task = await makeTask()
  await attach(`task/${task}`, 'one.txt')
  const statusOf = async (as: Who | null, address: string) => (await removable(as, address)).status
  expect(await statusOf('nobody', `task/${task}`)).toBe(403)
  expect(await statusOf(null, `task/${task}`)).toBe(401)
  expect(await statusOf('worker', `task/${task}1`)).toBe(404)
  expect(await statusOf('worker', 'task/abc')).toBe(404)
  expect(await statusOf('worker', `nowhere/${task}`)).toBe(404)
})
