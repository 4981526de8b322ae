import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { administratorId } from '../../../src/identity/administrator.ts'
import { changeRoles, createUser, setUserActive, setUserPassword } from '../../../src/identity/manage-users.ts'
import { sql } from '../../../src/kernel/sql.ts'
import { admin } from '../../harness/fresh-database.ts'
import { readEvents } from '../../harness/read-events.ts'
import { type DictionaryDesk, openDesk } from '../dictionary/dictionary-desk.ts'

/** The change log of writes that do not come from the Table API, and of changes of the dictionary. */

let desk: DictionaryDesk
beforeAll(async () => {
  desk = await openDesk()
})
afterAll(() => desk.close())

const run = <Row>(statement: ReturnType<typeof sql<Row>>) => desk.docket.database.rows<Row>(statement)
const loggedOf = (table: string) =>
  run<Record<string, unknown>>(sql`
    select c.operation, c.changed_by::text as by, c.changes, c.audited from docket_system.change c
    join docket.sys_db_table t on t.sys_id = c.table_id where t.name = ${table} order by c.position`)
const send = async (line: string, body?: unknown): Promise<void> => {
  const response = await desk.send(line, body)
  expect([response.status, response.text]).toEqual([200, expect.any(String)])
}

describe('users that the command line changes', () => {
  test('are in the log as others are, in the administrator’s name, without their passwords', async () => {
    const { database } = desk.docket
    await send(`PATCH /rest/v1/table/sys_db_table/${await desk.tableId('user')}`, { is_audit: true })
    const user = { userName: 'clara', displayName: 'Clara', email: null, language: 'en', timeZone: 'UTC' } as const
    const made = await createUser(database, { ...user, password: 'a long password of clara', roles: ['itil'] })
    if (!made.ok) throw new Error(made.error.kind)
    await setUserActive(database, 'clara', false)
    await setUserActive(database, 'CLARA', false)
    await setUserPassword(database, 'clara', 'another long password')
    await changeRoles(database, 'clara', { give: ['user'], take: ['itil'] })
    const by = administratorId
    expect(await loggedOf('user')).toEqual([
      {
        operation: 'c',
        by,
        changes: expect.objectContaining({ user_name: 'clara', display_name: 'Clara', active: true }),
        audited: true,
      },
      { operation: 'u', by, changes: { active: [true, false] }, audited: true },
    ])
    const roles = await run<{ name: string; id: string }>(sql`select name, sys_id::text as id from docket.sys_role`)
    const idOf = (name: string) => roles.find((role) => role.name === name)?.id
    expect(await loggedOf('sys_user_has_role')).toMatchObject([
      { operation: 'c', by, changes: { user_id: made.value, role_id: idOf('itil') } },
      { operation: 'c', by, changes: { user_id: made.value, role_id: idOf('user') } },
      { operation: 'd', by, changes: { user_id: made.value, role_id: idOf('itil') } },
    ])
    const history = await desk.send(`GET /rest/v1/history/user/${made.value}`)
    expect((history.body as { data: { operation: string }[] }).data.map(({ operation }) => operation)).toEqual([
      'update',
      'create',
    ])
    expect(history.text).not.toContain('password')
  })
})

