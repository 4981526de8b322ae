import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { type DictionaryDesk, errorIn, openDesk } from './dictionary-desk.ts'

let desk: DictionaryDesk
beforeAll(async () => {
  desk = await openDesk()
})
afterAll(() => desk.close())

test('a table and its columns are created through the Table API and usable in the next request', async () => {
  await desk.table('project')
  await desk.column('project', 'name', 'string', { mandatory: true, display_by_ref: true, max_length: 40 })
  await desk.column('project', 'budget', 'decimal', { default_value: '10.50' })
  await desk.column('project', 'phase', 'choice')
  await desk.column('project', 'manager', 'reference', { reference_id: await desk.tableId('user') })
  await desk.column('project', 'notes', 'journal_input')
  expect(await desk.storage('project')).toEqual({ name: 'text', budget: 'numeric', phase: 'text', manager: 'bigint' })

  await desk.record('project', { name: 'Bridge', manager: '155931135900000001', phase: 'first', notes: 'begun' })
  expect(await desk.records('project', 'name,budget,phase,manager,manager.user_name,sys_db_table_id.name')).toEqual([
    {
      name: 'Bridge',
      budget: '10.50',
      phase: 'first',
      manager: '155931135900000001',
      'manager.user_name': 'admin',
      'sys_db_table_id.name': 'project',
    },
  ])
  expect(await desk.records('sys_journal_entry', 'value,table_id.name')).toEqual([
    { value: 'begun', 'table_id.name': 'project' },
  ])
})

test('a column is added to a table with records; they are empty there', async () => {
  await desk.table('shelf')
  await desk.column('shelf', 'label', 'string')
  await desk.record('shelf', { label: 'a' })
  await desk.column('shelf', 'height', 'integer', { default_value: '3' })
  await desk.record('shelf', { label: 'b' })
  expect(await desk.records('shelf', 'label,height')).toEqual([
    { label: 'a', height: null },
    { label: 'b', height: 3 },
  ])
})

test('a child shares the table of its root, with columns of its own', async () => {
  const parent = await desk.table('asset', { is_extendable: true })
  await desk.column('asset', 'name', 'string')
  await desk.table('asset_car', { parent_id: parent })
  await desk.column('asset_car', 'plate', 'string', { unique: true })
  await desk.table('asset_house', { parent_id: parent })
  await desk.column('asset_house', 'plate', 'integer')
  await desk.record('asset_car', { name: 'van', plate: 'AB 1' })
  await desk.record('asset_house', { name: 'home', plate: 12 })
  expect(await desk.storage('asset')).toEqual({ name: 'text', plate: 'text', asset_house__plate: 'integer' })
  expect(await desk.records('asset', 'name,sys_db_table_id.name')).toEqual([
    { name: 'van', 'sys_db_table_id.name': 'asset_car' },
    { name: 'home', 'sys_db_table_id.name': 'asset_house' },
  ])
  expect(await desk.records('asset_house', 'name,plate')).toEqual([{ name: 'home', plate: 12 }])
  expect(errorIn(await desk.send('POST /rest/v1/table/asset_car', { plate: 'ab 1' }))).toEqual({
    status: 409,
    code: 'CONFLICT',
    reason: 'duplicate',
    field: 'plate',
    message: 'Another record of the table asset_car has this value of plate, which must be unique.',
  })
})

test.each([
  [
    'name',
    { name: 'Upper', title: 'x' },
    'a letter, then Latin lower-case letters, digits and _ are expected, at most 60 in all',
  ],
  ['name', { name: 'a'.repeat(61), title: 'x' }, 'at most 60 characters fit, found 61'],
  [
    'name',
    { name: 'drop table', title: 'x' },
    'a letter, then Latin lower-case letters, digits and _ are expected, at most 60 in all',
  ],
  ['name', { name: 'sys_mine', title: 'x' }, 'names that begin with sys_ are those of Docket itself'],
])('a table whose %s is wrong is rejected: %j', async (field, body, detail) => {
  expect(errorIn(await desk.send('POST /rest/v1/table/sys_db_table', body))).toMatchObject({
    status: 422,
    code: 'INVALID_VALUE',
    field,
    message: expect.stringContaining(detail),
  })
})

