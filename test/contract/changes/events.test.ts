import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { readEventIds } from '../../../src/records/changes/event-ids.ts'
import { admin } from '../../harness/fresh-database.ts'
import { type EventReader, readEvents } from '../../harness/read-events.ts'
import { startDocket } from '../../harness/start-docket.ts'
import { nowMs, PASSWORD, type Stage, setStage, type Who } from '../records/fixture.ts'

let stage: Stage
/** How much later it is for the server than the time of every scenario. */
let passedMs = 0
const open: EventReader[] = []
beforeAll(async () => {
  stage = await setStage(
    [
      sql`insert into docket.sys_security_acl (operation, table_name, column_name, roles, admin_overrides)
        select 'read', 'task', c, array[(select sys_id::text from docket.sys_role where name = 'itil')], true
        from unnest(array['priority', 'work_notes']) as c`,
    ],
    { clock: { nowMs: () => nowMs + passedMs } },
  )
})
afterEach(async () => {
  await Promise.all(open.splice(0).map((reader) => reader.close()))
})
afterAll(() => stage.close())

async function listen(who: Who, query = '', lastEventId?: string): Promise<EventReader> {
  const { user, password } = stage.callerOf(who) as { user: string; password: string }
  const reader = await readEvents(`${stage.docket.baseUrl}/rest/v1/events${query}`, {
    authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
    ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
  })
  open.push(reader)
  // The first block has the id at which the stream begins.
  await reader.until(() => reader.lastId() !== null)
  return reader
}

async function make(body: Readonly<Record<string, unknown>>, table = 'task'): Promise<string> {
  const made = await stage.send('admin', `POST /rest/v1/table/${table}`, { body })
  return (made.body as { data: { sys_id: string }[] }).data[0]?.sys_id ?? ''
}
const patch = (id: string, body: Readonly<Record<string, unknown>>) =>
  stage.send('admin', `PATCH /rest/v1/table/task/${id}`, { body })
const remove = (id: string) => stage.send('admin', `DELETE /rest/v1/table/task/${id}`)
/** Creates a record that every reader sees. After its event, all earlier events have arrived. */
const mark = () => make({ subject: 'mark', caller: '202' })
const isMark = ({ data }: { readonly data: unknown }): boolean =>
  (data as { changes?: { subject?: { new_value: unknown } } }).changes?.subject?.new_value === 'mark'
const untilMark = (reader: EventReader) => reader.until((events) => events.some(isMark))

const short = (events: readonly { readonly data: unknown }[]) =>
  events.map(({ data }) => {
    const { operation, sys_id, changes } = data as { operation: string; sys_id: string; changes: object }
    return [operation, sys_id, Object.keys(changes).sort().join(' ')]
  })

test('creates, changes and deletes come in order, each with its values, as they are committed', async () => {
  const reader = await listen('worker')
  const id = await make({ subject: 'Printer', caller: '202' }, 'itsm_incident')
  await patch(id, { state: '2', work_notes: 'looking' })
  await remove(id)
  await mark()
  const events = await untilMark(reader)
  expect(
    short(events)
      .slice(0, 3)
      .map(([operation, sysId]) => [operation, sysId]),
  ).toEqual([
    ['create', id],
    ['update', id],
    ['delete', id],
  ])
  expect(events[1]).toEqual({
    id: expect.stringMatching(/^[\w-]{22}$/),
    event: 'change',
    data: {
      id: events[1]?.id,
      operation: 'update',
      table: 'itsm_incident',
      sys_id: id,
      changed_at: '2026-03-02 10:00:00',
      changed_by: '155931135900000001',
      changes: {
        state: { old_value: '0', new_value: '2' },
        state_changed_at: { old_value: null, new_value: '2026-03-02 10:00:00' },
        work_notes: { old_value: null, new_value: 'looking' },
      },
    },
  })
  expect(events[0]?.data).toMatchObject({ changes: { subject: { old_value: null, new_value: 'Printer' } } })
  expect(events[2]?.data).toMatchObject({ changes: { subject: { old_value: 'Printer', new_value: null } } })
})

