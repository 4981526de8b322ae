import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import '../../harness/property-seed.ts'
import { type Stage, setStage, type Who } from '../records/fixture.ts'

let stage: Stage
beforeAll(async () => {
  stage = await setStage([
    sql`insert into docket.sys_security_acl (operation, table_name, roles, condition, admin_overrides)
        select o, 'company', array[(select sys_id::text from docket.sys_role where name = 'itil')], case o when 'write' then 'city!=Closed' else '' end, true
        from unnest(array['read', 'create', 'write']) as o`,
    sql`insert into docket.sys_security_acl (operation, table_name, roles, admin_overrides)
        values ('read', 'company', array[(select sys_id::text from docket.sys_role where name = 'user')], true)`,
  ])
})
afterAll(() => stage.close())

const base = { inserted: 0, updated: 0, skipped: 0, failed: 0, errors: [], ignored_columns: [], dry_run: false }
async function load(as: Who, query: string, type: string, text: string, table = 'company') {
  const response = await stage.send(as, `POST /rest/v1/import/${table}${query}`, {
    body: text,
    headers: { 'content-type': type },
  })
  return { ...(response.body as { data?: unknown; errors?: { code: string }[] }), status: response.status }
}
const csv = (as: Who, query: string, text: string, table?: string) => load(as, query, 'text/csv', text, table)
const namesWith = async (prefix: string) =>
  (
    await stage.run(sql`select name, city, active from docket.company where starts_with(name, ${prefix}) order by name`)
  ).map((row) => row)

test('the property rest.limit.max limits callers, not how records are found by their keys', async () => {
  const before = await stage.run(sql`select value from docket.sys_property where name = 'rest.limit.max'`)
  const limit = (value: string) =>
    stage.run(sql`update docket.sys_property set value = ${value} where name = 'rest.limit.max'`)
  try {
    await limit('50')
    const rows = ['name,city', ...Array.from({ length: 60 }, (_, at) => `Limited ${at},Perm`)].join('\n')
    expect((await csv('worker', '?key=name', rows)).data).toMatchObject({ inserted: 60, updated: 0 })
    expect((await csv('worker', '?key=name', rows)).data).toMatchObject({ inserted: 0, updated: 60 })
    await stage.run(sql`insert into docket.company (name) values ('Twice limited'), ('Twice limited')`)
    await limit('1')
    const twice = await csv('worker', '?key=name,city', 'name,city\nLimited 1,Perm')
    expect(twice.data).toMatchObject({ inserted: 0, updated: 1 })
    const ambiguous = await csv('worker', '?key=name', 'name,city\nTwice limited,Ufa')
    expect(ambiguous.data).toMatchObject({ updated: 0, failed: 1, errors: [{ line: 2, field: 'name' }] })
  } finally {
    await limit(String((before[0] as { value: string } | undefined)?.value ?? '10000'))
  }
})

test('CSV: new rows are created, rows that are there are changed, a bad one is told with its line', async () => {
  const first = await csv('worker', '?key=name', 'name,city,active\r\nA one,Perm,true\r\n"A ""two""",,0\r\n')
  expect(first).toMatchObject({ status: 200, data: { ...base, table: 'company', inserted: 2 } })
  expect(await namesWith('A ')).toEqual([
    { name: 'A "two"', city: null, active: false },
    { name: 'A one', city: 'Perm', active: true },
  ])
  const second = await csv(
    'worker',
    '?key=name',
    'name;city;active\nA ONE;Ufa;1\nA three;"New\nline";maybe\nA four;x\nA five;Omsk;false\n;nobody;1\n',
  )
  expect(second.data).toEqual({
    ...base,
    table: 'company',
    inserted: 1,
    updated: 1,
    failed: 3,
    errors: [
      { table: 'company', line: 3, code: 'INVALID_VALUE', field: 'active', message: expect.stringContaining('active') },
      { table: 'company', line: 5, code: 'BAD_JSON', message: expect.stringContaining('2 cells') },
      {
        table: 'company',
        line: 7,
        code: 'INVALID_VALUE',
        field: 'name',
        message: expect.stringContaining('key column'),
      },
    ],
  })
  expect((await namesWith('A ')).map((row) => (row as { name: string }).name)).toEqual(['A "two"', 'A ONE', 'A five'])
})

test('rows are written with the rights of whoever sends them, row by row', async () => {
  await csv('admin', '', 'name,city\nB shut,Closed\nB open,Perm\n')
  const response = await csv('worker', '?key=name', 'name,city\nB shut,Perm\nB open,Ufa\nB new,Omsk\n')
  expect(response.data).toMatchObject({
    inserted: 1,
    updated: 1,
    failed: 1,
    errors: [{ line: 2, code: 'ACCESS_DENIED' }],
  })
  const reader = await csv('reader', '?key=name', 'name,city\nB open,Tula\nB newer,Tula\n')
  expect(reader.data).toMatchObject({ inserted: 0, updated: 0, failed: 2 })
  expect((await namesWith('B ')).map((row) => (row as { city: string }).city)).toEqual(['Omsk', 'Ufa', 'Closed'])
})

test('rows of one key are written in their order, however many are under way', async () => {
  const rows = Array.from({ length: 40 }, (_, n) => `C same,city ${n}`)
  const response = await csv('worker', '?key=name', `name,city\n${rows.join('\n')}\n`)
  expect(response.data).toEqual({ ...base, table: 'company', inserted: 1, updated: 39 })
  expect(await namesWith('C ')).toEqual([{ name: 'C same', city: 'city 39', active: true }])
})

