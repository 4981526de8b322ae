import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TableDescription } from '../../src/contract/meta.ts'
import { sql } from '../../src/kernel/sql.ts'
import { rule, type Stage, setStage, type Who } from './records/fixture.ts'

/** Tables, as far as the caller may see them (issue 13, 1; docs/api-for-pages.md). */

let stage: Stage
beforeAll(async () => {
  stage = await setStage([
    sql`select docket_system.define_table('room', 'Rooms', 'Комнаты')`,
    sql`select docket_system.define_column('room', c.name, c.type, c.name, 'по-русски ' || c.name, c.options) from (values
      ('name', 'string', '{"mandatory":true,"display_by_ref":true,"max_length":40,"full_text_search":true}'::jsonb),
      ('kind', 'choice', '{"default":"office"}'),
      ('fitting', 'choice', '{}'),
      ('company', 'reference', '{"reference":"company"}'),
      ('secret_plan', 'reference', '{"reference":"vault"}'),
      ('rent', 'decimal', '{}'),
      ('pin', 'password', '{}')) as c (name, type, options)`,
    sql`select docket_system.define_table('vault', 'Vaults', 'Хранилища')`,
    sql`select docket_system.define_column('vault', 'room', 'reference', 'Room', 'Комната', '{"reference":"room"}')`,
    sql`select docket_system.resolve_references()`,
    sql`select docket_system.define_choices('room', 'kind', '[["office","Office","Офис"],["hall","Hall","Зал"]]')`,
    sql`select docket_system.define_choices('room', 'fitting', '[["desk","Desk","Стол"],["stage","Stage","Сцена"]]')`,
    sql`update docket.sys_db_column set dependent_on = 'kind' where column_name = 'fitting'`,
    sql`update docket.sys_choice set dependent_value = 'hall' where value = 'stage'`,
    rule({ operation: 'read', table: 'room', roles: ['user'] }),
    rule({ operation: 'write', table: 'room', roles: ['user'], condition: 'kind=office' }),
    rule({ operation: 'create', table: 'room', roles: ['itil'] }),
    rule({ operation: 'read', table: 'room', column: 'rent', roles: ['itil'] }),
    rule({ operation: 'write', table: 'room', column: 'rent', roles: ['itil'] }),
    rule({ operation: 'create', table: 'room', column: 'rent', roles: ['itil'] }),
    rule({ operation: 'write', table: 'room', column: 'name', roles: ['admin'] }),
    sql`insert into docket.sys_ui_form (sys_id, title, table_id, user_id)
      select 8000 + n, title, (select sys_id from docket.sys_db_table where name = 'room'), of_user
      from (values (1, 'default', null::bigint), (2, 'mine', 202), (3, 'of another', 203), (4, 'Default', 202)) as v (n, title, of_user)`,
    sql`insert into docket.sys_ui_form_section (sys_id, form_id, title, "order") values
      (8101, 8001, 'Place', 10), (8102, 8001, 'Money', 20), (8103, 8002, '', 10), (8104, 8003, '', 10), (8105, 8004, 'Own', 10)`,
    sql`insert into docket.sys_ui_form_element (section_id, column_name, "order") values
      (8101, 'name', 10), (8101, 'company.name', 20), (8101, 'secret_plan.room', 30), (8102, 'rent', 10), (8103, 'name', 10), (8104, 'name', 10),
      (8105, 'kind', 10), (8105, 'company.city', 20)`,
    sql`insert into docket.sys_ui_related_list (form_id, table_id, column_name, title)
      select 8001, t.sys_id, 'room', 'Vaults of the room' from docket.sys_db_table t where t.name = 'vault'`,
  ])
})
afterAll(() => stage.close())

const read = async (as: Who, table = 'room', headers = {}) => stage.send(as, `GET /rest/v1/meta/${table}`, { headers })
const meta = async (as: Who, table = 'room'): Promise<TableDescription> =>
  ((await read(as, table)).body as { data: TableDescription }).data
const columnOf = (table: TableDescription, name: string) => table.columns.find((column) => column.name === name)

