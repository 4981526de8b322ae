import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { type Stage, setStage } from '../records/fixture.ts'

const PREFIX = 'c0ffee0123456789'
const failed = (message: string, detail: string | null): unknown => ({
  error: { message, detail },
  status: 'failure',
  request_id: 'ID',
})

let stage: Stage
beforeAll(async () => {
  stage = await setStage([sql`update docket_system.served_id set prefix = ${PREFIX}`])
})
afterAll(() => stage.close())

const versions = ['/api/now', '/api/now/v1', '/api/now/v2']
const read = async (as: Parameters<Stage['send']>[0], path: string) => {
  const { status, body, headers } = await stage.send(as, `GET ${path}`)
  return { status, body, type: headers['content-type'] }
}
const ok = (result: unknown) => ({ status: 200, body: { result }, type: 'application/json;charset=UTF-8' })

const column = (name: string, label: string, type: string, more: object = {}) => ({
  label,
  name,
  type,
  reference: '',
  mandatory: false,
  read_only: false,
  max_length: null,
  choices: [],
  ...more,
})

describe.each(versions)('%s: what clients call at start (issue 15, section 11)', (api) => {
  test('ui/user/current_user is the caller, whatever they may read', async () => {
    expect(await read('moscow', `${api}/ui/user/current_user`)).toEqual(
      ok({
        user_sys_id: `${PREFIX}${(204).toString(16).padStart(16, '0')}`,
        user_name: 'moscow',
        user_display_name: 'Миша Московский',
        user_initials: 'ММ',
        user_avatar: '',
      }),
    )
    const nobody = await read('nobody', `${api}/ui/user/current_user`)
    expect(nobody.body).toMatchObject({ result: { user_name: 'nobody', user_initials: 'NN' } })
  })

  test('doc/table/schema lists the tables that the caller may read, by the names of this API', async () => {
    const { status, body } = await read('reader', `${api}/doc/table/schema`)
    const { result } = body as { readonly result: readonly { readonly label: string; readonly value: string }[] }
    expect(status).toBe(200)
    expect(result).toEqual([
      { label: 'Change requests', value: 'change_request' },
      { label: 'Services', value: 'cmdb_ci_service' },
      { label: 'Companies', value: 'core_company' },
      { label: 'Employees', value: 'employee' },
      { label: 'Incidents', value: 'incident' },
      { label: 'ITSM tasks', value: 'itsm_task' },
      { label: 'Problems', value: 'problem' },
      { label: 'Requests', value: 'sc_request' },
      { label: 'Filters', value: 'sys_filter' },
      { label: 'Users', value: 'sys_user' },
      { label: 'Groups', value: 'sys_user_group' },
      { label: 'User preferences', value: 'sys_user_preference' },
      { label: 'Tasks', value: 'task' },
    ])
    for (const { value } of result)
      expect((await stage.send('reader', `GET /api/now/table/${value}?sysparm_limit=1`)).status).toBe(200)
  })

  test('ui/meta/{table} describes columns by the names of this API', async () => {
    const { status, body } = await read('worker', `${api}/ui/meta/incident`)
    const { columns } = (body as { readonly result: { readonly columns: Readonly<Record<string, unknown>> } }).result
    expect(status).toBe(200)
    const { sys_id: id, caller_id: caller, active, sys_created_by: author, sys_domain: domain } = columns
    expect({ id, caller, active, author, domain }).toEqual({
      id: column('sys_id', 'Sys ID', 'GUID', { read_only: true, mandatory: expect.any(Boolean) }),
      caller: column('caller_id', 'Caller', 'reference', { reference: 'sys_user' }),
      active: column('active', 'Active', 'boolean', { mandatory: expect.any(Boolean) }),
      author: column('sys_created_by', 'Created by', 'string', { read_only: true }),
      domain: column('sys_domain', 'sys_domain', 'string', { read_only: true, mandatory: expect.any(Boolean) }),
    })
    expect(columns['state']).toMatchObject({
      label: 'State',
      choices: expect.arrayContaining([{ label: 'Closed', value: '7' }]),
    })
    expect(columns['hold_reason']).toEqual(
      column('hold_reason', 'On hold reason', 'choice', {
        choices: [
          { label: 'Awaiting caller', value: '1' },
          { label: 'Awaiting problem', value: '3' },
          { label: 'Awaiting vendor', value: '4' },
          { label: 'Awaiting change', value: '5' },
        ],
      }),
    )
    const listed = await stage.send('worker', 'GET /api/now/table/incident?sysparm_limit=1')
    const [record] = (listed.body as { readonly result: readonly object[] }).result
    expect(Object.keys(columns).toSorted()).toEqual(expect.arrayContaining(Object.keys(record ?? {}).toSorted()))
  })

  test('ui/meta of a small table, as a whole', async () => {
    const columns = [
      column('active', 'Active', 'boolean'),
      column('city', 'City', 'string', { max_length: 255 }),
      column('country', 'Country', 'string', { max_length: 255 }),
      column('email', 'E-mail', 'email', { max_length: 255 }),
      column('name', 'Name', 'string', { mandatory: true, max_length: 255 }),
      column('phone', 'Phone', 'phone_number_e164', { max_length: 40 }),
      column('sys_class_name', 'Table', 'string', { read_only: true }),
      column('sys_created_by', 'Created by', 'string', { read_only: true }),
      column('sys_created_on', 'Created', 'glide_date_time', { read_only: true }),
      column('sys_domain', 'sys_domain', 'string', { read_only: true }),
      column('sys_domain_path', 'sys_domain_path', 'string', { read_only: true }),
      column('sys_id', 'Sys ID', 'GUID', { read_only: true }),
      column('sys_mod_count', 'Updates', 'integer', { read_only: true }),
      column('sys_tags', 'sys_tags', 'string', { read_only: true }),
      column('sys_updated_by', 'Updated by', 'string', { read_only: true }),
      column('sys_updated_on', 'Updated', 'glide_date_time', { read_only: true }),
      column('website', 'Website', 'url', { max_length: 1024 }),
    ]
    expect(await read('worker', `${api}/ui/meta/core_company`)).toEqual(
      ok({ columns: Object.fromEntries(columns.map((each) => [each.name, each])) }),
    )
  })

  test('a table that is not there, one that the caller may not read, and nobody', async () => {
    expect((await read('worker', `${api}/ui/meta/itsm_incident`)).body).toEqual(
      failed('Invalid table itsm_incident', null),
    )
    expect((await read('nobody', `${api}/ui/meta/incident`)).body).toEqual(
      failed('Insufficient rights to query records', 'incident'),
    )
    for (const path of ['ui/meta/incident', 'doc/table/schema', 'ui/user/current_user'])
      expect((await read(null, `${api}/${path}`)).body).toEqual(
        failed('User Not Authenticated', 'Required to provide Auth information'),
      )
  })
})
