import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { admin } from '../../harness/fresh-database.ts'
import { type AdoptionDesk, openAdoptionDesk } from './adoption-desk.ts'

// Datetimes of the API have whole seconds; adopted columns may have microseconds.

let desk: AdoptionDesk
beforeAll(async () => {
  desk = await openAdoptionDesk('depot')
  await desk.adopt()
})
afterAll(() => desk.close())

const path = '/rest/v1/table/item'
const stored = async (id: string) => {
  const [row] = await desk.run(
    `select seen::text as seen, at::text as at, (since at time zone 'UTC')::text as since from depot.item where id = ${id}`,
  )
  return row
}
const make = async (values: string) => {
  const [row] = await desk.run(
    `insert into depot.item (title, seen, at, since) values ('Timed', ${values}) returning id`,
  )
  return String(row?.['id'])
}
const full = `'2024-05-06 07:08:09.123456', '10:11:12.5', '2024-05-06 07:08:09.75+03'`
const whole = { seen: '2024-05-06 07:08:09', at: '10:11:12', since: '2024-05-06 04:08:09' }
const exact = { seen: '2024-05-06 07:08:09.123456', at: '10:11:12.5', since: '2024-05-06 04:08:09.75' }

/** The version in an entity tag: the part before the representation. */
const versionIn = (tag: unknown): string => String(tag).replace(/-.*/, '')

test('an entity tag changes when only a fraction does, and holds a write back', async () => {
  const id = await make(full)
  const before = await desk.send(`GET ${path}/${id}`)
  const some = await desk.send(`GET ${path}/${id}?sysparm_fields=title`)
  expect(versionIn(some.headers['etag'])).toBe(versionIn(before.headers['etag']))
  for (const change of [
    `seen = seen + interval '1 microsecond'`,
    `at = at + interval '0.1 seconds'`,
    `since = since + interval '0.001 seconds'`,
  ]) {
    const earlier = (await desk.send(`GET ${path}/${id}`)).headers['etag'] as string
    await desk.run(`update depot.item set ${change} where id = ${id}`)
    const later = await desk.send(`GET ${path}/${id}`)
    expect(later.body).toEqual(before.body)
    expect(later.headers['etag']).not.toBe(earlier)
    const held = await desk.docket.request('PATCH', `${path}/${id}`, {
      as: admin,
      headers: { 'if-match': earlier },
      body: { title: 'Late' },
    })
    expect(held.status).toBe(409)
    const written = await desk.docket.request('PATCH', `${path}/${id}`, {
      as: admin,
      headers: { 'if-match': later.headers['etag'] as string },
      body: { title: 'Timed' },
    })
    expect(written.status).toBe(200)
  }
})

/** The item is read as `displayed`, and is still stored as `kept` after it is sent back, with another title. */
async function sendsBack(id: string, displayed: object, kept: object): Promise<void> {
  const read = await desk.send(`GET ${path}/${id}?sysparm_exclude_reference_link=1`)
  const { data } = read.body as { data: readonly Record<string, unknown>[] }
  expect(data[0]).toMatchObject(displayed)
  for (const method of ['PUT', 'PATCH']) {
    expect((await desk.send(`${method} ${path}/${id}`, { ...data[0], title: method })).status).toBe(200)
    expect(await stored(id)).toEqual(kept)
  }
}

test('what was read and is sent back leaves the fractions as they were', async () => {
  const id = await make(full)
  await sendsBack(id, whole, exact)
  // Only the title changed, so the log has no other column.
  const [logged] = await desk.run(
    `select changes from docket_system.change where record_id = '${id}' and operation = 'u' order by position desc limit 1`,
  )
  expect(logged).toEqual({ changes: { title: ['PUT', 'PATCH'] } })
})

test('another value is taken as it is given', async () => {
  const id = await make(full)
  const given = { seen: '2024-05-06 07:08:10', at: '10:11:13', since: '2025-01-01 00:00:00' }
  expect((await desk.send(`PATCH ${path}/${id}`, given)).status).toBe(200)
  expect(await stored(id)).toEqual(given)
  expect((await desk.send(`PATCH ${path}/${id}`, { seen: null, at: '', since: null })).status).toBe(200)
  expect(await stored(id)).toEqual({ seen: null, at: null, since: null })
  expect((await desk.send(`PATCH ${path}/${id}`, given)).status).toBe(200)
  expect(await stored(id)).toEqual(given)
})

test('a record is found by the value that it is shown with', async () => {
  const id = await make(full)
  const found = async (query: string) => {
    const response = await desk.send(
      `GET ${path}?sysparm_fields=sys_id&sysparm_query=${encodeURIComponent(`sys_id=${id}^${query}`)}`,
    )
    return response.status === 200 ? (response.body as { data: unknown[] }).data.length : response.status
  }
  for (const [column, value] of Object.entries(whole)) {
    expect([column, await found(`${column}=${value}`), await found(`${column}!=${value}`)]).toEqual([column, 1, 0])
    expect([column, await found(`${column}>=${value}`), await found(`${column}>${value}`)]).toEqual([column, 1, 1])
  }
  expect(await found('seen=2024-05-06 07:08:08')).toBe(0)
  expect(await found('seen=2024-05-06 07:08:10')).toBe(0)
  expect(await found('at=10:11:13')).toBe(0)
})

