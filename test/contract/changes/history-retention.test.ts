import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gunzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { openAttachmentStore } from '../../../src/attachments/open-attachments.ts'
import { catalogSource } from '../../../src/catalog/catalog-source.ts'
import { sql } from '../../../src/kernel/sql.ts'
import { clearChanges } from '../../../src/records/changes/clear-changes.ts'
import { readEventIds } from '../../../src/records/changes/event-ids.ts'
import { createRecordDeps } from '../../../src/records/record-deps.ts'
import type { ExportPlaces } from '../../../src/retention/export-changes.ts'
import { listHistoryExports } from '../../../src/retention/list-exports.ts'
import { type RemovedHistory, removeOldHistory } from '../../../src/retention/remove-history.ts'
import { readEvents } from '../../harness/read-events.ts'
import { nowMs, type Stage, setStage } from '../records/fixture.ts'

/** History that its table no longer keeps, over HTTP. The server's own turns begin an hour after its start; tests run them. */

const dayMs = 86_400_000
const ago = (days: number): string => new Date(nowMs - days * dayMs).toISOString().slice(0, 19).replace('T', ' ')

let stage: Stage
let folder = ''
let places: ExportPlaces
beforeAll(async () => {
  stage = await setStage([
    sql`insert into docket.sys_security_acl (operation, table_name, roles, admin_overrides)
        values ('read', 'sys_history', array[(select sys_id::text from docket.sys_role where name = 'user')], true)`,
  ])
})
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'removed-history-'))
  const clock = { nowMs: () => nowMs }
  const attachments = await openAttachmentStore({ dataDir: folder, objectStore: null, clock })
  places = { database: stage.docket.database, attachments, folder: join(folder, 'exports') }
  await stage.run(
    sql`truncate docket_system.change, docket_system.history_retention, docket_system.history_export, docket_system.previous_state`,
  )
  await stage.run(sql`update docket.sys_db_table set history_keep_days = null where history_keep_days is not null`)
  await stage.run(sql`update docket.sys_property set value = '0' where name = 'history.keep_days'`)
})
afterEach(() => rmSync(folder, { recursive: true }))
afterAll(() => stage.close())

interface Turn {
  readonly atMs?: number
  readonly at?: Partial<ExportPlaces>
}

async function removeOld({ atMs = nowMs, at = {} }: Turn = {}): Promise<readonly RemovedHistory[]> {
  const { database } = stage.docket
  const removed: RemovedHistory[] = []
  await removeOldHistory({
    records: { database, catalog: catalogSource(database), clock: { nowMs: () => atMs } },
    places: { ...places, ...at },
    batch: { maxChanges: 3, maxBytes: 1_000_000 },
    onRemoved: (each) => removed.push(each),
  })
  return removed
}

const keepDays = async (table: string, days: number | null) => {
  const id = await idOf(table)
  const response = await stage.send('admin', `PATCH /rest/v1/table/sys_db_table/${id}`, {
    body: { history_keep_days: days },
  })
  expect(response.status).toBe(200)
}
async function idOf(table: string): Promise<string> {
  const [row] = (await stage.run(sql`select sys_id::text as id from docket.sys_db_table where name = ${table}`)) as {
    id: string
  }[]
  return row?.id ?? ''
}

const keepByDefault = async (value: string) => {
  const [row] = (await stage.run(
    sql`select sys_id::text as id from docket.sys_property where name = 'history.keep_days'`,
  )) as { id: string }[]
  return stage.send('admin', `PATCH /rest/v1/table/sys_property/${row?.id}`, { body: { value } })
}

const make = async (table: string, body: object): Promise<string> => {
  const response = await stage.send('admin', `POST /rest/v1/table/${table}`, { body })
  expect(response.status).toBe(200)
  return (response.body as { data: { sys_id: string }[] }).data[0]?.sys_id ?? ''
}
const patch = (table: string, id: string, body: object) =>
  stage.send('admin', `PATCH /rest/v1/table/${table}/${id}`, { body })

/** Ages the changes of a record: the first by the first number of days, and so on. */
async function age(id: string, ...days: readonly number[]): Promise<void> {
  await stage.run(sql`
    update docket_system.change c set changed_at = a.at::timestamp
    from (select position, row_number() over (order by position) as number from docket_system.change where record_id = ${id}) as n,
      unnest(${days.map(ago)}::text[]) with ordinality as a (at, number)
    where c.position = n.position and a.number = n.number`)
}

