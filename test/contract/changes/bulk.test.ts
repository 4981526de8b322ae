import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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
  const answer = await stage.send(as, `POST /rest/v1/import/${table}${query}`, {
    body: text,
    headers: { 'content-type': type },
  })
  return { ...(answer.body as { data?: unknown; errors?: { code: string }[] }), status: answer.status }
}
const csv = (as: Who, query: string, text: string, table?: string) => load(as, query, 'text/csv', text, table)
const namesWith = async (prefix: string) =>
  (
    await stage.run(sql`select name, city, active from docket.company where starts_with(name, ${prefix}) order by name`)
  ).map((row) => row)

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
  const answer = await csv('worker', '?key=name', 'name,city\nB shut,Perm\nB open,Ufa\nB new,Omsk\n')
  expect(answer.data).toMatchObject({
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
  const answer = await csv('worker', '?key=name', `name,city\n${rows.join('\n')}\n`)
  expect(answer.data).toEqual({ ...base, table: 'company', inserted: 1, updated: 39 })
  expect(await namesWith('C ')).toEqual([{ name: 'C same', city: 'city 39', active: true }])
})

test('a dry run tells what would be and keeps nothing', async () => {
  const before = await stage.run(sql`select count(*) as n from docket_system.change`)
  const answer = await csv('worker', '?key=name&dry_run=1', 'name,city\nC same,Perm\nD new,Perm\nD bad,x,y\n')
  expect(answer.data).toMatchObject({ inserted: 1, updated: 1, failed: 1, dry_run: true })
  expect(await namesWith('D ')).toEqual([])
  expect(await stage.run(sql`select count(*) as n from docket_system.change`)).toEqual(before)
})

test('on_hit=skip leaves what is there', async () => {
  const answer = await csv('worker', '?key=name&on_hit=skip', 'name,city\nC same,Perm\nE new,Perm\n')
  expect(answer.data).toMatchObject({ inserted: 1, updated: 0, skipped: 1 })
  expect(await namesWith('C ')).toMatchObject([{ city: 'city 39' }])
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
  const answer = await load('worker', '', 'application/x-ndjson', lines.join('\n'))
  expect(answer.data).toMatchObject({
    inserted: 2,
    failed: 3,
    errors: [
      { line: 3, code: 'BAD_JSON' },
      { line: 4, code: 'BAD_JSON' },
      { line: 5, code: 'INVALID_VALUE', field: 'nothing' },
    ],
  })
})

test('JSON: several tables in one file (record spec, section 9)', async () => {
  const form = new FormData()
  const tables = { company: [{ name: 'G one' }, { name: 'G two', active: 'maybe' }], service: [{ name: 'G service' }] }
  form.set('file', new Blob([JSON.stringify(tables)]), 'desk.json')
  const { user, password } = stage.callerOf('admin') as { user: string; password: string }
  const answer = await fetch(`${stage.docket.baseUrl}/v1/import/json`, {
    method: 'POST',
    body: form,
    headers: { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` },
  })
  expect([answer.status, await answer.json()]).toEqual([
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
    const answer = await load('admin', '?key=sys_id', type, before.text)
    expect(answer.data).toMatchObject({ inserted: 0, failed: 0, errors: [] })
    expect((answer.data as { updated: number }).updated).toBeGreaterThan(2)
    expect((answer.data as { ignored_columns: string[] }).ignored_columns).toContain('sys_created_at')
    expect((await exported()).text).toBe(before.text)
  }
})

test('an export has the records that the caller may read and the fields that were asked for, across pages', async () => {
  await stage.run(sql`insert into docket.company (name, city) select 'I ' || n, 'many' from generate_series(1, 2345) n`)
  const answer = await stage.send(
    'worker',
    'GET /rest/v1/export/company?sysparm_query=city=many&sysparm_fields=name,city',
  )
  const lines = answer.text.split('\r\n')
  expect(lines.length).toBe(2347)
  expect(lines[0]).toBe('name,city')
  expect(new Set(lines.slice(1, -1)).size).toBe(2345)
  expect((await stage.send('nobody', 'GET /rest/v1/export/company')).status).toBe(403)
})

describe('what cannot be begun is refused:', () => {
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
    const answer = await load(as, query, type, text, table)
    expect([answer.status, answer.errors?.[0]?.code]).toEqual([status, code])
  })
})