test('a dry run tells what would be and keeps nothing', async () => {
  const before = await stage.run(sql`select count(*) as n from docket_system.change`)
  const response = await csv('worker', '?key=name&dry_run=1', 'name,city\nC same,Perm\nD new,Perm\nD bad,x,y\n')
  expect(response.data).toMatchObject({ inserted: 1, updated: 1, failed: 1, dry_run: true })
  expect(await namesWith('D ')).toEqual([])
  expect(await stage.run(sql`select count(*) as n from docket_system.change`)).toEqual(before)
})

test('a dry run tells of rows that repeat each other what the import tells', async () => {
  const files = [
    ['?key=name', 'name,city\nK one,Perm\nK ONE,Ufa\nK two,Perm\nK one,maybe\n'],
    ['?key=name&on_hit=skip', 'name,city\nK three,Perm\nK three,Ufa\n'],
    ['', 'name,city\nK same,Perm\nK same,Perm\n'],
    // Rows with equal values in a unique column, apart from case.
    ['?key=user_name', 'user_name,display_name\nk.one,One\nk.ONE,Two\nk.two,Three\n', 'user'],
    ['', 'user_name,display_name\nk.three,One\nk.four,Two\nk.THREE,Three\n', 'user'],
    ['?key=sys_id', 'sys_id,name\n901,K id\n901,K id\n902,K other\n'],
    // The same keys again, of records that are there by now.
    ['?key=user_name', 'user_name,display_name\nk.one,Four\nK.ONE,Five\nk.new,Six\nk.new,Seven\n', 'user'],
    ['?key=sys_id', 'sys_id,name\n901,K id\n901,K id again\n'],
  ] as const
  for (const [query, text, table] of files) {
    const dry = await csv('admin', `${query}${query === '' ? '?' : '&'}dry_run=1`, text, table)
    const real = await csv('admin', query, text, table)
    expect([query, dry.data]).toEqual([query, { ...(real.data as object), dry_run: true }])
  }
})

test('keys are found as conditions find them, whatever is in them', async () => {
  const names = ['T ^one', 'T a@b', 'T a,b', 'T "q"', 'T straße', 'T İ', 'T ЁЛКА', 'javascript:T', 'T (x)', 'T plain']
  const file = (city: string) => names.map((name) => JSON.stringify({ name, city })).join('\n')
  expect((await load('admin', '?key=name', 'application/x-ndjson', file('Perm'))).data).toMatchObject({
    inserted: 10,
    errors: [],
  })
  expect((await load('admin', '?key=name', 'application/x-ndjson', file('Ufa'))).data).toMatchObject({
    updated: 10,
    errors: [],
  })
  // 150 records with unique names, and two records with the same name.
  await stage.run(sql`insert into docket.company (name, city) select 'U ' || n, 'Perm' from generate_series(1, 150) n`)
  await stage.run(sql`insert into docket.company (name, city) values ('U twice', 'Perm'), ('u Twice', 'Perm')`)
  const rows = (city: string) => Array.from({ length: 200 }, (_, n) => `u ${n + 1},${city}`).join('\n')
  const first = await csv('admin', '?key=name', `name,city\n${rows('Ufa')}\n`)
  expect(first.data).toMatchObject({ inserted: 50, updated: 150, failed: 0 })
  const second = await csv('admin', '?key=name', `name,city\n${rows('Omsk')}\nU TWICE,Omsk\n`)
  expect(second.data).toMatchObject({ inserted: 0, updated: 200, failed: 1, errors: [{ line: 202, field: 'name' }] })
  const numbers = await csv('admin', '?key=subject', `subject,priority\n${rows('2').replaceAll('u ', 'U ')}\n`, 'task')
  expect(numbers.data).toMatchObject({ inserted: 200, failed: 0 })
  const [made] = await stage.run(
    sql`select count(distinct number)::integer as numbers from docket.task where starts_with(subject, 'U ')`,
  )
  expect(made).toEqual({ numbers: 200 })
})

test('a key cell that reads like a helper is a text, and changes nobody (issue 8, A4)', async () => {
  const cells = [
    'javascript:gs.getUserName()',
    'javascript:gs.getUser().getName()',
    'javascript:x',
    "^'javascript:gs.getUserName()",
    'a^ORuser_name=admin',
  ]
  const users = () =>
    stage.run(
      sql`select sys_id::text, user_name, display_name from docket."user" where sys_id < 1000 or user_name = 'admin' order by 1`,
    )
  const before = await users()
  const file = (title: string) => `user_name,display_name\n${cells.map((cell) => `${cell},${title}\n`).join('')}`
  const columns = await csv('admin', '?key=user_name', file('first'), 'user')
  expect(columns.data).toMatchObject({ inserted: cells.length, updated: 0, errors: [] })
  for (const cell of cells) {
    const again = await csv('admin', '?key=user_name', `user_name,display_name\n${cell},second\n`, 'user')
    expect([cell, again.data]).toMatchObject([cell, { inserted: 0, updated: 1, errors: [] }])
  }
  const json = await load(
    'admin',
    '?key=user_name',
    'application/x-ndjson',
    JSON.stringify({ user_name: cells[0], display_name: 'third' }),
    'user',
  )
  expect(json.data).toMatchObject({ inserted: 0, updated: 1, errors: [] })
  expect(await users()).toEqual(before)
  expect(
    await stage.run(
      sql`select user_name, display_name from docket."user" where display_name in ('first', 'second', 'third') order by 1`,
    ),
  ).toEqual(
    cells
      .map((cell, index) => ({ user_name: cell, display_name: index === 0 ? 'third' : 'second' }))
      .toSorted((one, other) => (one.user_name < other.user_name ? -1 : 1)),
  )
})