test('who comes back with the id of the last event gets what came since, and nothing twice', async () => {
  const first = await listen('admin', '?tables=task')
  const id = await make({ subject: 'A', caller: '202' })
  const [seen] = await first.until((events) => events.length === 1)
  await first.close()
  await patch(id, { subject: 'B' })
  await patch(id, { subject: 'C' })
  await mark()
  const second = await listen('admin', '?tables=task', seen?.id ?? '')
  expect(short(await untilMark(second)).slice(0, 2)).toEqual([
    ['update', id, 'subject'],
    ['update', id, 'subject'],
  ])
  const byParameter = await listen('admin', `?tables=task&last_event_id=${seen?.id}`)
  expect(await untilMark(byParameter)).toEqual(second.events)
})

test('a subscriber is told of the records and columns that they may read, and of nothing else', async () => {
  const [worker, reader] = [await listen('worker', '?tables=task'), await listen('reader', '?tables=task')]
  const own = await make({ subject: 'mine', caller: '202' })
  const others = await make({ subject: 'of others', caller: '201', contact: '201', opened_by: '201' })
  await patch(own, { subject: 'mine still', priority: '1' })
  await patch(own, { priority: '2', work_notes: 'for us' })
  await patch(others, { subject: 'of others still' })
  await remove(own)
  await remove(others)
  await mark()
  const all = await untilMark(worker)
  const some = await untilMark(reader)
  expect(all.length).toBe(8)
  const described = short(some)
  expect(described.slice(0, -1).map(([operation, sysId]) => [operation, sysId])).toEqual([
    ['create', own],
    ['update', own],
    ['delete', own],
  ])
  expect(described[1]).toEqual(['update', own, 'subject'])
  for (const [, , columns = ''] of described) expect(columns.split(' ')).not.toContain('priority')
})

test('tables and operations narrow the stream; a table stands for its children too', async () => {
  const incidents = await listen('admin', '?tables=itsm_task,company&operations=create,delete')
  const task = await make({ subject: 'plain' })
  const incident = await make({ subject: 'VPN' }, 'itsm_incident')
  await patch(task, { subject: 'plainer' })
  await patch(incident, { subject: 'VPN again' })
  const company = await make({ name: 'New one' }, 'company')
  await remove(incident)
  const events = await incidents.until((all) => all.length === 3)
  expect(short(events).map(([operation, id]) => [operation, id])).toEqual([
    ['create', incident],
    ['create', company],
    ['delete', incident],
  ])
})

test('a stream that has sent nothing for 15 seconds says where it is, however often other tables change (issue 13)', async () => {
  const reader = await listen('admin', '?tables=company')
  const before = reader.lastId()
  passedMs += 15_000
  // Each change ends the wait of the stream for one.
  await expect
    .poll(async () => {
      await make({ subject: 'Of another table' })
      return reader.lastId()
    })
    .not.toBe(before)
  expect(reader.events).toEqual([])
})

test('a note is part of its record’s change, and no second event', async () => {
  const all = await listen('admin')
  const id = await make({ subject: 'with notes', comments: 'hello' })
  await mark()
  const [first, ...others] = await untilMark(all)
  expect(first?.data).toMatchObject({ sys_id: id, changes: { comments: { old_value: null, new_value: 'hello' } } })
  expect(others.every(isMark)).toBe(true)
})

test('a stream ends when its key is revoked', async () => {
  const made = await stage.send('worker', 'POST /v1/auth/login', { body: { username: 'worker', password: PASSWORD } })
  const key = (made.body as { data: { auth_key: string } }).data.auth_key
  const reader = await readEvents(`${stage.docket.baseUrl}/rest/v1/events`, { authorization: `Bearer ${key}` })
  open.push(reader)
  await stage.docket.request('POST', '/v1/auth/logout', { as: { bearer: key } })
  await mark()
  await reader.ended
  expect(reader.events).toEqual([])
})

test('who was away for longer than changes are kept is told so', async () => {
  const before = await listen('admin')
  await before.close()
  await mark()
  await stage.run(sql`update docket_system.change set changed_at = '2026-01-01', audited = false`)
  await stage.run(sql`select docket_system.sweep_changes('2026-02-01', 10000)`)
  const reader = await listen('admin', '', before.lastId() ?? '')
  const [reset] = await reader.until((events) => events.length > 0)
  expect(reset).toMatchObject({ event: 'reset', data: { reason: 'changes since this id are no longer kept' } })
  await mark()
  expect((await untilMark(reader)).length).toBe(2)
})