test('words of SQL, the longest name and the name of an index are fine', async () => {
  const longest = `t${'x'.repeat(59)}`
  for (const name of ['select', 'order', longest, 'task_state_idx', 'unique', 'n']) {
    await desk.table(name)
    await desk.column(name, 'from', 'string')
    await desk.column(name, 'ctid', 'integer')
    await desk.column(name, 'n', 'integer')
    await desk.column(name, 'key_0', 'integer')
    await desk.column(name, `c${'y'.repeat(59)}`, 'choice', { unique: true })
    await desk.record(name, { from: 'here', ctid: 1, n: 2, key_0: 3, [`c${'y'.repeat(59)}`]: 'z' })
    expect(await desk.records(name, `from,ctid,n,key_0,c${'y'.repeat(59)}&sysparm_query=n=2^ORDERBYkey_0`)).toEqual([
      { from: 'here', ctid: 1, n: 2, key_0: 3, [`c${'y'.repeat(59)}`]: 'z' },
    ])
  }
})

test('what a column cannot be is rejected with the field', async () => {
  const project = await desk.tableId('project')
  const asset = await desk.tableId('asset')
  const type = (name: string) => desk.typeId(name)
  const make = async (values: object) =>
    errorIn(
      await desk.send('POST /rest/v1/table/sys_db_column', {
        table_id: project,
        column_name: 'odd',
        title: 'Odd',
        column_type_id: await type('string'),
        ...values,
      }),
    )
  const rejected = (field: string, detail: string) => ({
    status: 422,
    code: 'INVALID_VALUE',
    field,
    message: `The value of ${field} is rejected: ${detail}.`,
  })
  expect(await make({ column_name: 'budget' })).toMatchObject({ status: 409, code: 'CONFLICT' })
  expect(await make({ table_id: asset, column_name: 'plate' })).toEqual(
    rejected('column_name', 'there is a column plate in asset_car already'),
  )
  expect(await make({ table_id: await desk.tableId('asset_car'), column_name: 'name' })).toEqual(
    rejected('column_name', 'there is a column name in asset already'),
  )
  expect(await make({ column_name: 'sys_odd' })).toEqual(
    rejected('column_name', 'names that begin with sys_ are those of Docket itself'),
  )
  expect(await make({ column_type_id: await type('sys_id') })).toEqual(
    rejected('column_type_id', 'every table already has a column sys_id'),
  )
  expect(await make({ column_type_id: await type('reference') })).toEqual(
    rejected('reference_id', 'a reference needs the table that it leads to'),
  )
  expect(await make({ reference_id: asset })).toEqual(
    rejected('reference_id', 'a column of type string leads to no table'),
  )
  expect(await make({ column_type_id: await type('integer'), default_value: 'many' })).toEqual(
    rejected('default_value', 'a whole number from -2147483648 to 2147483647 is expected, found "many"'),
  )
  expect(await make({ default_value: 'javascript:rm()' })).toMatchObject({ status: 422, field: 'default_value' })
  expect(await make({ max_length: 0 })).toEqual(rejected('max_length', 'a length from 1 to 10485760 is expected'))
  expect(await make({ column_type_id: await type('json'), unique: true })).toEqual(
    rejected('unique', 'values of type json cannot be held unique'),
  )
  expect(await desk.storage('project')).toEqual({ name: 'text', budget: 'numeric', phase: 'text', manager: 'bigint' })
})

test('what would lose data is rejected with what it would lose, and done when that is named', async () => {
  await desk.table('crate')
  const label = await desk.column('crate', 'label', 'string')
  const weight = await desk.column('crate', 'weight', 'string')
  for (const value of ['5', '7', 'heavy']) await desk.record('crate', { label: `crate ${value}`, weight: value })
  expect(
    errorIn(
      await desk.send(`PATCH /rest/v1/table/sys_db_column/${weight}`, { column_type_id: await desk.typeId('integer') }),
    ),
  ).toEqual({
    status: 409,
    code: 'WOULD_LOSE_DATA',
    reason: 'loss',
    message:
      'Nothing was changed, because this would be lost: 1 values that cannot be converted to integer of crate.weight. ' +
      'To lose it, send the request again with sysparm_confirm=crate.weight.',
  })
  expect(await desk.records('crate', 'weight')).toEqual([{ weight: '5' }, { weight: '7' }, { weight: 'heavy' }])
  const confirmed = await desk.send(`PATCH /rest/v1/table/sys_db_column/${weight}?sysparm_confirm=crate.weight`, {
    column_type_id: await desk.typeId('integer'),
  })
  expect(confirmed.status).toBe(200)
  expect(await desk.records('crate', 'weight')).toEqual([{ weight: 5 }, { weight: 7 }, { weight: null }])

  expect(errorIn(await desk.send(`PATCH /rest/v1/table/sys_db_column/${label}`, { max_length: 7 }))).toMatchObject({
    status: 409,
    message: expect.stringContaining('1 texts longer than 7 characters of crate.label'),
  })
  expect(errorIn(await desk.send(`DELETE /rest/v1/table/sys_db_column/${label}`))).toMatchObject({
    status: 409,
    message: expect.stringContaining('3 values of crate.label'),
  })
  expect((await desk.send(`DELETE /rest/v1/table/sys_db_column/${label}?sysparm_confirm=crate.label`)).status).toBe(200)
  expect(await desk.storage('crate')).toEqual({ weight: 'integer' })
  expect(errorIn(await desk.send('GET /rest/v1/table/crate?sysparm_query=label=x'))).toMatchObject({
    status: 400,
    code: 'BAD_QUERY',
  })

  const crate = await desk.tableId('crate')
  expect(errorIn(await desk.send(`DELETE /rest/v1/table/sys_db_table/${crate}?sysparm_confirm=other`))).toMatchObject({
    status: 409,
    message: expect.stringContaining('3 records of crate'),
  })
  expect((await desk.send(`DELETE /rest/v1/table/sys_db_table/${crate}?sysparm_confirm=crate`)).status).toBe(200)
  expect((await desk.send('GET /rest/v1/table/crate')).status).toBe(404)
  expect(await desk.storage('crate')).toEqual({})
  await desk.table('crate')
  expect(await desk.records('crate', 'sys_id')).toEqual([])
})