test('a query asks for a text that begins as a helper does by a literal value (issue 8, A4)', async () => {
  const call = async (query: string) =>
    (
      await stage.send(
        'admin',
        `GET /rest/v1/table/user?sysparm_fields=user_name&sysparm_query=${encodeURIComponent(query)}`,
      )
    ).body
  expect(await call("user_name=^'javascript:gs.getUserName()")).toMatchObject({
    data: [{ user_name: 'javascript:gs.getUserName()' }],
  })
  expect(await call('user_name=javascript:gs.getUserName()')).toMatchObject({ data: [{ user_name: 'admin' }] })
  expect(await call("user_nameIN^'javascript:x@javascript:gs.getUserName()^ORDERBYuser_name")).toMatchObject({
    data: [{ user_name: 'javascript:gs.getUserName()' }, { user_name: 'javascript:x' }],
  })
  expect(await call("user_nameSTARTSWITH^'javascript:gs^ORDERBYuser_name")).toMatchObject({
    data: [{ user_name: 'javascript:gs.getUser().getName()' }, { user_name: 'javascript:gs.getUserName()' }],
  })
})

test('on_hit=skip leaves what is there', async () => {
  const response = await csv('worker', '?key=name&on_hit=skip', 'name,city\nC same,Perm\nE new,Perm\n')
  expect(response.data).toMatchObject({ inserted: 1, updated: 0, skipped: 1 })
  expect(await namesWith('C ')).toMatchObject([{ city: 'city 39' }])
})

test('on_hit=patch takes instructions, so that concurrent imports lose no member of a list; without it they are rejected', async () => {
  const add = (member: string, query: string) =>
    load(
      'admin',
      `?key=sys_id&${query}`,
      'application/x-ndjson',
      `{"sys_id":"1001","labels":{"add":["${member}"]}}`,
      'itsm_incident',
    )
  const labels = () => stage.run(sql`select labels from docket.task where sys_id = 1001`)
  await stage.run(sql`update docket.task set labels = array['old'] where sys_id = 1001`)
  expect((await add('plain', 'on_hit=update')).data).toMatchObject({
    updated: 0,
    errors: [{ code: 'INVALID_VALUE', field: 'labels' }],
  })
  expect((await add('dry', 'on_hit=patch&dry_run=1')).data).toMatchObject({ updated: 1, failed: 0 })
  expect(await labels()).toEqual([{ labels: ['old'] }])
  const members = Array.from({ length: 8 }, (_, n) => `member ${n}`)
  for (const { data } of await Promise.all(members.map((member) => add(member, 'on_hit=patch'))))
    expect(data).toMatchObject({ updated: 1, failed: 0 })
  const [row] = (await labels()) as readonly { labels: readonly string[] }[]
  expect([...(row?.labels ?? [])].sort()).toEqual([...members, 'old'])
  const rows = [
    '{"sys_id":"1001","labels":{"remove":["old"]},"followers_list":{"add":["201"]},"subject":"Patched"}',
    '{"sys_id":"1001","labels":{"added":["x"]}}',
  ]
  const names = await load(
    'admin',
    '?key=sys_id&on_hit=patch&sysparm_input_display_value=1',
    'application/x-ndjson',
    rows.join('\n'),
    'itsm_incident',
  )
  expect(names.data).toMatchObject({ updated: 1, failed: 1, errors: [{ line: 2, field: 'labels' }] })
  expect(
    await stage.run(
      sql`select labels @> array['old'] as old, followers_list, subject from docket.task where sys_id = 1001`,
    ),
  ).toEqual([{ old: false, followers_list: ['201'], subject: 'Patched' }])
})

test('a dry run takes instructions for a record that an earlier row would create, and rejects what a patch rejects', async () => {
  const sent = [
    { subject: 'Patched new', labels: ['one'], reassignment_count: 1, description: 'First' },
    { subject: 'Patched new', labels: { add: ['two'] }, reassignment_count: { increment: 2 } },
    { subject: 'Patched new', description: { append: ' and more' }, priority: { value: '2' } },
    { subject: 'Patched new', description: { clear: true } },
    { subject: 'Patched new', labels: { added: ['x'] } },
    { subject: 'Patched new', priority: { value: 'no such' }, labels: { add: ['three'] } },
  ]
  const text = sent.map((row) => JSON.stringify(row)).join('\n')
  const run = (dry: string) =>
    load('admin', `?key=subject&on_hit=patch${dry}`, 'application/x-ndjson', text, 'itsm_incident')
  const dry = await run('&dry_run=1')
  expect(dry.data).toMatchObject({
    inserted: 1,
    updated: 3,
    failed: 2,
    errors: [
      { line: 5, field: 'labels' },
      { line: 6, field: 'priority' },
    ],
  })
  expect((await run('')).data).toEqual({ ...(dry.data as object), dry_run: false })
})

test('on_miss=reject creates nothing: a row whose record is gone is rejected, also if the caller could give the sys_id', async () => {
  const made = await csv('admin', '', 'name,city\nG there,Perm\n')
  expect(made.data).toMatchObject({ inserted: 1 })
  for (const dry of ['&dry_run=1', '']) {
    const rows = 'sys_id,name,city\n910,G gone,Ufa\n911,G gone too,Ufa\n'
    const { data } = await csv('admin', `?key=sys_id&on_miss=reject${dry}`, rows)
    expect(data).toMatchObject({
      inserted: 0,
      updated: 0,
      failed: 2,
      errors: [
        { line: 2, code: 'RECORD_NOT_FOUND' },
        { line: 3, code: 'RECORD_NOT_FOUND' },
      ],
    })
  }
  const { data } = await csv('admin', '?key=name&on_miss=reject', 'name,city\nG there,Ufa\nG gone,Ufa\n')
  expect(data).toMatchObject({ inserted: 0, updated: 1, failed: 1 })
  expect(await namesWith('G ')).toMatchObject([{ city: 'Ufa' }])
})