test('who has an id of what is not there any more, since the database was put back to an older state, is told so and goes on from now', async () => {
  const ids = await readEventIds(stage.docket.database)
  const reader = await listen('admin', '', ids.idOf('900000000000000000'))
  const [reset] = await reader.until((events) => events.length > 0)
  expect(reset).toMatchObject({ event: 'reset', data: { reason: 'history-changed' } })
  await mark()
  expect((await untilMark(reader)).length).toBe(2)
})

test('where a stream stands does not tell how much its reader does not see: no id is a number, and no two marks are alike', async () => {
  const [one, other] = [await listen('reader'), await listen('reader')]
  expect(one.lastId()).not.toBe(other.lastId())
  for (const mark of [one.lastId(), other.lastId()]) expect(mark).toMatch(/^[\w-]{22}$/)
})

test('a change that is committed after another that began later is told all the same, and in order', async () => {
  const reader = await listen('admin', '?tables=company')
  const first = await make({ name: 'Held' }, 'company')
  const held = new pg.Client({ connectionString: stage.docket.connectionString })
  await held.connect()
  await held.query('begin')
  await held.query(
    `with before as (select * from docket.company where sys_id = $1 for update),
       after as (update docket.company c set city = 'Held back' from before where c.sys_id = before.sys_id returning c.*)
     select docket_system.log_change(to_jsonb(before), to_jsonb(after), null) from before, after`,
    [first],
  )
  const later = await make({ name: 'Later' }, 'company')
  await stage.send('admin', `PATCH /rest/v1/table/company/${later}`, { body: { city: 'Later still' } })
  expect(
    await stage.run(sql`select docket_system.committed_watermark() < max(position) as waits from docket_system.change`),
  ).toEqual([{ waits: true }])
  expect(short(reader.events).filter(([, id]) => id === later)).toEqual([])
  await held.query('commit')
  await held.end()
  const events = await reader.until((all) => all.length === 4)
  expect(short(events)).toEqual([
    ['create', first, expect.any(String)],
    ['update', first, 'city'],
    ['create', later, expect.any(String)],
    ['update', later, 'city'],
  ])
})

test('readers with the same rights share what was found, and each is told all of it', async () => {
  const readers = await Promise.all(Array.from({ length: 20 }, () => listen('worker', '?tables=company')))
  const ids = await Promise.all(Array.from({ length: 10 }, (_, n) => make({ name: `Shared ${n}` }, 'company')))
  for (const reader of readers) {
    const described = short(await reader.until((events) => events.length === 10)).map(([, id]) => id)
    expect(new Set(described)).toEqual(new Set(ids))
    expect(reader.events).toEqual(readers[0]?.events)
  }
})

test('a server that stops ends its streams and does not wait for their readers', async () => {
  const other = await startDocket()
  const { user, password } = admin
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
  const reader = await readEvents(`${other.baseUrl}/rest/v1/events`, { authorization })
  await reader.until(() => reader.lastId() !== null)
  await other.close()
  await reader.ended
})

describe('what cannot be streamed is rejected:', () => {
  test.each([
    ['admin', '?tables=nothing', 404, 'TABLE_NOT_FOUND'],
    ['reader', '?tables=sys_security_acl', 403, 'ACCESS_DENIED'],
    ['admin', '?operations=look', 400, 'BAD_PARAMETER'],
    ['admin', '?last_event_id=x', 400, 'BAD_PARAMETER'],
    ['admin', '?last_event_id=500000000100000000', 400, 'BAD_PARAMETER'],
    ['admin', '?last_event_id=AAAAAAAAAAAAAAAAAAAAAA', 400, 'BAD_PARAMETER'],
    [null, '', 401, 'UNAUTHENTICATED'],
  ] as const)('%s asks for %s', async (as, query, status, code) => {
    const response = await stage.send(as, `GET /rest/v1/events${query}`)
    expect([response.status, (response.body as { errors: { code: string }[] }).errors[0]?.code]).toEqual([status, code])
  })
})