test('what is empty goes without a question', async () => {
  await desk.table('empty_one')
  const column = await desk.column('empty_one', 'unused', 'reference', { reference_id: await desk.tableId('user') })
  expect((await desk.send(`DELETE /rest/v1/table/sys_db_column/${column}`)).status).toBe(200)
  expect((await desk.send(`DELETE /rest/v1/table/sys_db_table/${await desk.tableId('empty_one')}`)).status).toBe(200)
})

test('a child goes with its records and columns, its kin stay', async () => {
  const building = await desk.tableId('asset_house')
  expect(errorIn(await desk.send(`DELETE /rest/v1/table/sys_db_table/${await desk.tableId('asset')}`))).toMatchObject({
    status: 409,
    message: 'asset has children (asset_car, asset_house); delete them first.',
  })
  expect((await desk.send(`DELETE /rest/v1/table/sys_db_table/${building}?sysparm_confirm=asset_house`)).status).toBe(
    200,
  )
  expect(await desk.storage('asset')).toEqual({ name: 'text', plate: 'text' })
  expect(await desk.records('asset', 'name')).toEqual([{ name: 'van' }])
})

test('uniqueness is asked of what stands there', async () => {
  await desk.table('badge')
  const code = await desk.column('badge', 'code', 'string')
  await desk.record('badge', { code: 'A' })
  await desk.record('badge', { code: 'a' })
  expect(errorIn(await desk.send(`PATCH /rest/v1/table/sys_db_column/${code}`, { unique: true }))).toEqual({
    status: 409,
    code: 'CONFLICT',
    reason: 'conflict',
    message: 'The column cannot be unique: it contains duplicates.',
  })
  await desk.docket.database.rows(sql`update docket.badge set code = 'b' where code = 'a'`)
  expect((await desk.send(`PATCH /rest/v1/table/sys_db_column/${code}`, { unique: true })).status).toBe(200)
  expect((await desk.send('POST /rest/v1/table/badge', { code: 'B' })).status).toBe(409)
  expect((await desk.send(`PATCH /rest/v1/table/sys_db_column/${code}`, { unique: false })).status).toBe(200)
  expect((await desk.send('POST /rest/v1/table/badge', { code: 'B' })).status).toBe(200)
})

test('what Docket stands on stays', async () => {
  const task = await desk.tableId('task')
  expect((await desk.send(`DELETE /rest/v1/table/sys_db_table/${task}?sysparm_confirm=task`)).status).toBe(409)
  const [state] = (await desk.records(
    'sys_db_column',
    'sys_id&sysparm_query=table_id.name=task^column_name=state',
  )) as readonly { sys_id: string }[]
  const change = (body: object) => desk.send(`PATCH /rest/v1/table/sys_db_column/${state?.sys_id}`, body)
  expect(
    (await desk.send(`DELETE /rest/v1/table/sys_db_column/${state?.sys_id}?sysparm_confirm=task.state`)).status,
  ).toBe(409)
  expect((await change({ active: false })).status).toBe(422)
  expect((await change({ column_name: 'status' })).status).toBe(422)
  expect((await change({ is_system: false })).status).toBe(422)
  expect((await change({ title: 'Stage' })).status).toBe(200)
  const extra = await desk.column('task', 'cost_centre', 'string')
  expect((await desk.send(`DELETE /rest/v1/table/sys_db_column/${extra}`)).status).toBe(200)
})