test('NDJSON: values as the Table API takes them, a bad line by itself', async () => {
  const lines = [
    '{"name":"F one","active":false}',
    '',
    'no json',
    '[1]',
    '{"name":"F two","nothing":1}',
    '{"name":"F three"}',
  ]
  const response = await load('worker', '', 'application/x-ndjson', lines.join('\n'))
  expect(response.data).toMatchObject({
    inserted: 2,
    failed: 3,
    errors: [
      { line: 3, code: 'BAD_JSON' },
      { line: 4, code: 'BAD_JSON' },
      { line: 5, code: 'INVALID_VALUE', field: 'nothing' },
    ],
  })
})

test('JSON: several tables in one file (docs/spec/records.md, section 9)', async () => {
  const form = new FormData()
  const tables = { company: [{ name: 'G one' }, { name: 'G two', active: 'maybe' }], service: [{ name: 'G service' }] }
  form.set('file', new Blob([JSON.stringify(tables)]), 'desk.json')
  const { user, password } = stage.callerOf('admin') as { user: string; password: string }
  const response = await fetch(`${stage.docket.baseUrl}/v1/import/json`, {
    method: 'POST',
    body: form,
    headers: { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` },
  })
  expect([response.status, await response.json()]).toEqual([
    200,
    {
      status: 'OK',
      data: {
        ...base,
        filename: 'desk.json',
        inserted: 2,
        failed: 1,
        errors: [{ table: 'company', line: 2, code: 'INVALID_VALUE', field: 'active', message: expect.any(String) }],
      },
    },
  ])
})

test.each([
  ['a table that does not exist', { no_such_table: [{ name: 'x' }] }, '', 404],
  ['rows that are no array', { service: {} }, '', 422],
  ['a key that another table does not have', { sys_user_has_role: [] }, '?key=name', 400],
])('JSON: %s is rejected before rows of another table are written', async (_name, bad, query, status) => {
  const form = new FormData()
  form.set('file', new Blob([JSON.stringify({ company: [{ name: 'Half imported' }], ...bad })]), 'desk.json')
  const { user, password } = stage.callerOf('admin') as { user: string; password: string }
  const response = await fetch(`${stage.docket.baseUrl}/v1/import/json${query}`, {
    method: 'POST',
    body: form,
    headers: { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` },
  })
  expect([response.status, await namesWith('Half imported')]).toEqual([status, []])
})

test('what a file has in columns that the server fills is ignored, whatever it is', async () => {
  const rows = 'name,sys_created_by,sys_updated_at\nFilled Ltd,nobody of this name,never\n'
  const { data } = await csv('admin', '', rows)
  expect(data).toEqual({
    ...base,
    table: 'company',
    inserted: 1,
    ignored_columns: ['sys_created_by', 'sys_updated_at'],
  })
})

test('what was exported is imported again as it is, and nothing is different then', async () => {
  await csv('admin', '', 'name,city\n"H ""quoted"", with comma","line\nend"\n" H spaced ",\nH=1+1,Пермь\n')
  for (const format of ['csv', 'ndjson']) {
    const query = encodeURIComponent('nameLIKEH ^ORnameLIKEH=^ORDERBYname')
    const path = `/rest/v1/export/company?format=${format}&sysparm_query=${query}`
    const exported = () => stage.docket.request('GET', path, { as: stage.callerOf('admin') })
    const before = await exported()
    expect([before.status, before.headers['content-disposition']]).toEqual([
      200,
      `attachment; filename="company.${format}"`,
    ])
    const type = format === 'csv' ? 'text/csv' : 'application/x-ndjson'
    const response = await load('admin', '?key=sys_id', type, before.text)
    expect(response.data).toMatchObject({ inserted: 0, failed: 0, errors: [] })
    expect((response.data as { updated: number }).updated).toBeGreaterThan(2)
    expect((response.data as { ignored_columns: string[] }).ignored_columns).toContain('sys_created_at')
    expect((await exported()).text).toBe(before.text)
  }
})