test('a table as a reader may know it: the whole of it', async () => {
  const { columns, ...rest } = await meta('reader')
  expect(rest).toEqual({
    name: 'room',
    title: 'Rooms',
    parent: null,
    display_column: 'name',
    number: null,
    rights: { create: 'never', read: 'always', write: 'on_rows', delete: 'never' },
    lineage: ['room'],
    children: [],
    has_history: false,
    views: [
      {
        title: 'mine',
        is_personal: true,
        sections: [{ title: '', columns: [{ path: 'name', title: 'name', type: 'string' }] }],
        related_lists: [],
      },
      {
        title: 'Default',
        is_personal: true,
        sections: [
          {
            title: 'Own',
            columns: [
              { path: 'kind', title: 'kind', type: 'choice' },
              { path: 'company.city', title: 'company › City', type: 'string' },
            ],
          },
        ],
        related_lists: [],
      },
    ],
    referenced_by: [],
    state_model: null,
  })
  expect(columns.map(({ name }) => name)).toEqual([
    ...['sys_id', 'sys_created_at', 'sys_created_by', 'sys_updated_at', 'sys_updated_by', 'sys_db_table_id'],
    ...['name', 'kind', 'fitting', 'company', 'secret_plan', 'pin'],
  ])
  expect(columns.find(({ name }) => name === 'name')).toEqual({
    name: 'name',
    title: 'name',
    type: 'string',
    comparison: 'text',
    json_type: 'string',
    nullable: true,
    operators: expect.arrayContaining(['=', 'LIKE', 'STARTSWITH', 'ISEMPTY']),
    mandatory: true,
    required_on_create: false,
    read_only: false,
    unique: false,
    max_length: 40,
    default_value: null,
    is_document: false,
    reference: null,
    depends_on: null,
    choices: [],
    rights: { read: 'always', create: 'never', write: 'never' },
  })
})

test('the JSON type of values, and whether they can be null', async () => {
  const { columns } = await meta('admin')
  expect(columns.map(({ name, json_type, nullable }) => [name, json_type, nullable])).toEqual([
    ['sys_id', 'string', false],
    ['sys_created_at', 'string', false],
    ['sys_created_by', 'string', true],
    ['sys_updated_at', 'string', false],
    ['sys_updated_by', 'string', true],
    ['sys_db_table_id', 'string', false],
    ['name', 'string', true],
    ['kind', 'string', true],
    ['fitting', 'string', true],
    ['company', 'string', true],
    ['secret_plan', 'string', true],
    ['rent', 'string', true],
    ['pin', 'string', true],
  ])
  const types = (await meta('admin', 'probe')).columns.map(({ type, json_type }) => [type, json_type])
  expect(Object.fromEntries(types)).toMatchObject({
    integer: 'integer',
    biginteger: 'string',
    float: 'number',
    boolean: 'boolean',
    json: 'any',
  })
})

