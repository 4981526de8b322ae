import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { indexServedIds } from '../../../src/catalog/change/index-served-ids.ts'
import { sql } from '../../../src/kernel/sql.ts'
import '../../harness/property-seed.ts'
import { type Stage, setStage, type Who } from '../records/fixture.ts'

const PREFIX = 'c0ffee0123456789'
const own = (sysId: number): string => PREFIX + sysId.toString(16).padStart(16, '0')
const GIVEN = '9C573169c611228700193229fff72400'
const PARENT = 'zz1f7935c0a8016700802b64c67c11c6'

let stage: Stage
beforeAll(async () => {
  stage = await setStage([
    sql`update docket_system.served_id set prefix = ${PREFIX}`,
    sql`update docket.sys_security_acl set condition = 'user_name!=hidden.user' where table_name = 'user' and operation = 'read' and condition is null`,
  ])
})
afterAll(() => stage.close())

const call = async (line: string, body?: unknown, as: Who = 'admin') => {
  const { status, body: received, headers } = await stage.send(as, line, body === undefined ? {} : { body })
  return { status, body: received as { readonly result: never }, headers }
}
const FIELDS = 'sysparm_exclude_reference_link=true&sysparm_fields'
const ids = async (query: string, as: Who = 'worker'): Promise<readonly string[]> => {
  const { body, status } = await call(`GET /api/now/table/task?${query}&${FIELDS}=sys_id`, undefined, as)
  expect({ query, status, body }).toMatchObject({ status: 200 })
  return (body.result as readonly { readonly sys_id: string }[]).map(({ sys_id: id }) => id)
}