test('what was exported without a value that the caller may not see on the record is imported without deleting it', async () => {
  const rule = await stage.send('admin', 'POST /rest/v1/table/sys_security_acl?sysparm_fields=sys_id', {
    body: {
      operation: 'read',
      table_name: 'company',
      column_name: 'phone',
      roles: [{ find: { name: 'itil' } }],
      condition: 'active=true',
    },
  })
  const [{ sys_id: id } = { sys_id: '' }] = (rule.body as { data: { sys_id: string }[] }).data
  await stage.run(
    sql`insert into docket.company (name, phone, active) values ('Hide one', '1', false), ('Hide two', '2', true)`,
  )
  const phones = () =>
    stage.run(sql`select name, phone from docket.company where starts_with(name, 'Hide') order by name`)
  const file = await stage.send(
    'worker',
    'GET /rest/v1/export/company?sysparm_query=nameSTARTSWITHHide^ORDERBYname&sysparm_fields=sys_id,name,phone,email',
  )
  expect(file.text).toMatch(/Hide one,,\r\n.*Hide two,2,\r\n$/)
  for (const query of ['?key=sys_id&dry_run=1', '?key=name', '?key=sys_id', '?key=sys_id&on_hit=patch'])
    expect((await csv('worker', query, file.text)).data).toMatchObject({ updated: 2, failed: 0 })
  expect(await phones()).toEqual([
    { name: 'Hide one', phone: '1' },
    { name: 'Hide two', phone: '2' },
  ])
  // A value that is there is written, and an empty cell of a visible value empties it.
  expect((await csv('worker', '?key=name', 'name,phone\nHide one,3\nHide two,\n')).data).toMatchObject({ updated: 2 })
  expect(await phones()).toEqual([
    { name: 'Hide one', phone: '3' },
    { name: 'Hide two', phone: null },
  ])
  // Who sees the value can empty it.
  expect((await csv('admin', '?key=name', 'name,phone\nHide one,\n')).data).toMatchObject({ updated: 1 })
  expect((await phones())[0]).toEqual({ name: 'Hide one', phone: null })
  await stage.run(sql`delete from docket.company where starts_with(name, 'Hide')`)
  await stage.send('admin', `DELETE /rest/v1/table/sys_security_acl/${id}`)
})

test('a record with a text of three million characters is exported and imported again', async () => {
  await stage.run(sql`insert into docket.probe (title, c_text) values ('Long', repeat('Ж"', 1500000))`)
  const stored = () =>
    stage.run(sql`select length(c_text) as length, left(c_text, 4) as start from docket.probe where title = 'Long'`)
  for (const format of ['csv', 'ndjson']) {
    const path = `/rest/v1/export/probe?format=${format}&raw=1&sysparm_query=title=Long&sysparm_fields=sys_id,c_text`
    const { text } = await stage.docket.request('GET', path, { as: stage.callerOf('admin') })
    await stage.run(sql`update docket.probe set c_text = null where title = 'Long'`)
    const type = format === 'csv' ? 'text/csv' : 'application/x-ndjson'
    const { data } = await load('admin', '?key=sys_id', type, text, 'probe')
    expect(data).toEqual({ ...base, table: 'probe', updated: 1 })
    expect(await stored()).toEqual([{ length: 3_000_000, start: 'Ж"Ж"' }])
  }
  await stage.run(sql`delete from docket.probe where title = 'Long'`)
})

test('an export by HTTP holds no cell that a spreadsheet runs; raw=1 and NDJSON do (issue 8, A10)', async () => {
  const cells = ['=1+1', '+1', '-1', '@A1', '\t=1', "'=1", "'plain'"]
  const rows = cells.map((cell, n) =>
    JSON.stringify({ title: `guard ${n}`, c_text: cell, c_integer: -n, c_decimal: '-1.50' }),
  )
  expect((await load('admin', '', 'application/x-ndjson', rows.join('\n'), 'probe')).data).toMatchObject({
    inserted: cells.length,
  })
  const query = `sysparm_query=${encodeURIComponent('titleSTARTSWITHguard ^ORDERBYtitle')}&sysparm_fields=c_text,c_integer,c_decimal`
  const get = async (more: string) =>
    (await stage.docket.request('GET', `/rest/v1/export/probe?${query}${more}`, { as: stage.callerOf('admin') })).text
  expect(await get('')).toBe(
    `c_text,c_integer,c_decimal\r\n'=1+1,0,-1.50\r\n'+1,-1,-1.50\r\n'-1,-2,-1.50\r\n'@A1,-3,-1.50\r\n'\t=1,-4,-1.50\r\n''=1,-5,-1.50\r\n'plain',-6,-1.50\r\n`,
  )
  expect(await get('&raw=1')).toContain('\r\n=1+1,0,-1.50\r\n')
  expect(await get('&format=ndjson')).toContain('{"c_text":"=1+1",')
  const hand = await csv('admin', '?key=title', "title,c_text\nguard 0,'=2+2\nguard 1,''=3\nguard 6,'x\n", 'probe')
  expect(hand.data).toMatchObject({ updated: 3, errors: [] })
  expect(
    await stage.run(
      sql`select c_text from docket.probe where title in ('guard 0', 'guard 1', 'guard 6') order by title`,
    ),
  ).toEqual([{ c_text: '=2+2' }, { c_text: "'=3" }, { c_text: "'x" }])
})

test('law: what is exported and imported again changes nothing, whatever texts and JSON it holds (issue 8, A10)', async () => {
  const awkward = fc.stringMatching(/^['"]{0,2}[=+\-@\t\r\n ,;]{0,2}[a-zЖ\]{0"]{0,3}$/)
  const text = fc.oneof(
    fc.constant(null),
    awkward,
    fc.string({ unit: 'binary', maxLength: 8 }).map((value) => value.replaceAll('\0', '')),
  )
  const row = fc.record({
    c_text: text,
    c_string: text,
    c_json: fc.oneof(
      text,
      fc.json({ maxDepth: 1 }).map((json) => JSON.parse(json)),
    ),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 12 }), async (rows) => {
      await stage.run(sql`delete from docket.probe where title like 'law %'`)
      for (const [n, { c_text, c_string, c_json }] of rows.entries())
        await stage.run(sql`insert into docket.probe (title, c_text, c_translated, c_json) values (${`law ${n}`}, ${c_text}, ${c_string},
          ${c_json === null ? null : JSON.stringify(c_json)}::jsonb)`)
      const stored = () =>
        stage.run(
          sql`select to_jsonb(p) - 'sys_updated_by' - 'sys_updated_at' - 'update$count' as row from docket.probe p where title like 'law %' order by sys_id`,
        )
      const before = await stored()
      for (const [query, type] of [
        ['', 'text/csv'],
        ['&raw=1', 'text/csv'],
        ['&format=ndjson', 'application/x-ndjson'],
      ] as const) {
        const path = `/rest/v1/export/probe?sysparm_query=titleSTARTSWITHlaw${query}`
        const file = (await stage.docket.request('GET', path, { as: stage.callerOf('admin') })).text
        const response = await load('admin', `?key=sys_id${query.replace(/&format.*/, '')}`, type, file, 'probe')
        expect(response.data).toMatchObject({ updated: rows.length, failed: 0, errors: [] })
        expect(await stored()).toEqual(before)
      }
    }),
    { numRuns: 40 },
  )
})