test('the text of a column that becomes rich text shows what it showed', async () => {
  await desk.table('page')
  const body = await desk.column('page', 'body', 'text')
  await desk.record('page', { body: 'a < b & <script>alert(1)</script>' })
  expect(
    (await desk.send(`PATCH /rest/v1/table/sys_db_column/${body}`, { column_type_id: await desk.typeId('wysiwyg') }))
      .status,
  ).toBe(200)
  expect(await desk.records('page', 'body')).toEqual([{ body: 'a < b & <script>alert(1)</script>' }])
})

test('an index is built on request, and for a reference unasked', async () => {
  await desk.table('parcel')
  await desk.column('parcel', 'owner', 'reference', { reference_id: await desk.tableId('user') })
  await desk.column('parcel', 'label', 'string')
  await desk.column('parcel', 'labels', 'list')
  const make = async (values: object) =>
    desk.send('POST /rest/v1/table/sys_db_index', { table_id: await desk.tableId('parcel'), ...values })
  expect((await make({ column_names: ['label'], purpose: 'order' })).status).toBe(200)
  expect((await make({ column_names: ['label', 'owner'] })).status).toBe(200)
  expect((await make({ column_names: ['labels'] })).status).toBe(200)
  expect(errorIn(await make({ column_names: ['nothing'] }))).toMatchObject({ status: 422, field: 'column_names' })
  expect(await desk.records('sys_db_index', 'column_names,purpose,state&sysparm_query=table_id.name=parcel')).toEqual([
    { column_names: ['owner'], purpose: 'conditions', state: 'ready' },
    { column_names: ['label'], purpose: 'order', state: 'ready' },
    { column_names: ['label', 'owner'], purpose: 'conditions', state: 'ready' },
    { column_names: ['labels'], purpose: 'conditions', state: 'ready' },
  ])
  const definitions = async (): Promise<readonly string[]> => {
    const rows = await desk.docket.database.rows<{ of: string }>(sql`
      select regexp_replace(indexdef, '^.* USING ', '') as of from pg_indexes where schemaname = 'docket' and tablename = 'parcel' order by 1`)
    return rows.map((row) => row.of)
  }
  expect(await definitions()).toEqual([
    'btree (fold(label), owner, sys_id)',
    'btree (label COLLATE text_order, sys_id)',
    'btree (owner, sys_id)',
    'btree (sys_id)',
    'gin (labels)',
  ])
  const [first] = (await desk.records(
    'sys_db_index',
    'sys_id&sysparm_query=table_id.name=parcel^purpose=order',
  )) as readonly { sys_id: string }[]
  expect((await desk.send(`DELETE /rest/v1/table/sys_db_index/${first?.sys_id}`)).status).toBe(200)
  expect(await definitions()).toHaveLength(4)
})

test('a broken row that decides about others is rejected when it is written', async () => {
  const rule = (values: object) =>
    desk.send('POST /rest/v1/table/sys_security_acl', { operation: 'read', table_name: 'project', ...values })
  expect(errorIn(await rule({ table_name: 'nowhere' }))).toMatchObject({ status: 422, field: 'table_name' })
  expect(errorIn(await rule({ column_name: 'nothing' }))).toMatchObject({ status: 422, field: 'column_name' })
  expect(errorIn(await rule({ condition: 'budget>>1' }))).toMatchObject({ status: 422, field: 'condition' })
  expect(errorIn(await rule({ condition: 'nothing=1' }))).toMatchObject({ status: 422, field: 'condition' })
  expect(errorIn(await rule({ condition: 'budget=plenty' }))).toMatchObject({ status: 422, field: 'condition' })
  expect(errorIn(await rule({ condition: 'budgetLIKE1' }))).toMatchObject({ status: 422, field: 'condition' })
  expect(errorIn(await rule({ condition: 'budget>1^ORDERBYname' }))).toMatchObject({ status: 422, field: 'condition' })
  const made = await rule({ condition: 'budget>1^managerDYNAMICme' })
  expect(made.status).toBe(200)
  const id = (made.body as { data: readonly { sys_id: string }[] }).data[0]?.sys_id
  expect(
    errorIn(await desk.send(`PATCH /rest/v1/table/sys_security_acl/${id}`, { condition: 'gone=1' })),
  ).toMatchObject({
    status: 422,
    field: 'condition',
  })
  const choice = async (values: object) =>
    errorIn(
      await desk.send('POST /rest/v1/table/sys_choice', {
        table_id: await desk.tableId('project'),
        value: 'a',
        title: 'A',
        ...values,
      }),
    )
  const [budget] = (await desk.records(
    'sys_db_column',
    'sys_id&sysparm_query=table_id.name=project^column_name=budget',
  )) as readonly { sys_id: string }[]
  expect(await choice({ column_id: budget?.sys_id })).toMatchObject({ status: 422, field: 'column_id' })
  expect(
    errorIn(
      await desk.send('POST /rest/v1/table/sys_number', { table_id: await desk.tableId('project'), prefix: 'P' }),
    ),
  ).toMatchObject({
    status: 422,
    field: 'table_id',
  })
  const [limit] = (await desk.records('sys_property', 'sys_id&sysparm_query=name=rest.limit.max')) as readonly {
    sys_id: string
  }[]
  expect(
    errorIn(await desk.send(`PATCH /rest/v1/table/sys_property/${limit?.sys_id}`, { value: 'all' })),
  ).toMatchObject({ status: 422, field: 'value' })
})