const subjects = async (id: string) => {
  const response = await stage.send('admin', `GET /rest/v1/history/task/${id}`)
  const { data } = response.body as { data: { changes: { column: string; new_value: unknown }[] }[] }
  const texts = data.flatMap(({ changes }) =>
    changes.filter(({ column }) => column === 'subject').map(({ new_value }) => new_value),
  )
  return { texts, removedBefore: response.headers['x-history-removed-before'] ?? null }
}

const linesIn = (path: string): readonly string[] => gunzipSync(readFileSync(path)).toString().trimEnd().split('\n')
const exported = () =>
  readdirSync(join(folder, 'exports')).flatMap((file) =>
    linesIn(join(folder, 'exports', file)).map((line) => JSON.parse(line) as Record<string, unknown>),
  )

async function taskOfFive(): Promise<string> {
  const id = await make('task', { subject: 'one' })
  for (const subject of ['two', 'three', 'four', 'five']) await patch('task', id, { subject })
  await age(id, 500, 300, 100, 70, 1)
  return id
}

test('without a setting history is kept for ever', async () => {
  const id = await taskOfFive()
  expect(await removeOld()).toEqual([])
  expect(await subjects(id)).toEqual({ texts: ['five', 'four', 'three', 'two', 'one'], removedBefore: null })
})

test('history that is older than the property says is removed after it was exported, and the history of a record tells since when', async () => {
  const id = await taskOfFive()
  const before = await stage.run(
    sql`select position::text, changes from docket_system.change where changed_at < ${ago(80)}::timestamp order by position`,
  )
  expect((await keepByDefault('80')).status).toBe(200)
  expect(await removeOld()).toEqual([
    { before: '2025-12-12 00:00:00', changes: 3, files: 1, bytes: expect.any(Number) },
  ])
  expect(await subjects(id)).toEqual({ texts: ['five', 'four'], removedBefore: '2025-12-12 00:00:00' })
  expect(exported().map(({ position, changes }) => ({ position, changes }))).toEqual(before)
  expect(exported()[1]).toEqual({
    position: expect.any(String),
    operation: 'update',
    table: 'task',
    table_id: await idOf('task'),
    record_id: id,
    changed_at: ago(300),
    changed_by: expect.any(String),
    changes: { subject: ['one', 'two'] },
    audited: true,
    deletion_logged: false,
    migrated: false,
  })
  const seen = await stage.send(
    'admin',
    `GET /rest/v1/table/sys_history?sysparm_query=record_id=${id}^column_name=subject&sysparm_no_count=1&sysparm_fields=new_value`,
  )
  expect((seen.body as { data: unknown }).data).toEqual([{ new_value: 'four' }, { new_value: 'five' }])
})

test('a day is removed once, and the next day removes what became too old', async () => {
  const id = await taskOfFive()
  await keepByDefault('80')
  await removeOld()
  expect(await removeOld({ atMs: nowMs + dayMs / 3 })).toEqual([])
  expect((await removeOld({ atMs: nowMs + 20 * dayMs })).map(({ changes }) => changes)).toEqual([1])
  expect((await subjects(id)).texts).toEqual(['five'])
})

test('a table keeps its own days, its children theirs or the parent’s, and 0 is for ever', async () => {
  const made: Record<string, string> = {}
  for (const table of ['task', 'itsm_incident', 'itsm_problem', 'company']) {
    made[table] = await make(table, table === 'company' ? { name: 'Keep' } : { subject: 'Keep', caller: '202' })
    await age(made[table] ?? '', 200)
  }
  await stage.run(sql`update docket_system.change set audited = true`)
  await keepByDefault('150')
  await keepDays('task', 250)
  await keepDays('itsm_problem', 100)
  await keepDays('company', 0)
  await removeOld()
  const left =
    await stage.run(sql`select t.name from docket_system.change c join docket.sys_db_table t on t.sys_id = c.table_id
    where c.record_id = any(${Object.values(made)}::text[]) order by t.name`)
  expect(left).toEqual([{ name: 'company' }, { name: 'itsm_incident' }, { name: 'task' }])
  // The horizon of a table is that of its setting, whether or not it had changes that were removed.
  expect((await subjects(made['task'] ?? '')).removedBefore).toBe('2025-06-25 00:00:00')
})

test('history is kept at least as long as events, whatever the table says', async () => {
  const id = await make('task', { subject: 'one' })
  await age(id, 20)
  await keepDays('task', 5)
  expect(await removeOld()).toEqual([])
  expect((await removeOld({ atMs: nowMs + 12 * dayMs })).map(({ changes }) => changes)).toEqual([1])
})

