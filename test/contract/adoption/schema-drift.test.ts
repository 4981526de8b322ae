import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { admin } from '../../harness/fresh-database.ts'
import { readEvents } from '../../harness/read-events.ts'
import { type AdoptionDesk, openAdoptionDesk } from './adoption-desk.ts'

// The owner changes adopted tables while Docket runs, and docket adopt has not run again yet.

let desk: AdoptionDesk
beforeAll(async () => {
  desk = await openAdoptionDesk('depot')
  await desk.adopt({
    grants: [
      { operation: 'read', role: 'user' },
      { operation: 'write', role: 'user' },
    ],
  })
  await desk.run(`insert into docket.sys_security_acl (operation, table_name, roles, admin_overrides)
    select 'read', t, array[(select sys_id::text from docket.sys_role where name = 'user')], true
    from unnest(array['sys_journal_entry', 'sys_attachment', 'sys_history']) as t`)
  await desk.column('label', 'remarks', 'journal_input')
  await desk.column('place', 'remarks', 'journal_input')
  for (const line of ['PATCH /rest/v1/table/label/1', 'PATCH /rest/v1/table/place/1'])
    expect((await desk.send(line, { remarks: `of ${line}` })).status).toBe(200)
})
afterAll(() => desk.close())

const unavailable = (table: string) => ({
  status: 503,
  code: 'UNAVAILABLE',
  message: expect.stringContaining(
    `the adopted table ${table} is not in the database as it was; docket adopt has to run again`,
  ),
})
const outcome = async (sent: ReturnType<AdoptionDesk['send']>) => {
  const response = await sent
  const { errors } = response.body as { errors?: readonly { readonly code: string; readonly message: string }[] }
  return {
    status: response.status,
    ...(errors === undefined ? {} : { code: errors[0]?.code, message: errors[0]?.message }),
  }
}
const fine = { status: 200 }
const journal = async () => {
  const response = await desk.asUser(
    'GET /rest/v1/table/sys_journal_entry?sysparm_fields=value&sysparm_query=ORDERBYsys_id',
  )
  return response.status === 200
    ? (response.body as { data: readonly { value: string }[] }).data.map(({ value }) => value)
    : response.text
}
const ofLabel = 'of PATCH /rest/v1/table/label/1'
const ofPlace = 'of PATCH /rest/v1/table/place/1'

/** The outcomes of all kinds of requests to a table, which must all report that it has drifted. */
const waysOfAsking = async (table: string, column: string) => [
  await outcome(desk.send(`GET /rest/v1/table/${table}`)),
  await outcome(desk.send(`GET /rest/v1/table/${table}/1`)),
  await outcome(desk.send(`PATCH /rest/v1/table/${table}/1`, { [column]: 'x' })),
  await outcome(desk.send(`DELETE /rest/v1/table/${table}/1`)),
  await outcome(desk.send(`GET /rest/v1/stats/${table}?sysparm_count=true`)),
  await outcome(desk.send(`GET /rest/v1/history/${table}/1`)),
]

test('a column that was renamed: the table is told as astray, all others are served, and the name given back mends it', async () => {
  expect(await journal()).toEqual([ofLabel, ofPlace])
  await desk.run('alter table depot.label rename column text to words')
  expect(await waysOfAsking('label', 'text')).toEqual(Array(6).fill(unavailable('label')))
  expect(await outcome(desk.send('GET /rest/v1/table/place?sysparm_limit=1'))).toEqual(fine)
  expect(await outcome(desk.send('PATCH /rest/v1/table/place/2', { name: 'Renamed' }))).toEqual(fine)
  expect(await outcome(desk.send('GET /rest/v1/table/task'))).toEqual(fine)
  await desk.run('alter table depot.label rename column words to text')
  expect(await outcome(desk.send('GET /rest/v1/table/label/1'))).toEqual(fine)
  expect(await journal()).toEqual([ofLabel, ofPlace])
})

test('a table that was dropped: what belongs to records of others is served without its own', async () => {
  await desk.run('create table depot.kept as select * from depot.label; drop table depot.label')
  // No request to the table itself has run yet: the request to the journal detects the change.
  expect(await journal()).toEqual([ofPlace])
  expect(await outcome(desk.asUser('GET /rest/v1/table/sys_attachment'))).toEqual(fine)
  expect(await outcome(desk.asUser('GET /rest/v1/table/sys_history'))).toEqual(fine)
  expect(await waysOfAsking('label', 'text')).toEqual(Array(6).fill(unavailable('label')))
  const { docket } = desk
  const credentials = {
    authorization: `Basic ${Buffer.from('reader:reader-password-1').toString('base64')}`,
    'last-event-id': '0',
  }
  const events = await readEvents(`${docket.baseUrl}/rest/v1/events`, credentials)
  await desk.send('PATCH /rest/v1/table/place/3', { name: 'Told' })
  const seen = await events.until((all) => all.some(({ data }) => (data as { sys_id: string }).sys_id === '3'))
  await events.close()
  expect(new Set(seen.map(({ data }) => (data as { table: string }).table))).toEqual(new Set(['place']))
  await desk.run('alter table depot.kept rename to label; alter table depot.label add primary key (id)')
  expect(await outcome(desk.send('GET /rest/v1/table/label/1'))).toEqual(fine)
  expect(await journal()).toEqual([ofLabel, ofPlace])
})