describe('sys_ids that records had elsewhere (issue 15, section 4)', () => {
  test('before the first one, another id than ours is ignored with the columns that the server fills', async () => {
    const made = await call(
      `POST /api/now/table/incident?${FIELDS}=number`,
      { short_description: 'a', sys_id: GIVEN },
      'worker',
    )
    expect({ status: made.status, ignored: made.headers['x-ignored-fields'] }).toEqual({
      status: 201,
      ignored: 'sys_id',
    })
  })

  test('an administrator gives one on create; from then on it is the name of the record', async () => {
    const parent = await call(`POST /api/now/table/incident?${FIELDS}=sys_id`, {
      short_description: 'Server',
      sys_id: PARENT,
    })
    expect({ status: parent.status, body: parent.body }).toEqual({ status: 201, body: { result: { sys_id: PARENT } } })
    const made = await call('POST /api/now/table/incident?sysparm_fields=sys_id,parent,number', {
      short_description: 'Mail',
      sys_id: GIVEN,
      parent: PARENT.toUpperCase(),
      number: 'INC0077001',
    })
    const record = {
      sys_id: GIVEN,
      parent: { link: `BASE/api/now/table/task/${PARENT}`, value: PARENT },
      number: 'INC0077001',
    }
    expect({ status: made.status, body: made.body }).toEqual({ status: 201, body: { result: record } })
    expect(made.headers['location']).toBe(`${stage.docket.baseUrl}/api/now/table/incident/${GIVEN}`)
    for (const id of [GIVEN, GIVEN.toUpperCase(), GIVEN.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')])
      expect([
        id,
        (await call(`GET /api/now/table/task/${id}?sysparm_fields=sys_id,parent,number`, undefined, 'worker')).body,
      ]).toEqual([id, { result: record }])
    expect(await ids(`sysparm_query=parent=${PARENT}`)).toEqual([GIVEN])
    expect(await ids(`sysparm_query=parent.sys_idIN${PARENT},${own(1)}`)).toEqual([GIVEN])
    expect(await ids(`sysparm_query=sys_id!=${GIVEN}^sys_idIN${GIVEN},${PARENT},${own(1001)}^ORDERBYsys_id`)).toEqual([
      own(1001),
      PARENT,
    ])
    expect(await ids(`sys_id=${GIVEN.toLowerCase()}`)).toEqual([GIVEN])
  })

  test('the native API keeps the number, and has the id as a column', async () => {
    const { body } = await call(
      'GET /rest/v1/table/task?sysparm_query=number=INC0077001&sysparm_fields=sys_id,given_sys_id',
      undefined,
      'worker',
    )
    const [row] = (
      body as unknown as { readonly data: readonly { readonly sys_id: string; readonly given_sys_id: string }[] }
    ).data
    expect(row).toEqual({ sys_id: expect.stringMatching(/^\d{18}$/), given_sys_id: GIVEN })
    expect(await ids(`sys_id=${row?.sys_id}`)).toEqual([GIVEN])
    const change = await call(`PATCH /rest/v1/table/task/${row?.sys_id}`, { given_sys_id: PARENT }, 'admin')
    expect(change.status).toBe(422)
  })

  test('no second record of the hierarchy gets it, in whatever case', async () => {
    const again = await call('POST /api/now/table/problem', { short_description: 'b', sys_id: GIVEN.toLowerCase() })
    expect(again.status).toBe(403)
    expect(await ids('sysparm_query=short_description=b')).toEqual([])
  })

  test('journals and attachments name the record by it', async () => {
    expect((await call(`PATCH /api/now/table/incident/${GIVEN}`, { work_notes: 'Looked' }, 'worker')).status).toBe(200)
    const entries = await call(
      `GET /api/now/table/sys_journal_field?element_id=${GIVEN}&sysparm_fields=element_id,value`,
    )
    expect(entries.body).toEqual({ result: [{ element_id: GIVEN, value: 'Looked' }] })
    const file = await fetch(
      `${stage.docket.baseUrl}/api/now/attachment/file?table_name=incident&table_sys_id=${GIVEN}&file_name=a.txt`,
      {
        method: 'POST',
        headers: {
          authorization: `Basic ${Buffer.from(Object.values(stage.callerOf('admin')).join(':')).toString('base64')}`,
          'content-type': 'text/plain',
        },
        body: 'x',
      },
    )
    expect({ status: file.status, body: await file.json() }).toMatchObject({
      status: 201,
      body: { result: { table_sys_id: GIVEN } },
    })
    const { body } = await call(`GET /api/now/attachment?table_sys_id=${GIVEN}`)
    expect(body.result).toMatchObject([{ table_sys_id: GIVEN, file_name: 'a.txt' }])
  })

  test('a user with one is the caller by it, and references to users have it', async () => {
    const user = '62826bf03710200044e0bfc8bcbe5df1'
    const made = await call(`POST /api/now/table/sys_user?${FIELDS}=sys_id`, {
      user_name: 'abel.tuter',
      name: 'Abel Tuter',
      sys_id: user,
    })
    expect(made.body).toEqual({ result: { sys_id: user } })
    const task = await call(
      `PATCH /api/now/table/incident/${GIVEN}?sysparm_display_value=all&sysparm_fields=caller_id,watch_list`,
      { caller_id: user, watch_list: `${user},${own(202)}` },
      'worker',
    )
    expect(task.body).toEqual({
      result: {
        caller_id: { display_value: 'Abel Tuter', value: user, link: `BASE/api/now/table/sys_user/${user}` },
        watch_list: { display_value: 'Abel Tuter, Rita Reader', value: `${user},${own(202)}` },
      },
    })
    expect(await ids(`sysparm_query=caller_id=${user}`)).toEqual([GIVEN])
    expect(await ids(`sysparm_query=watch_listHAS${user}`)).toEqual([GIVEN])
  })

  test('reading a record and writing it back changes nothing, not even the count of its updates', async () => {
    const before = await call(`GET /api/now/table/incident/${GIVEN}`, undefined, 'worker')
    const print = await stage.fingerprint()
    const written = await call(`PUT /api/now/table/incident/${GIVEN}`, before.body.result, 'worker')
    expect(written.body).toEqual(before.body)
    expect(await stage.fingerprint()).toBe(print)
  })
})

test('pages after the last sys_id contain every record once, given and own ids mixed, in the order of the texts (issue 15, section 4)', async () => {
  const made = fc.sample(fc.array(fc.constantFrom(...'0123456789abcdefxyz'), { minLength: 32, maxLength: 32 }), 10_000)
  const texts = [...new Set(made.map((units) => units.join('')))]
  await stage.run(sql`
    insert into docket.task (sys_id, sys_db_table_id, number, subject, given_sys_id)
    select 700000 + n, (select sys_id from docket.sys_db_table where name = 'task'), 'TSK9' || lpad(n::text, 6, '0'), 'mixed', case when n % 2 = 0 then id end
    from unnest(${texts}::text[]) with ordinality as t (id, n)`)
  const rows = await stage.run(
    sql`select coalesce(given_sys_id, ${PREFIX} || lpad(to_hex(sys_id), 16, '0')) as id from docket.task`,
  )
  const all = (rows as readonly { readonly id: string }[]).map(({ id }) => id).sort()
  expect(all.length).toBeGreaterThan(10_000)
  const next = {
    'last id': (read: readonly string[]) =>
      `sysparm_query=${read.length === 0 ? '' : `sys_id>${read.at(-1)}^`}ORDERBYsys_id`,
    offset: (read: readonly string[]) => `sysparm_query=ORDERBYsys_id&sysparm_offset=${read.length}`,
  }
  for (const [by, queryAfter] of Object.entries(next)) {
    const read: string[] = []
    for (let page = await ids(`${queryAfter(read)}&sysparm_limit=997`); page.length > 0; ) {
      read.push(...page)
      page = await ids(`${queryAfter(read)}&sysparm_limit=997`)
    }
    expect([by, read]).toEqual([by, all])
  }
  expect((await ids('sysparm_query=ORDERBYDESCsys_id&sysparm_limit=500')).toReversed()).toEqual(all.slice(-500))
})

describe('an id that Docket itself served is no id of another system (issue 15, section 4)', () => {
  const titles = async (): Promise<unknown> =>
    stage.run(sql`select sys_id::text, subject, given_sys_id from docket.task where subject like 'copied%' order by 1`)

  test('a record that is read and created again gets an id of its own, and the read one stays what it is', async () => {
    const made = await call('POST /api/now/table/incident', { short_description: 'copied' }, 'admin')
    const { sys_id: id } = made.body.result as { readonly sys_id: string }
    expect(id.startsWith(PREFIX)).toBe(true)
    const copies: string[] = [id]
    for (const sent of [
      id,
      id.toUpperCase(),
      id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
      `${PREFIX}zzzzzzzzzzzzzzzz`,
    ]) {
      const copy = await call(`POST /api/now/table/incident?${FIELDS}=sys_id`, {
        short_description: 'copied',
        sys_id: sent,
      })
      expect([sent, copy.status, copy.headers['x-ignored-fields']]).toEqual([sent, 201, 'sys_id'])
      copies.push((copy.body.result as { readonly sys_id: string }).sys_id)
    }
    expect(new Set(copies).size).toBe(copies.length)
    expect(await titles()).toEqual(
      copies.map((copy) => ({
        sys_id: BigInt(`0x${copy.slice(16)}`).toString(),
        subject: 'copied',
        given_sys_id: null,
      })),
    )
    expect((await call(`PATCH /api/now/table/incident/${id}`, { short_description: 'copied, changed' })).status).toBe(
      200,
    )
    expect(await ids('sysparm_query=short_description=copied,%20changed')).toEqual([id])
  })

  test('the id of another system loses the hyphens of a UUID', async () => {
    const id = 'ab573169-c611-2287-0019-3229fff72400'
    const made = await call(`POST /api/now/table/incident?${FIELDS}=sys_id`, { short_description: 'UUID', sys_id: id })
    expect({ status: made.status, body: made.body }).toEqual({
      status: 201,
      body: { result: { sys_id: id.replaceAll('-', '') } },
    })
  })
})

describe('a reference to a record that the caller may not read is one to none (issue 15, section 4)', () => {
  const HIDDEN = 'aa826bf03710200044e0bfc8bcbe5df1'
  const NONE = 'bb826bf03710200044e0bfc8bcbe5df1'
  beforeAll(async () => {
    const made = await call(`POST /api/now/table/sys_user?${FIELDS}=sys_id`, {
      user_name: 'hidden.user',
      name: 'Hidden User',
      sys_id: HIDDEN,
    })
    expect(made.body).toEqual({ result: { sys_id: HIDDEN } })
    expect((await call(`GET /api/now/table/sys_user/${HIDDEN}`, undefined, 'worker')).status).toBe(404)
  })

  const POST = 'POST /api/now/table/incident'
  const PATCH = `PATCH /api/now/table/incident/${own(1001)}`
  test.each<{ readonly line: string; readonly body: object }>([
    { line: POST, body: { short_description: 'x', caller_id: 'ID' } },
    { line: POST, body: { caller_id: 'ID', short_description: 'x', urgency: 'soon' } },
    { line: POST, body: { short_description: 'x', watch_list: 'ID' } },
    { line: POST, body: { short_description: 'x', watch_list: `ID,${own(202)}` } },
    { line: POST, body: { short_description: 'x', watch_list: 'ID,ID,Nobody Here' } },
    { line: POST, body: { short_description: 'x', watch_list: `ID,${own(202)},id` } },
    { line: PATCH, body: { caller_id: 'ID', assigned_to: 'Nobody Here' } },
    { line: PATCH, body: { assigned_to: 'Nobody Here', caller_id: 'ID' } },
    { line: PATCH, body: { watch_list: 'ID', caller_id: 'ID' } },
  ])('$line $body', async ({ line, body }) => {
    const withId = (sent: object, id: string): unknown =>
      JSON.parse(JSON.stringify(sent).replaceAll('ID', id).replaceAll(/,id\b/g, `,${id.toUpperCase()}`))
    const responses = await Promise.all(
      [HIDDEN, NONE].map(async (id) => {
        const { status, body: received } = await call(line, withId(body, id), 'worker')
        return {
          status,
          body: JSON.parse(JSON.stringify(received).replaceAll(new RegExp(id, 'gi'), 'AN ID')) as unknown,
        }
      }),
    )
    expect(responses[0]).toEqual(responses[1])
    expect(responses[0]?.status).toBe(400)
  })
})

test('the native API takes no such id, and stored ones that are none are served as texts (issue 15, section 4)', async () => {
  for (const [given, line] of [
    ['a"b', 'POST /rest/v1/table/itsm_incident'],
    [own(1001), 'POST /rest/v1/table/itsm_incident'],
  ] as const) {
    const { status, body } = await call(line, { subject: 'native', given_sys_id: given })
    expect([given, status, body]).toMatchObject([
      given,
      422,
      { errors: [{ code: 'INVALID_VALUE', field: 'given_sys_id' }] },
    ])
  }
  const rows = [
    { number: 'INC0078001', subject: 'native', given_sys_id: 'a"b' },
    { number: 'INC0078002', subject: 'native', given_sys_id: 'dd573169c611228700193229fff72400' },
  ]
  const imported = await stage.send('admin', 'POST /rest/v1/import/itsm_incident?key=number&migrate=1', {
    body: rows.map((row) => JSON.stringify(row)).join('\n'),
    headers: { 'content-type': 'application/x-ndjson' },
  })
  expect(imported).toMatchObject({
    status: 200,
    body: {
      data: {
        inserted: 1,
        failed: 1,
        errors: [{ message: expect.stringContaining('an id of 32 letters and digits is expected') }],
      },
    },
  })
  await stage.run(sql`update docket.task set given_sys_id = 'a"b\\c' where number = 'INC0078002'`)
  for (const more of ['', 'sysparm_display_value=all&', 'sysparm_exclude_reference_link=true&']) {
    const list = await call(`GET /api/now/table/incident?${more}sysparm_query=number=INC0078002`)
    expect(list.body.result).toHaveLength(1)
  }
})

test('the index on served ids is built again where a build was interrupted (issue 15)', async () => {
  const indexes = () =>
    stage.run(sql`select i.indisvalid as valid, c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
      where i.indrelid = 'docket.task'::regclass and c.relname like 'served%'`)
  await indexServedIds(stage.docket.database)
  const [built] = await indexes()
  expect(built).toEqual({ valid: true, name: expect.stringMatching(/^served_id_\d+$/) })
  await stage.run(sql`update pg_index set indisvalid = false
    where indexrelid in (select oid from pg_class where relname like 'served%')`)
  expect(await indexes()).toEqual([{ ...(built as object), valid: false }])
  await indexServedIds(stage.docket.database)
  expect(await indexes()).toEqual([built])
})