test('deleted records leave the deletion log with the history of their table', async () => {
  await stage.run(sql`update docket.sys_db_table set record_deletion_logging = true where name = 'company'`)
  const [old, fresh] = [await make('company', { name: 'Old' }), await make('company', { name: 'New' })]
  for (const id of [old, fresh]) await stage.send('admin', `DELETE /rest/v1/table/company/${id}`)
  await age(old, 100, 90)
  await keepDays('company', 60)
  await removeOld()
  const log = await stage.send(
    'admin',
    'GET /rest/v1/table/sys_record_deletion_log?sysparm_fields=record_id&sysparm_no_count=1',
  )
  expect((log.body as { data: unknown }).data).toEqual([{ record_id: fresh }])
})

test('a reader of events that had not come so far is sent a reset with the reason', async () => {
  const id = await taskOfFive()
  const [first] = (await stage.run(
    sql`select min(position)::text as position from docket_system.change where record_id = ${id}`,
  )) as { position: string }[]
  await keepDays('task', 80)
  await removeOld()
  const ids = await readEventIds(stage.docket.database)
  const { user, password } = stage.callerOf('admin') as { user: string; password: string }
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
  const reader = await readEvents(`${stage.docket.baseUrl}/rest/v1/events`, {
    authorization,
    'last-event-id': ids.idOf(first?.position ?? ''),
  })
  const [reset] = await reader.until((events) => events.length > 0)
  await reader.close()
  expect(reset).toMatchObject({ event: 'reset', data: { reason: 'changes since this id are no longer kept' } })
})

test('a record that waits returns to the state before also after the log has lost it', async () => {
  const id = await make('itsm_incident', { subject: 'Waits', caller: '202' })
  for (const state of ['1', '3']) expect((await patch('itsm_incident', id, { state })).status).toBe(200)
  await age(id, 200, 200, 200)
  await keepDays('itsm_incident', 60)
  expect((await removeOld()).map(({ changes }) => changes)).toEqual([3])
  const rejected = await patch('itsm_incident', id, { state: '2' })
  expect([rejected.status, JSON.stringify(rejected.body)]).toEqual([422, expect.stringContaining('1')])
  expect((await patch('itsm_incident', id, { state: '1' })).status).toBe(200)
})

test('history that is brought along after a turn is looked at by the next one, however old it is', async () => {
  await keepDays('task', 80)
  await removeOld()
  await stage.run(sql`
    insert into docket.sys_history (sys_created_at, table_id, record_id, column_name, old_value, new_value)
    values (${ago(1_000)}::timestamp, ${await idOf('task')}::bigint, '1001', 'subject', 'a', 'b'), (${ago(10)}::timestamp, ${await idOf('task')}::bigint, '1001', 'subject', 'b', 'c')`)
  expect((await removeOld()).map(({ changes }) => changes)).toEqual([1])
  expect(await stage.run(sql`select new_value from docket.sys_history where record_id = '1001'`)).toEqual([
    { new_value: 'c' },
  ])
})

test('nothing is removed while a transaction brings history along, and it is not forgotten', async () => {
  await keepDays('task', 80)
  const table = await idOf('task')
  await stage.docket.database.inTransaction(async (session) => {
    await session.rows(sql`insert into docket.sys_history (sys_created_at, table_id, record_id, column_name, old_value, new_value)
      values (${ago(1_000)}::timestamp, ${table}::bigint, '1001', 'subject', 'a', 'b')`)
    expect(await removeOld()).toEqual([])
  })
  expect((await removeOld()).map(({ changes }) => changes)).toEqual([1])
})

test('what cannot be exported stays', async () => {
  const id = await taskOfFive()
  await keepDays('task', 80)
  const file = join(folder, 'no-folder')
  writeFileSync(file, '')
  chmodSync(file, 0o400)
  await expect(removeOld({ at: { folder: file } })).rejects.toThrow(/ENOTDIR|EEXIST/)
  expect((await subjects(id)).texts).toHaveLength(5)
  expect(await listHistoryExports(stage.docket.database)).toEqual([])
})

test('what is not read back as it was written stays', async () => {
  const id = await taskOfFive()
  await keepDays('task', 80)
  const { attachments } = places
  const forgetful = {
    ...attachments,
    blobs: { ...attachments.blobs, read: async () => Readable.from([Buffer.alloc(0)]) },
  }
  await expect(removeOld({ at: { folder: null, attachments: forgetful } })).rejects.toThrow()
  expect((await subjects(id)).texts).toHaveLength(5)
})