describe('what a caller may not see is not there (issue 13, 1)', () => {
  test('a column that is closed, and the section that has no other', async () => {
    const reader = await meta('reader')
    expect(columnOf(reader, 'rent')).toBeUndefined()
    expect(JSON.stringify(reader)).not.toContain('Money')
    const worker = await meta('worker')
    expect(columnOf(worker, 'rent')?.rights).toEqual({ read: 'always', create: 'always', write: 'on_rows' })
    expect(worker.views.map(({ title, sections }) => [title, sections.map((section) => section.title)])).toEqual([
      ['default', ['Place', 'Money']],
    ])
  })

  test('a table that a column refers to, lists of its records, and paths through it', async () => {
    const worker = await meta('worker')
    expect(JSON.stringify(worker)).not.toMatch(/vault/i)
    expect(columnOf(worker, 'secret_plan')?.reference).toBeNull()
    const admin = await meta('admin')
    expect(columnOf(admin, 'secret_plan')?.reference).toMatchObject({ table: 'vault' })
    expect(admin.views[0]?.sections[0]?.columns.map(({ path }) => path)).toEqual([
      'name',
      'company.name',
      'secret_plan.room',
    ])
    expect(admin.views[0]?.related_lists).toEqual([{ table: 'vault', column: 'room', title: 'Vaults of the room' }])
    expect(admin.referenced_by).toEqual([{ table: 'vault', column: 'room', title: 'Vaults' }])
  })

  test('a view of another user', async () => {
    for (const as of ['reader', 'worker', 'admin'] as const)
      expect((await meta(as)).views.map(({ title }) => title)).not.toContain('of another')
  })

  test('a secret is written, never read', async () => {
    const pin = columnOf(await meta('admin'), 'pin')
    expect([pin?.rights, pin?.operators]).toEqual([{ read: 'never', create: 'always', write: 'always' }, []])
  })

  test('a table that is closed and one that is not there are one response', async () => {
    const of = async (table: string) => {
      const { status, text } = await read('reader', table, { 'x-request-id': 'r' })
      return { status, text: text.replaceAll(table, 'T') }
    }
    expect(await of('vault')).toEqual(await of('valut'))
    expect((await of('vault')).status).toBe(404)
    expect((await of('vault')).text).not.toMatch(/Vault/)
  })

  test('whatever changes out of sight, the body is the same', async () => {
    const before = [await meta('reader'), (await stage.send('reader', 'GET /rest/v1/meta')).body]
    await stage.run(sql`select docket_system.define_column('room', 'wiring', 'string', 'Wiring', 'Проводка', '{}')`)
    await stage.run(rule({ operation: 'read', table: 'room', column: 'wiring', roles: ['admin'] }))
    await stage.run(rule({ operation: 'write', table: 'room', column: 'wiring', roles: ['admin'] }))
    await stage.run(
      sql`select docket_system.define_column('vault', 'also', 'reference', 'Also', 'Ещё', '{"reference":"room"}')`,
    )
    await stage.run(sql`update docket.sys_ui_form set title = 'mine' where sys_id = 8003`)
    await stage.run(sql`insert into docket.sys_ui_form_element (section_id, column_name) values (8105, 'wiring')`)
    expect([await meta('reader'), (await stage.send('reader', 'GET /rest/v1/meta')).body]).toEqual(before)
  })
})

test('choices that depend on another column say on which value', async () => {
  const fitting = columnOf(await meta('worker'), 'fitting')
  expect([fitting?.depends_on, fitting?.choices]).toEqual([
    'kind',
    [
      { value: 'desk', title: 'Desk', dependent_value: null },
      { value: 'stage', title: 'Stage', dependent_value: 'hall' },
    ],
  ])
})

test('titles are in the language of the caller, also those of Docket’s own tables (issue 13, 5)', async () => {
  const deps = await meta('moscow')
  expect([deps.title, columnOf(deps, 'name')?.title, columnOf(deps, 'kind')?.choices[1]?.title]).toEqual([
    'Комнаты',
    'по-русски name',
    'Зал',
  ])
  const untranslated = await stage.run(sql`
    select t.name, '' as "column" from docket.sys_db_table t
    where not exists (select from docket.sys_translated_text x where x.record_id = t.sys_id and x.language = 'ru')
    union all select t.name, c.column_name from docket.sys_db_column c join docket.sys_db_table t on t.sys_id = c.table_id
    where not exists (select from docket.sys_translated_text x where x.record_id = c.sys_id and x.language = 'ru')`)
  expect(untranslated).toEqual([])
})

test('tasks have a number prefix, a state model and what refers to them; the counter is nowhere', async () => {
  const incident = await meta('worker', 'itsm_incident')
  expect(incident).toMatchObject({
    lineage: ['itsm_incident', 'itsm_task', 'task'],
    parent: 'itsm_task',
    number: { prefix: 'INC', digits: 7 },
    display_column: 'display_name',
    rights: { create: 'always', read: 'always', write: 'always', delete: 'always' },
    has_history: true,
  })
  expect(incident.referenced_by).toContainEqual({ table: 'task', column: 'parent_id', title: 'Tasks: Parent task' })
  expect(incident.state_model).toEqual({
    column: 'state',
    models: [
      {
        has_condition: false,
        transitions: expect.arrayContaining([{ from: '0', to: '1' }]),
        finals: expect.arrayContaining(['10']),
      },
    ],
  })
  expect((await meta('reader', 'itsm_incident')).rights).toEqual({
    create: 'never',
    read: 'on_rows',
    write: 'never',
    delete: 'never',
  })
})