test('a parameter that an import does not know is 400, and nothing is written (docs/spec/records.md, section 3)', async () => {
  for (const query of ['?dryrun=1', '?sysparm_dry_run=1', '?key=name&sysparm_query=a=1'])
    expect(await csv('admin', query, 'name\nV one\n')).toMatchObject({
      status: 400,
      errors: [{ code: 'BAD_PARAMETER' }],
    })
  const form = new FormData()
  form.set('file', new Blob([JSON.stringify({ company: [{ name: 'V two' }] })]), 'rows.json')
  form.set('dryrun', '1')
  const { user, password } = stage.callerOf('admin') as { user: string; password: string }
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
  const response = await fetch(`${stage.docket.baseUrl}/v1/import/json`, {
    method: 'POST',
    body: form,
    headers: { authorization },
  })
  expect(response.status).toBe(400)
  expect(await namesWith('V ')).toEqual([])
})

test('a flag that is neither 0 nor 1 is 400, and nothing is written (issue 9, step 6)', async () => {
  expect(await csv('admin', '?dry_run=yes', 'name\nV three\n')).toMatchObject({
    status: 400,
    errors: [
      {
        code: 'BAD_PARAMETER',
        message: 'The parameter dry_run must be 0, 1, true or false; found yes.',
        field: 'dry_run',
      },
    ],
  })
  expect(await namesWith('V ')).toEqual([])
})

test('an export has the records that the caller may read and the fields that were asked for, across pages', async () => {
  await stage.run(sql`insert into docket.company (name, city) select 'I ' || n, 'many' from generate_series(1, 2345) n`)
  const response = await stage.send(
    'worker',
    'GET /rest/v1/export/company?sysparm_query=city=many&sysparm_fields=name,city',
  )
  const lines = response.text.split('\r\n')
  expect(lines.length).toBe(2347)
  expect(lines[0]).toBe('name,city')
  expect(new Set(lines.slice(1, -1)).size).toBe(2345)
  expect((await stage.send('nobody', 'GET /rest/v1/export/company')).status).toBe(403)
})

describe('texts as they are met:', () => {
  const named = async (text: string | Uint8Array, type: string, query = '') => {
    const response = await stage.docket.request('POST', `/rest/v1/import/company${query}`, {
      as: stage.callerOf('admin'),
      body: text as string,
      headers: { 'content-type': type },
    })
    return response.body as { data?: { inserted: number; failed: number; errors: { line: number; message: string }[] } }
  }
  const windows1251 = (text: string) =>
    Uint8Array.from(text, (letter) => (letter >= 'А' ? letter.charCodeAt(0) - 0x410 + 0xc0 : letter.charCodeAt(0)))

  test('with a byte order mark, with line ends of Windows, with semicolons', async () => {
    expect((await named('\uFEFFname;city\r\nL bom;Perm\r\n', 'text/csv')).data).toMatchObject({
      inserted: 1,
      failed: 0,
    })
    expect(await namesWith('L ')).toEqual([{ name: 'L bom', city: 'Perm', active: true }])
  })

  test('in windows-1251 and UTF-16, when the type says so', async () => {
    const rows = 'name,city\nM один,Пермь\n'
    expect((await named(windows1251(rows), 'text/csv; charset=windows-1251')).data).toMatchObject({ inserted: 1 })
    const utf16 = Buffer.from(`\uFEFF${rows.replace('один', 'два')}`, 'utf16le')
    expect((await named(utf16, 'text/csv; charset=utf-16le')).data).toMatchObject({ inserted: 1 })
    expect(await namesWith('M ')).toEqual([
      { name: 'M два', city: 'Пермь', active: true },
      { name: 'M один', city: 'Пермь', active: true },
    ])
  })

  test('bytes of another encoding are told with their line and end the file; what stands before is in', async () => {
    const text = Buffer.concat([Buffer.from('name,city\nN good,Perm\n'), windows1251('N bad,Пермь\nN behind,Perm\n')])
    expect((await named(text, 'text/csv')).data).toMatchObject({
      inserted: 1,
      failed: 1,
      errors: [
        {
          line: 3,
          message: expect.stringMatching(
            /charset .*; found bytes that are not utf-8 \(line 3\); nothing behind it was read/,
          ),
        },
      ],
    })
    expect((await namesWith('N ')).map((row) => (row as { name: string }).name)).toEqual(['N good'])
    const lines = Buffer.concat([Buffer.from('{"name":"O good"}\n'), windows1251('{"name":"O Пермь"}\n')])
    expect((await named(lines, 'application/x-ndjson')).data).toMatchObject({ inserted: 1, errors: [{ line: 2 }] })
  })

  test('a quote that is not closed, a line of fifty megabytes, a hundred thousand columns', async () => {
    const open = `name,city\nP good,Perm\n"P open,Perm\n${'x,y\n'.repeat(10)}`
    expect((await named(open, 'text/csv')).data).toMatchObject({
      inserted: 1,
      failed: 1,
      errors: [{ line: 3, message: expect.stringContaining('a quote is opened and not closed') }],
    })
    const long = 'x'.repeat(50 * 1_048_576)
    expect((await named(`name,city\nQ good,Perm\nQ ${long},Perm\n`, 'text/csv')).data).toMatchObject({
      inserted: 1,
      errors: [{ line: 3, message: expect.stringContaining('a row is longer than 33554432 characters') }],
    })
    // In lines of JSON, the next record begins after the line that is too long.
    const lines = `{"name":"R ${long}"}\n{"name":"R behind"}\n`
    expect((await named(lines, 'application/x-ndjson')).data).toMatchObject({
      inserted: 1,
      errors: [{ line: 1, message: expect.stringContaining('more than 33554432 characters') }],
    })
    const header = Array.from({ length: 100_000 }, (_, n) => `c${n}`).join(',')
    expect(await named(`${header}\n1\n`, 'text/csv')).toMatchObject({
      errors: [{ code: 'BAD_JSON', message: expect.stringContaining('at most 2000 columns; found 100000 names') }],
    })
  })
})