test('values that look the same are one group, and extremes are compared as they are displayed', async () => {
  await desk.run(`delete from depot.item where title = 'Counted'`)
  await desk.run(`insert into depot.item (title, seen, at, since) values
    ('Counted', '2024-05-06 07:08:09.25', '10:11:12.5', '2024-05-06 07:08:09+03'),
    ('Counted', '2024-05-06 07:08:09', '10:11:12', '2024-05-06 07:08:09.999999+03'),
    ('Counted', '2024-05-06 07:08:09.75', '10:11:12.999999', '2024-05-06 07:08:09.5+03'),
    ('Counted', '2024-05-06 07:08:10.1', '10:11:13', '2024-05-06 07:08:10+03')`)
  const stats = async (parameters: string) => {
    const { status, body } = await desk.send(`GET /rest/v1/stats/item?sysparm_query=title=Counted&${parameters}`)
    return { status, body }
  }
  const later = { seen: '2024-05-06 07:08:10', at: '10:11:13', since: '2024-05-06 04:08:10' }
  for (const [column, value] of Object.entries(whole)) {
    const last = later[column as keyof typeof later]
    expect(await stats(`sysparm_group_by=${column}`)).toEqual({
      status: 200,
      body: {
        status: 'OK',
        data: [
          { group: { [column]: value }, count: 3 },
          { group: { [column]: last }, count: 1 },
        ],
      },
    })
    const extremes = `sysparm_min_fields=${column}&sysparm_max_fields=${column}`
    const all = { status: 'OK', data: [{ group: {}, count: 4, min: { [column]: value }, max: { [column]: last } }] }
    for (const having of [`min(${column})=${value}^max(${column})=${last}`, `max(${column})<=${last}`])
      expect(await stats(`${extremes}&sysparm_having=${encodeURIComponent(having)}`)).toEqual({
        status: 200,
        body: all,
      })
    const none = { status: 200, body: { status: 'OK', data: [] } }
    for (const having of [`max(${column})!=${last}`, `max(${column})>${last}`])
      expect(await stats(`${extremes}&sysparm_having=${encodeURIComponent(having)}`)).toEqual(none)
  }
  await desk.run(`delete from depot.item where title = 'Counted'`)
})

test('a fraction that the caller may not see does not change their tag', async () => {
  for (const [column, condition] of [
    [null, ''],
    ['seen', 'title=Open'],
  ])
    await desk.docket.database.rows(sql`insert into docket.sys_security_acl (operation, table_name, column_name, roles, condition)
      values ('read', 'item', ${column}::text, array[(select sys_id::text from docket.sys_role where name = 'user')], ${condition})`)
  const [open, hidden] = [await make(full), await make(full)]
  await desk.run(`update depot.item set title = 'Open' where id = ${open}`)
  const tagOf = async (id: string) => {
    const { body, headers } = await desk.asUser(`GET ${path}/${id}`)
    const { data } = body as { data: readonly Readonly<Record<string, unknown>>[] }
    return { isVisible: data[0]?.['seen'] === whole.seen, version: versionIn(headers['etag']) }
  }
  const before = { open: await tagOf(open), hidden: await tagOf(hidden) }
  expect([before.open.isVisible, before.hidden.isVisible]).toEqual([true, false])
  await desk.run(`update depot.item set seen = seen + interval '1 microsecond'`)
  expect(await tagOf(hidden)).toEqual(before.hidden)
  expect((await tagOf(open)).version).not.toBe(before.open.version)
})

test('a time relative to now has `infinity` after it, and `-infinity` before it', async () => {
  const [last, first] = [await make(`'infinity', null, 'infinity'`), await make(`'-infinity', null, '-infinity'`)]
  const found = async (query: string) => {
    const sought = encodeURIComponent(`${query}^sys_idIN${last},${first}`)
    const { body } = await desk.send(`GET ${path}?sysparm_query=${sought}&sysparm_fields=sys_id`)
    return (body as { data: readonly { sys_id: string }[] }).data.map(({ sys_id }) => sys_id)
  }
  for (const column of ['seen', 'since'])
    for (const unit of ['hour', 'day', 'month']) {
      for (const operator of ['RELATIVEGT', 'RELATIVEGE'])
        expect(await found(`${column}${operator}@${unit}@ago@1`)).toEqual([last])
      for (const operator of ['RELATIVELT', 'RELATIVELE'])
        expect(await found(`${column}${operator}@${unit}@ahead@1`)).toEqual([first])
      expect(await found(`${column}RELATIVEEE@${unit}@ago@1`)).toEqual([])
    }
  await desk.run(`delete from depot.item where id in (${last}, ${first})`)
})

test('a value that the format of the API does not have is read as PostgreSQL writes it, and may be sent back', async () => {
  const values = { seen: 'infinity', at: '24:00:00', since: '-infinity' }
  const id = await make(`'infinity', '24:00', '-infinity'`)
  await sendsBack(id, values, values)
  const other = await make(`null, '00:00', null`)
  for (const [column, value] of Object.entries(values))
    expect((await desk.send(`PATCH ${path}/${other}`, { [column]: value })).status).toBe(422)

  const of = `sysparm_query=${encodeURIComponent(`sys_idIN${id},${other}`)}`
  const groups = await desk.send(`GET /rest/v1/stats/item?${of}&sysparm_group_by=at&sysparm_max_fields=at`)
  expect((groups.body as { data: unknown }).data).toEqual([
    { group: { at: '00:00:00' }, count: 1, max: { at: '00:00:00' } },
    { group: { at: '24:00:00' }, count: 1, max: { at: '24:00:00' } },
  ])
  const found = await desk.send(`GET ${path}?sysparm_query=${encodeURIComponent(`at=00:00:00^sys_idIN${id},${other}`)}`)
  expect((found.body as { data: readonly { sys_id: string }[] }).data.map(({ sys_id }) => sys_id)).toEqual([other])

  // 00:00:00 is another value.
  expect((await desk.send(`PATCH ${path}/${id}`, { at: '00:00:00' })).status).toBe(200)
  expect((await stored(id))?.['at']).toBe('00:00:00')
  await desk.run(`delete from depot.item where id in (${id}, ${other})`)
})