test('GET /rest/v1/meta has the tables of GET /rest/v1/table', async () => {
  for (const as of ['reader', 'nobody', 'admin'] as const) {
    const names = async (path: string) =>
      ((await stage.send(as, `GET ${path}`)).body as { data: { name: string }[] }).data.map(({ name }) => name)
    expect(await names('/rest/v1/meta')).toEqual(await names('/rest/v1/table'))
  }
  const { body } = await stage.send('reader', 'GET /rest/v1/meta')
  expect((body as { data: { name: string }[] }).data.find(({ name }) => name === 'room')).toEqual({
    name: 'room',
    title: 'Rooms',
    parent: null,
    display_column: 'name',
    number: null,
    rights: { create: 'never', read: 'always', write: 'on_rows', delete: 'never' },
  })
})

test('the entity tag stands until the dictionary or the roles of the caller change', async () => {
  const first = await read('reader')
  const tag = first.headers.etag ?? ''
  expect(tag).toMatch(/^"[0-9a-f]{16}"$/)
  const same = await read('reader', 'room', { 'if-none-match': tag })
  expect([same.status, same.text]).toEqual([304, ''])
  expect((await read('worker', 'room', { 'if-none-match': tag })).status).toBe(200)
  await stage.run(
    sql`update docket.sys_db_column set title = 'Name' where column_name = 'name' and table_id = (select sys_id from docket.sys_db_table where name = 'room')`,
  )
  expect((await read('reader', 'room', { 'if-none-match': tag })).status).toBe(200)
  const now = (await read('reader')).headers.etag ?? ''
  await stage.run(sql`delete from docket.sys_user_has_role where user_id = 202`)
  expect((await read('reader', 'room', { 'if-none-match': now })).status).toBe(404)
  await stage.run(
    sql`insert into docket.sys_user_has_role (user_id, role_id) select 202, sys_id from docket.sys_role where name = 'user'`,
  )
})