test('a JSON import that is sent again under its Idempotency-Key writes what is missing', async () => {
  const { user, password } = stage.callerOf('admin') as { user: string; password: string }
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
  const post = async (rows: readonly object[], key: string) => {
    const form = new FormData()
    form.set('file', new Blob([JSON.stringify({ company: rows })]), 'rows.json')
    const response = await fetch(`${stage.docket.baseUrl}/v1/import/json`, {
      method: 'POST',
      body: form,
      headers: { authorization, 'idempotency-key': key },
    })
    return (await response.json()) as { data: { inserted: number; failed: number; errors: { code: string }[] } }
  }
  const rows = [
    { name: 'S one' },
    { name: 'S two', active: 'maybe' },
    { name: 'S three', city: 'Perm' },
    { name: 'S four' },
  ]
  for (const time of [1, 2, 3]) {
    expect([time, (await post(rows, 'again')).data]).toMatchObject([time, { inserted: 3, failed: 1 }])
    expect(await namesWith('S ')).toHaveLength(3)
  }
  const other = await post([{ name: 'S five' }, { name: 'S six' }], 'again')
  expect(other.data).toMatchObject({
    inserted: 0,
    failed: 2,
    errors: [{ code: 'INVALID_VALUE' }, { code: 'INVALID_VALUE' }],
  })
  expect((await post(rows, 'another')).data.inserted).toBe(3)
  expect(await namesWith('S ')).toHaveLength(6)
})