test('a column of another type: what needs it is told so, what does not is served', async () => {
  await desk.run(`alter table depot.place alter column weight type text`)
  expect(await outcome(desk.send('GET /rest/v1/table/place/1'))).toEqual(unavailable('place'))
  expect(await outcome(desk.send('GET /rest/v1/table/item?sysparm_fields=place_id.weight'))).toEqual(
    unavailable('place'),
  )
  expect(await outcome(desk.send('GET /rest/v1/table/item?sysparm_fields=place_id.name'))).toEqual(fine)
  expect(await desk.adopt()).toMatchObject({
    tables: expect.arrayContaining([expect.objectContaining({ name: 'place' })]),
  })
  expect(await outcome(desk.send('GET /rest/v1/table/place/1'))).toEqual(fine)
})

test('a number, date or boolean that became a text is never written into a response as it is', async () => {
  const forged = '1,"sys_id":"9","name":"forged"'
  for (const [column, type] of [
    ['amount', 'smallint'],
    ['active', 'boolean'],
    ['founded', 'date'],
  ] as const) {
    await desk.run(`alter table depot.place alter column ${column} type text using '${forged}'`)
    const sent = [
      await outcome(desk.send(`GET /rest/v1/table/place?sysparm_fields=sys_id,${column}`)),
      await outcome(desk.send(`GET /rest/v1/table/place?sysparm_fields=${column}&sysparm_display_value=all`)),
      await outcome(desk.send('GET /rest/v1/table/place/1')),
      await outcome(desk.send(`GET /rest/v1/table/item?sysparm_fields=place_id.${column}`)),
      await outcome(desk.send(`GET /rest/v1/stats/place?sysparm_group_by=${column}`)),
      await outcome(desk.send('PATCH /rest/v1/table/place/1', { name: 'Other' })),
    ]
    expect({ column, sent }).toEqual({ column, sent: Array(6).fill(unavailable('place')) })
    expect(await outcome(desk.send('GET /rest/v1/table/item?sysparm_fields=place_id.name'))).toEqual(fine)
    await desk.run(`alter table depot.place alter column ${column} type ${type} using null`)
    expect(await outcome(desk.send('GET /rest/v1/table/place/1'))).toEqual(fine)
  }
})

test('a table that others know is not told to who may not know it', async () => {
  await desk.run(`delete from docket.sys_security_acl where table_name = 'place'`)
  await desk.run('alter table depot.place rename column name to called')
  const described = await desk.asUser('GET /rest/v1/table/item?sysparm_query=ORDERBYplace_id&sysparm_display_value=1')
  expect([described.status === 200 || described.status === 503, described.text.includes('place is')]).toEqual([
    true,
    false,
  ])
  await desk.run('alter table depot.place rename column called to name')
})

test('a fault in a table of our own is ours, though tables are adopted', async () => {
  await desk.run('alter table docket.company rename column city to town')
  expect(await outcome(desk.send('GET /rest/v1/table/company'))).toMatchObject({ status: 500, code: 'INTERNAL' })
  await desk.run('alter table docket.company rename column town to city')
  expect(await outcome(desk.send('GET /rest/v1/table/company'))).toEqual(fine)
})

test('a table that its owner renamed and named as before, while a request found out what was wrong, is served', async () => {
  // The order of adoption is the order in which a failed statement's tables are checked.
  await desk.run(
    `create table depot.shelf (id integer primary key, name text); insert into depot.shelf values (1, 'Top')`,
  )
  await desk.adopt({ tables: ['shelf'] })
  await desk.run(`create table depot.box (
      id integer generated by default as identity (start 2) primary key, shelf_id integer references depot.shelf, label text);
    insert into depot.box values (1, 1, 'one')`)
  await desk.adopt({ tables: ['box'] })
  const shelves = 'GET /rest/v1/table/box?sysparm_fields=sys_id,shelf_id.name'
  expect(await outcome(desk.send(shelves))).toEqual(fine)
  expect(await whileRenamed(() => desk.send(shelves))).toEqual(fine)

  // In transactions, which the failed statement has ended.
  const create = () =>
    desk.docket.request('POST', '/rest/v1/table/box?sysparm_fields=sys_id,shelf_id.name', {
      as: admin,
      headers: { 'idempotency-key': 'two' },
      body: { label: 'two' },
    })
  expect(await whileRenamed(create)).toEqual(fine)
  expect(await outcome(create())).toEqual(fine)
  const change = { query: 'shelf_id.name=Top', action: 'update', values: { label: 'changed' } }
  expect(await whileRenamed(() => desk.send('POST /rest/v1/bulk/box', change))).toEqual(fine)
  expect(await desk.run('select id, label from depot.box order by id')).toEqual([
    { id: 1, label: 'changed' },
    { id: 2, label: 'two' },
  ])
})

// ── what the tests say ──

/** A request that finds depot.box renamed; it has its name again before the request has found out what was wrong. */
async function whileRenamed(send: () => ReturnType<AdoptionDesk['send']>): ReturnType<typeof outcome> {
  await desk.run('alter table depot.box rename to chest')
  const { database } = desk.docket
  const isChecking = () =>
    database.rows(sql`select from pg_locks where relation = 'depot.shelf'::regclass and not granted`)
  const sent = await database.inTransaction(async (session) => {
    await session.rows(sql`lock table depot.shelf in access exclusive mode`)
    const response = outcome(send())
    await expect.poll(async () => (await isChecking()).length, { timeout: 20_000, interval: 20 }).toBe(1)
    await desk.run('alter table depot.chest rename to box')
    return { response }
  })
  return sent.response
}