test('new choices and a new numbering are usable at once', async () => {
  await desk.table('order_form')
  await desk.column('order_form', 'number', 'string', { read_only: true, unique: true })
  const size = await desk.column('order_form', 'size', 'choice')
  const table = await desk.tableId('order_form')
  await desk.record('sys_number', { table_id: table, prefix: 'ORD', digits: 4, start: 7 })
  await desk.record('sys_choice', { table_id: table, column_id: size, value: 's', title: 'Small', language: 'en' })
  await desk.record('sys_choice', { table_id: table, column_id: size, value: 's', title: 'Малый', language: 'ru' })
  expect((await desk.send('POST /rest/v1/table/order_form', { size: 'xxl' })).status).toBe(422)
  await desk.record('order_form', { size: 's' })
  expect(await desk.records('order_form', 'number,size&sysparm_display_value=1')).toEqual([
    { number: 'ORD0007', size: 'Small' },
  ])
})

test('a dynamic value of one’s own is asked for by its id', async () => {
  const option = await desk.record('sys_dynamic_option', { name: 'Who asks', value: 'gs.getUserID()' })
  expect(await desk.records('project', `name&sysparm_query=managerDYNAMIC${option}`)).toEqual([{ name: 'Bridge' }])
  expect(
    errorIn(await desk.send('POST /rest/v1/table/sys_dynamic_option', { name: 'Odd', value: 'gs.rm()' })),
  ).toMatchObject({
    status: 422,
    field: 'value',
  })
})

test('what the condition of a rule or a state model asks for cannot be taken from under it', async () => {
  await desk.table('vault')
  const level = await desk.column('vault', 'level', 'integer')
  const owner = await desk.column('vault', 'owner', 'reference', { reference_id: await desk.tableId('user') })
  const condition = 'level<3^owner.active=true'
  const rule = await desk.record('sys_security_acl', { operation: 'read', table_name: 'vault', condition })
  const rejected = (why: string) => ({
    status: 409,
    code: 'CONFLICT',
    reason: 'conflict',
    message: `The access rule ${rule} of vault has the condition ${condition}, which would no longer be valid (${why}); change it first.`,
  })
  expect(errorIn(await desk.send(`DELETE /rest/v1/table/sys_db_column/${level}`))).toEqual(
    rejected('there is no column level in vault (at 0)'),
  )
  expect(errorIn(await desk.send(`PATCH /rest/v1/table/sys_db_column/${owner}`, { active: false }))).toEqual(
    rejected('there is no column owner in vault (at 8)'),
  )
  expect(
    errorIn(
      await desk.send(`PATCH /rest/v1/table/sys_db_column/${level}`, { column_type_id: await desk.typeId('boolean') }),
    ),
  ).toMatchObject({ status: 409, code: 'CONFLICT' })
  expect(await desk.storage('vault')).toEqual({ level: 'integer', owner: 'bigint' })
  expect((await desk.send(`PATCH /rest/v1/table/sys_security_acl/${rule}`, { condition: null })).status).toBe(200)
  expect((await desk.send(`DELETE /rest/v1/table/sys_db_column/${level}`)).status).toBe(200)
})

test('roles are created one after another: a write that was run again has not put itself out of date', async () => {
  for (const name of ['first_of_three', 'second_of_three', 'third_of_three']) {
    const response = await desk.send('POST /rest/v1/table/sys_role?sysparm_fields=name', { name })
    expect([response.status, response.body]).toEqual([200, { status: 'OK', data: [{ name }] }])
  }
})