describe('a change of the dictionary', () => {
  test('that cuts texts or empties values tells of each record what stood there', async () => {
    await desk.table('gauge', { is_audit: true })
    const label = await desk.column('gauge', 'label', 'string')
    const reading = await desk.column('gauge', 'reading', 'string')
    const [one, two] = [
      await desk.record('gauge', { label: 'A label that is long', reading: '12' }),
      await desk.record('gauge', { label: 'Short', reading: 'about twelve' }),
    ]
    await send(`PATCH /rest/v1/table/sys_db_column/${label}?sysparm_confirm=gauge.label`, { max_length: 7 })
    await send(`PATCH /rest/v1/table/sys_db_column/${reading}?sysparm_confirm=gauge.reading`, {
      column_type_id: await desk.typeId('integer'),
    })
    const described = (await loggedOf('gauge')).filter(({ operation }) => operation === 'u')
    expect(described).toEqual([
      { operation: 'u', by: administratorId, changes: { label: ['A label that is long', 'A label'] }, audited: true },
      { operation: 'u', by: administratorId, changes: { reading: ['about twelve', null] }, audited: true },
    ])
    const history = await desk.send(`GET /rest/v1/history/gauge/${two}?sysparm_limit=1`)
    expect((history.body as { data: { changes: unknown[] }[] }).data[0]?.changes).toMatchObject([
      { column: 'reading', old_value: 'about twelve', new_value: null },
    ])
    expect(await desk.records('gauge', 'sys_id,label,reading')).toEqual([
      { sys_id: one, label: 'A label', reading: 12 },
      { sys_id: two, label: 'Short', reading: null },
    ])
  })

  test('that converts a column leaves events of records that were deleted before it', async () => {
    await desk.table('crate')
    const weight = await desk.column('crate', 'weight', 'string')
    await desk.column('crate', 'name', 'string')
    const id = await desk.record('crate', { weight: 'heavy', name: 'Gone' })
    await send(`DELETE /rest/v1/table/crate/${id}`)
    await send(`PATCH /rest/v1/table/sys_db_column/${weight}`, { column_type_id: await desk.typeId('integer') })
    await desk.record('crate', { name: 'Later' })
    const authorization = `Basic ${Buffer.from(`${admin.user}:${admin.password}`).toString('base64')}`
    const events = await readEvents(`${desk.docket.baseUrl}/rest/v1/events?tables=crate`, {
      authorization,
      'last-event-id': '0',
    })
    const described = await events.until((all) => all.length === 3)
    await events.close()
    expect(described.map(({ data }) => (data as { operation: string }).operation)).toEqual([
      'create',
      'delete',
      'create',
    ])
    expect(described[1]?.data).toMatchObject({ changes: { weight: { old_value: 'heavy', new_value: null } } })
  })

  test('that drops a column leaves what the log has of it to those who see everything, whoever takes its name next', async () => {
    await desk.table('staff', { is_audit: true, is_extendable: true })
    await desk.table('staff_chief', { parent_id: await desk.tableId('staff'), is_audit: true })
    await desk.column('staff', 'name', 'string')
    const salary = await desk.column('staff', 'salary', 'string')
    const id = await desk.record('staff_chief', { name: 'Ida', salary: 'a secret' })
    await send(`DELETE /rest/v1/table/sys_db_column/${salary}?sysparm_confirm=staff.salary`)
    await desk.column('staff', 'salary', 'string')
    await send(`PATCH /rest/v1/table/staff/${id}`, { salary: 'open' })
    await desk.record('sys_security_acl', { operation: 'read', table_name: 'staff', active: true })
    await desk.record('sys_security_acl', { operation: 'read', table_name: 'sys_history', active: true })
    await createUser(desk.docket.database, {
      ...{ userName: 'sam', displayName: null, email: null, language: 'en', timeZone: 'UTC' },
      password: 'a long password of sam',
      roles: [],
    })
    const read = (as: { user: string; password: string }) =>
      desk.docket.request('GET', `/rest/v1/history/staff/${id}`, { as })
    const columnsOf = (response: { readonly body: unknown }) =>
      (response.body as { data: { changes: { column: string; new_value: unknown }[] }[] }).data.flatMap(({ changes }) =>
        changes.map(({ column, new_value }) => [column, new_value]),
      )
    const seen = await read({ user: 'sam', password: 'a long password of sam' })
    expect(seen.text).not.toContain('a secret')
    expect(columnsOf(seen)).toEqual([
      ['salary', 'open'],
      ['name', 'Ida'],
    ])
    expect(columnsOf(await read(admin))).toContainEqual([expect.stringMatching(/^salary \(until /), 'a secret'])
  })

  test('takes rules along, and says so', async () => {
    await desk.table('guarded')
    const column = await desk.column('guarded', 'inner', 'string')
    await desk.record('sys_security_acl', {
      operation: 'read',
      table_name: 'guarded',
      column_name: 'inner',
      description: 'of the column',
      active: true,
    })
    await send(`DELETE /rest/v1/table/sys_db_column/${column}`)
    const gone = (await loggedOf('sys_security_acl')).filter(({ operation }) => operation === 'd')
    expect(gone).toMatchObject([{ by: administratorId, changes: { description: 'of the column' } }])
  })
})