describe('what user interfaces store (issue 13, 1)', () => {
  const create = (as: Who, table: string, body: unknown) => stage.send(as, `POST /rest/v1/table/${table}`, { body })
  const idOf = (response: { body: unknown }) => (response.body as { data: { sys_id: string }[] }).data[0]?.sys_id
  const count = async (as: Who, table: string) =>
    ((await stage.send(as, `GET /rest/v1/table/${table}`)).body as { data: unknown[] }).data.length

  test('preferences are their user’s alone, whoever asks', async () => {
    const made = await create('nobody', 'sys_user_preference', { name: 'theme', value: { dark: true } })
    expect([made.status, made.body]).toMatchObject([200, { data: [{ name: 'theme', value: { dark: true } }] }])
    const path = `/rest/v1/table/sys_user_preference/${idOf(made)}`
    for (const as of ['reader', 'worker', 'admin'] as const) {
      expect((await stage.send(as, `GET ${path}`)).status).toBe(404)
      expect((await stage.send(as, `DELETE ${path}`)).status).toBe(404)
      expect(await count(as, 'sys_user_preference')).toBe(0)
      expect((await create(as, 'sys_user_preference', { name: 'x', user_id: '203' })).status).not.toBe(200)
    }
    expect((await create('nobody', 'sys_user_preference', { name: 'theme' })).status).toBe(409)
    expect((await create('admin', 'sys_user_preference', { name: 'theme' })).status).toBe(200)
    expect((await stage.send('nobody', `PATCH ${path}`, { body: { value: 1 } })).status).toBe(200)
  })

  test('administrators see the history of gone records, and none of preferences', async () => {
    await stage.docket.database.rows(
      sql`update docket.sys_db_table set is_audit = true where name in ('sys_user_preference', 'task')`,
    )
    const preference = idOf(await create('nobody', 'sys_user_preference', { name: 'density', value: 1 }))
    const path = `/rest/v1/table/sys_user_preference/${preference}`
    expect((await stage.send('nobody', `PATCH ${path}`, { body: { value: 2 } })).status).toBe(200)
    const task = idOf(await create('admin', 'task', { subject: 'Soon gone' }))
    expect((await stage.send('admin', `PATCH /rest/v1/table/task/${task}`, { body: { subject: 'Gone' } })).status).toBe(
      200,
    )
    expect((await stage.send('admin', `DELETE /rest/v1/table/task/${task}`)).status).toBe(200)
    const rows = async (id: unknown) =>
      (
        await stage.send(
          'admin',
          `GET /rest/v1/table/sys_history?sysparm_query=record_id=${id}^column_nameINsubject,value^ORDERBYsys_id&sysparm_fields=new_value`,
        )
      ).body
    const written = await stage.docket.database.rows(
      sql`select from docket.sys_history where record_id = ${preference} and column_name = 'value'`,
    )
    expect(written.length).toBeGreaterThan(0)
    expect(await rows(preference)).toMatchObject({ data: [] })
    expect(await rows(task)).toMatchObject({
      data: [{ new_value: 'Soon gone' }, { new_value: 'Gone' }, { new_value: null }],
    })
    expect((await stage.send('admin', `GET /rest/v1/history/sys_user_preference/${preference}`)).status).toBe(404)
    expect((await stage.send('admin', `GET /rest/v1/history/task/${task}`)).status).toBe(200)
  })

  test('a user saves filters of their own, on tables that they may read', async () => {
    const filter = { title: 'Mine', condition: 'active=true', user_id: '202', list_state: { columns: ['number'] } }
    const tableId = async (name: string) =>
      String(
        (
          await stage.docket.database.rows<{ id: string }>(
            sql`select sys_id::text as id from docket.sys_db_table where name = ${name}`,
          )
        )[0]?.id,
      )
    const made = await create('reader', 'sys_filter', { ...filter, table_id: await tableId('task') })
    expect([made.status, made.body]).toMatchObject([
      200,
      { data: [{ title: 'Mine', list_state: { columns: ['number'] } }] },
    ])
    expect(
      (await create('reader', 'sys_filter', { ...filter, title: '', table_id: await tableId('task') })).status,
    ).toBe(200)
    expect(
      (await create('reader', 'sys_filter', { ...filter, user_id: '201', table_id: await tableId('task') })).status,
    ).toBe(403)
    expect(
      (await create('reader', 'sys_filter', { ...filter, user_id: null, table_id: await tableId('task') })).status,
    ).toBe(403)
    // A denied table has the same error as a missing one.
    const closed = await create('reader', 'sys_filter', { ...filter, condition: '', table_id: await tableId('vault') })
    const missing = await create('reader', 'sys_filter', { ...filter, condition: '', table_id: '155931135900000999' })
    expect([closed.status, closed.text]).toEqual([422, missing.text])
    expect(await count('reader', 'sys_filter')).toBe(2)
    // Only the filter without a title is visible: colleagues may share its address (issue 13).
    expect(await count('worker', 'sys_filter')).toBe(1)
    expect((await stage.send('worker', `DELETE /rest/v1/table/sys_filter/${idOf(made)}`)).status).toBe(404)
  })

  test('a related list names a column that refers to the table of its form', async () => {
    const vault = (
      await stage.docket.database.rows<{ id: string }>(
        sql`select sys_id::text as id from docket.sys_db_table where name = 'vault'`,
      )
    )[0]?.id
    const response = await create('admin', 'sys_ui_related_list', {
      form_id: '8002',
      table_id: vault,
      column_name: 'sys_created_by',
    })
    expect([response.status, response.body]).toMatchObject([
      422,
      { message: 'The value of column_name is rejected: a column of vault that refers to room is expected.' },
    ])
    expect(
      (await create('admin', 'sys_ui_related_list', { form_id: '8002', table_id: vault, column_name: 'room' })).status,
    ).toBe(200)
    expect((await meta('admin')).views.find(({ title }) => title === 'default')?.related_lists).toHaveLength(1)
  })
})
