import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LOCKS } from '../../../src/database/advisory-locks.ts'
import { sql } from '../../../src/kernel/sql.ts'
import { admin } from '../../harness/fresh-database.ts'
import { readEvents } from '../../harness/read-events.ts'
import { type DictionaryDesk, openDesk } from '../dictionary/dictionary-desk.ts'

/** Changes that are deleted after a reader of the log has checked what is kept, and before it reads them. */

let desk: DictionaryDesk
let clearing: pg.Client
let holding: pg.Client
let record = ''
const patience = { timeout: 120_000, interval: 20 }
const reason = 'changes since this id are no longer kept'

beforeAll(async () => {
  desk = await openDesk()
  ;[clearing, holding] = [await connect(), await connect()]
  await desk.table('kept')
  await desk.column('kept', 'name', 'string')
  record = await desk.record('kept', { name: 'First' })
})
afterAll(async () => {
  await Promise.all([clearing.end(), holding.end()])
  await desk.close()
})

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: desk.docket.connectionString })
  await client.connect()
  return client
}

async function rename(name: string): Promise<void> {
  const response = await desk.send(`PATCH /rest/v1/table/kept/${record}`, { name })
  expect([response.status, response.text]).toEqual([200, expect.any(String)])
}

type LockedTable = 'docket_system.change' | 'docket.sys_user_has_role'
/** Readers of the table wait until `clearChanges`. */
const stopReaders = (of: LockedTable) => clearing.query(`begin; lock table ${of} in access exclusive mode`)

/** Deletes the changes as soon as a reader waits. */
async function clearChanges(behind: LockedTable): Promise<void> {
  await expect
    .poll(async () => {
      const { rows } = await holding.query(
        `select from pg_locks where relation = $1::regclass and not granted
           and database = (select oid from pg_database where datname = current_database())`,
        [behind],
      )
      return rows.length
    }, patience)
    .toBe(1)
  await clearing.query(`update docket_system.change set changed_at = '2020-01-01', audited = false`)
  await clearing.query(`select docket_system.sweep_changes('2020-02-01', 1000000)`)
  await clearing.query('commit')
}

async function listen(lastEventId: string) {
  const reader = await readEvents(`${desk.docket.baseUrl}/rest/v1/events?tables=kept`, {
    authorization: `Basic ${Buffer.from(`${admin.user}:${admin.password}`).toString('base64')}`,
    'last-event-id': lastEventId,
  })
  await reader.until(() => reader.lastId() !== null)
  return reader
}
const short = (events: readonly { readonly event: string; readonly data: unknown }[]) =>
  events.map(({ event, data }) => (event === 'reset' ? data : (data as { changes: { name: unknown } }).changes.name))

test('a stream that has begun sends reset for changes that are deleted before it reads them, once', async () => {
  const before = await listen('0')
  await before.until((events) => events.length > 0)
  await rename('Second')
  const [, second] = await before.until((events) => events.length > 1)
  await before.close()
  await rename('Lost')
  await stopReaders('docket_system.change')
  const reader = await listen(second?.id ?? '')
  await clearChanges('docket_system.change')
  await rename('Third')
  const events = await reader.until((all) => JSON.stringify(all).includes('"new_value":"Third"'))
  await reader.close()
  expect(short(events)).toEqual([{ reason }, { old_value: 'Lost', new_value: 'Third' }])
})

test('a stream from the oldest change sends reset once, however many pages it reads', async () => {
  await desk.docket.database.rows(sql`
    insert into docket_system.change (operation, table_id, record_id, changed_by, changes)
    select 'u', t.sys_id, ${record}, null, '{"name": ["Third", "Third"]}' from docket.sys_db_table t, generate_series(1, 1100)
    where t.name = 'kept'`)
  await rename('Last')
  const reader = await listen('0')
  const events = await reader.until((all) => JSON.stringify(all).includes('"new_value":"Last"'))
  await reader.close()
  expect(events.map(({ event }) => event)).toEqual(['reset', ...Array(1_102).fill('change')])
})

test('a webhook is named in the log of the server if changes are deleted before it reads them', async () => {
  const url = 'https://203.0.113.1/in'
  const tables = [await desk.tableId('kept')]
  const hook = await desk.record('sys_webhook', { name: 'Test', url, tables })
  await holding.query('begin')
  const { rowCount } = await holding.query('select from docket_system.webhook where webhook_id = $1 for update', [hook])
  expect(rowCount).toBe(1)
  await rename('Not delivered')
  await stopReaders('docket_system.change')
  await holding.query('commit')
  await clearChanges('docket_system.change')
  const missed = () => desk.docket.observations.filter(({ kind }) => kind === 'webhook-missed-changes')
  await expect.poll(missed, patience).toEqual([{ kind: 'webhook-missed-changes', webhook: hook }])
  await desk.send(`DELETE /rest/v1/table/sys_webhook/${hook}`)
})

test('a collection is compared with its table if changes are deleted before it reads them', async () => {
  await rename('Followed')
  await desk.send('PUT /collections/kept/follow', { table: 'kept', template: '{name}' })
  const texts = async () => {
    const response = await desk.send('POST /get_content_by_tag?collection_name=kept', { tag_info: '' })
    return (response.body as { data?: { text: string }[] }).data?.map(({ text }) => text)
  }
  const state = async () => (await desk.send('GET /collections/kept/follow')).body as { data: { state: string } }
  await expect.poll(texts, patience).toEqual(['Followed'])
  await expect.poll(async () => (await state()).data.state, patience).toBe('following')
  await holding.query('begin')
  await holding.query(`select pg_advisory_xact_lock(${LOCKS.firstFollowedCollection}::bigint + id)
    from docket_documents.collection where name = 'kept'`)
  await rename('Never read')
  // The turn reads its user between the check and the changes.
  await stopReaders('docket.sys_user_has_role')
  await holding.query('commit')
  await clearChanges('docket.sys_user_has_role')
  await desk.record('kept', { name: 'Later' })
  await expect.poll(async () => (await texts())?.toSorted(), patience).toEqual(['Later', 'Never read'])
})