test('without a folder the store of attached files has the exports', async () => {
  const id = await taskOfFive()
  await keepDays('task', 80)
  await removeOld({ at: { folder: null } })
  const [file, ...others] = await listHistoryExports(stage.docket.database)
  expect(others).toEqual([])
  expect(file).toMatchObject({ changes: 3, path: null, first_changed_at: ago(500), last_changed_at: ago(100) })
  const parts = (await places.attachments.blobs.read(Buffer.from(file?.sha256 ?? '', 'hex'))).toArray()
  const lines = gunzipSync(Buffer.concat(await parts))
    .toString()
    .trimEnd()
    .split('\n')
  expect(lines.map((line) => (JSON.parse(line) as { record_id: string }).record_id)).toEqual([id, id, id])
  expect(
    await stage.run(
      sql`select count(*)::int as rows from docket_system.attachment_blob where hash = decode(${file?.sha256 ?? ''}, 'hex')`,
    ),
  ).toEqual([{ rows: 1 }])
})

test('whoever may read the record sees since when history is removed, whether the removed columns are hidden or not', async () => {
  const [changed, unchanged] = [await make('task', { subject: 'one' }), await make('task', { subject: 'other' })]
  await patch('task', changed, { work_notes: 'secret' })
  await age(changed, 0, 200)
  await keepDays('task', 80)
  await removeOld()
  const horizons = await Promise.all([changed, unchanged].map(async (id) => (await subjects(id)).removedBefore))
  expect(horizons).toEqual(['2025-12-12 00:00:00', '2025-12-12 00:00:00'])
  const hidden = await stage.send('nobody', `GET /rest/v1/history/task/${changed}`)
  expect([hidden.status, hidden.headers['x-history-removed-before']]).toEqual([403, undefined])
})

test('days that are no number of days are rejected', async () => {
  const wrong = await keepByDefault('a month')
  expect([wrong.status, JSON.stringify(wrong.body)]).toEqual([
    422,
    expect.stringContaining('history.keep_days is a whole number from 0 to 36500'),
  ])
  const negative = await stage.send('admin', `PATCH /rest/v1/table/sys_db_table/${await idOf('task')}`, {
    body: { history_keep_days: -1 },
  })
  expect([negative.status, JSON.stringify(negative.body)]).toEqual([422, expect.stringContaining('history_keep_days')])
})

test.each(['events.keep_days', 'follow.compare_hours'])('%s is a whole number', async (name) => {
  const [row] = (await stage.run(
    sql`select sys_id::text as id from docket.sys_property where name = ${name}`,
  )) as readonly { id: string }[]
  const statuses: number[] = []
  for (const value of ['0.01', '-1', '1e9', 'a month', '', '0', '60']) {
    const response = await stage.send('admin', `PATCH /rest/v1/table/sys_property/${row?.id}`, { body: { value } })
    statuses.push(response.status)
  }
  expect(statuses).toEqual([422, 422, 422, 422, 422, 200, 200])
})

test('days for events that an earlier version took remove no change early, and fail no cleanup', async () => {
  const id = await make('company', { name: 'Kept' })
  const clock = { nowMs: () => nowMs + dayMs / 2 }
  for (const days of ['1e9', '0.01']) {
    await stage.run(sql`update docket.sys_property set value = ${days} where name = 'events.keep_days'`)
    await clearChanges(createRecordDeps({ database: stage.docket.database, clock }))
  }
  await stage.run(sql`update docket.sys_property set value = '30' where name = 'events.keep_days'`)
  expect(await stage.run(sql`select operation from docket_system.change where record_id = ${id}`)).toHaveLength(1)
})

test.each([
  ['search.wait_ms', '0 to 3600000'],
  ['read.max_lag_ms', '0 to 60000'],
])('%s is a whole number of milliseconds: with another text the limit would be off (issue 14)', async (name, range) => {
  await stage.run(sql`delete from docket.sys_property where name = ${name}`)
  for (const value of ['soon', '-1', '1.5', '9999999', '']) {
    const { status, body } = await stage.send('admin', 'POST /rest/v1/table/sys_property', { body: { name, value } })
    expect([value, status, JSON.stringify(body)]).toEqual([
      value,
      422,
      expect.stringContaining(`${name} is a whole number from ${range}`),
    ])
  }
  const good = await stage.send('admin', 'POST /rest/v1/table/sys_property', { body: { name, value: '250' } })
  expect(good.status).toBe(200)
  // A text that an earlier version took does not keep the record from being described.
  await stage.run(sql`update docket.sys_property set value = 'soon' where name = ${name}`)
  const [row] = (await stage.run(sql`select sys_id from docket.sys_property where name = ${name}`)) as {
    sys_id: string
  }[]
  const change = async (body: object) =>
    (await stage.send('admin', `PATCH /rest/v1/table/sys_property/${row?.sys_id}`, { body })).status
  expect([await change({ description: 'A limit' }), await change({ value: 'soonest' })]).toEqual([200, 422])
})