describe('what cannot be begun is rejected:', () => {
  test.each([
    ['worker', 'nothing', '', 'text/csv', 'name\nx\n', 404, 'TABLE_NOT_FOUND'],
    ['worker', 'company', '?key=nothing', 'text/csv', 'name\nx\n', 400, 'BAD_PARAMETER'],
    ['worker', 'company', '?on_hit=x', 'text/csv', 'name\nx\n', 400, 'BAD_PARAMETER'],
    ['worker', 'company', '?delimiter=x', 'text/csv', 'name\nx\n', 400, 'BAD_PARAMETER'],
    ['worker', 'company', '?format=xml', 'text/csv', 'name\nx\n', 400, 'BAD_PARAMETER'],
    ['worker', 'company', '', 'application/pdf', 'x', 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['worker', 'company', '', 'text/csv; charset=nothing', 'name\nx\n', 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['worker', 'company', '', 'text/csv', '', 400, 'BAD_JSON'],
    ['worker', 'company', '', 'text/csv', 'name,name\nx,y\n', 400, 'BAD_JSON'],
  ] as const)('%s %s%s %s', async (as, table, query, type, text, status, code) => {
    const response = await load(as, query, type, text, table)
    expect([response.status, response.errors?.[0]?.code]).toEqual([status, code])
  })
})

describe('an import with a key that is sent again under its Idempotency-Key (issue 13)', () => {
  const post = async (rows: readonly object[], query: string, key: string | null, table = 'itsm_incident') => {
    const caller = stage.callerOf(table === 'user' ? 'admin' : 'worker') as { user: string; password: string }
    const form = new FormData()
    form.set('file', new Blob([JSON.stringify({ [table]: rows })]), 'rows.json')
    const response = await fetch(`${stage.docket.baseUrl}/v1/import/json?${query}`, {
      method: 'POST',
      body: form,
      headers: {
        authorization: `Basic ${Buffer.from(`${caller.user}:${caller.password}`).toString('base64')}`,
        ...(key === null ? {} : { 'idempotency-key': key }),
      },
    })
    return ((await response.json()) as { data: Record<string, unknown> }).data
  }
  const stored = (subject: string) =>
    stage.run(sql`select t.description, (select count(*)::integer from docket.sys_journal_entry j where j.record_id = t.sys_id::text) as notes
      from docket.task t where t.subject = ${subject}`)

  test('writes nothing again: no journal entry, no value that somebody has changed since, and the same counts', async () => {
    await stage.send('worker', 'POST /rest/v1/table/itsm_incident', {
      body: { subject: 'Keyed old', description: 'before' },
    })
    const rows = [
      { subject: 'Keyed old', description: 'imported', work_notes: 'Said once' },
      { subject: 'Keyed new', description: 'imported', work_notes: 'Said once' },
      { subject: 'Keyed bad', description: 'imported', priority: 'no such' },
      { subject: 'Keyed new', description: 'changed by a later row' },
    ]
    const counts = { inserted: 1, updated: 2, skipped: 0, failed: 1 }
    expect(await post(rows, 'key=subject', 'keyed')).toMatchObject(counts)
    const after = { description: 'changed by a later row', notes: 1 }
    expect(await stored('Keyed new')).toEqual([after])
    expect(await stored('Keyed old')).toEqual([{ description: 'imported', notes: 1 }])
    await stage.run(
      sql`update docket.task set description = 'by a colleague' where subject in ('Keyed old', 'Keyed new')`,
    )
    const log = () => stage.run(sql`select max(position)::text from docket_system.change`)
    const before = await log()
    for (let times = 0; times < 2; times += 1) expect(await post(rows, 'key=subject', 'keyed')).toMatchObject(counts)
    expect(await log()).toEqual(before)
    expect(await stored('Keyed new')).toEqual([{ description: 'by a colleague', notes: 1 }])
    expect(await stored('Keyed old')).toEqual([{ description: 'by a colleague', notes: 1 }])
    // Another import writes all of it.
    expect(await post(rows, 'key=subject', 'another')).toMatchObject({ inserted: 0, updated: 3, failed: 1 })
    expect(await stored('Keyed old')).toEqual([{ description: 'imported', notes: 2 }])
  })

  test('counts what is written also if the names in it no longer lead anywhere, with a key and without', async () => {
    await stage.run(sql`insert into docket.company (sys_id, name) values (991, 'Named at first')`)

    const rows = [
      { user_name: 'of.named', company: 'Named at first' },
      { user_name: 'of.nobody', company: 'No such' },
    ]
    const counts = { inserted: 1, updated: 0, failed: 1 }
    for (const query of ['key=user_name', '']) {
      const named = rows.map((row) => ({ ...row, user_name: `${row.user_name}${query}` }))
      expect([query, await post(named, query, `named ${query}`, 'user')]).toMatchObject([query, counts])
      await stage.run(sql`update docket.company set name = 'Named anew' where sys_id = 991`)
      expect([query, await post(named, query, `named ${query}`, 'user')]).toMatchObject([query, counts])
      await stage.run(sql`update docket.company set name = 'Named at first' where sys_id = 991`)
    }
  })

  test('records the changes that were made before a failure, so that they are not made again', async () => {
    await stage.run(sql`insert into docket.company (name, city) values ('Before one', 'Perm'), ('Before two', 'Perm')`)
    // No error of the request: the server reports that it has failed.
    await stage.run(sql`create function docket.fail_import() returns trigger language plpgsql as
      $$ begin if new.name = 'Before two' then raise exception using errcode = 'XX000'; end if; return new; end $$`)
    await stage.run(
      sql`create trigger fail_import before update on docket.company for each row execute function docket.fail_import()`,
    )
    const rows = [
      { name: 'Before one', city: 'Ufa' },
      { name: 'Before two', city: 'Ufa' },
    ]
    expect(await post(rows, 'key=name', 'failing', 'company')).toBeUndefined()
    await stage.run(sql`drop trigger fail_import on docket.company`)
    await stage.run(sql`drop function docket.fail_import()`)
    expect(await namesWith('Before ')).toMatchObject([{ city: 'Ufa' }, { city: 'Perm' }])
    await stage.run(sql`update docket.company set city = 'Omsk' where name = 'Before one'`)
    expect(await post(rows, 'key=name', 'failing', 'company')).toMatchObject({ updated: 2, failed: 0 })
    expect(await namesWith('Before ')).toMatchObject([{ city: 'Omsk' }, { city: 'Ufa' }])
  })

  test('an increment counts once', async () => {
    expect(await post([{ subject: 'Keyed counter', reassignment_count: 3 }], 'key=subject', null)).toMatchObject({
      inserted: 1,
    })
    const [row] = (await stage.run(
      sql`select sys_id::text from docket.task where subject = 'Keyed counter'`,
    )) as readonly { sys_id: string }[]
    const rows = [{ sys_id: row?.sys_id, reassignment_count: { increment: 2 } }]
    const query = 'key=sys_id&on_hit=patch'
    for (let times = 0; times < 3; times += 1)
      expect(await post(rows, query, 'counted')).toMatchObject({ updated: 1, failed: 0 })
    const counters = () => stage.run(sql`select reassignment_count from docket.task where subject = 'Keyed counter'`)
    expect(await counters()).toEqual([{ reassignment_count: 5 }])
  })

  test('the same key with other rows, or another key column, writes nothing', async () => {
    const rows = [{ subject: 'Keyed twice', description: 'imported' }]
    expect(await post(rows, 'key=subject', 'twice')).toMatchObject({ inserted: 1 })
    for (const [sent, query] of [
      [[{ subject: 'Keyed thrice' }], 'key=subject'],
      [rows, 'key=description'],
    ] as const)
      expect(await post(sent, query, 'twice')).toMatchObject({
        inserted: 0,
        updated: 0,
        failed: 1,
        errors: [{ code: 'INVALID_VALUE' }],
      })
  })

  test('without the header, and as a dry run, it is as before', async () => {
    const rows = [{ subject: 'Keyed freely', work_notes: 'Again' }]
    expect(await post(rows, 'key=subject&dry_run=1', 'freely')).toMatchObject({ inserted: 1 })
    expect(await post(rows, 'key=subject', null)).toMatchObject({ inserted: 1 })
    expect(await post(rows, 'key=subject', null)).toMatchObject({ updated: 1 })
    expect(await stored('Keyed freely')).toEqual([{ description: null, notes: 2 }])
  })
})
