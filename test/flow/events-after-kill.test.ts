import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../src/kernel/sql.ts'
import { readEventIds } from '../../src/records/changes/event-ids.ts'
import { admin, type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'
import { readEvents } from '../harness/read-events.ts'
import { sendTo } from '../harness/send-request.ts'
import { type SpawnedDocket, spawnDocket, temporaryFolder } from '../harness/spawn-docket.ts'
import { type WebhookReceiver, webhookReceiver } from '../harness/webhook-receiver.ts'

let fresh: FreshDatabase
let receiver: WebhookReceiver
beforeAll(async () => {
  fresh = await freshDatabase()
  receiver = await webhookReceiver()
})
afterAll(async () => {
  await receiver.close()
  await fresh.drop()
})

const start = () =>
  spawnDocket({
    DOCKET_DATABASE_URL: fresh.connectionString,
    DOCKET_DATA_DIR: temporaryFolder(),
    DOCKET_DEMO: 'off',
    DOCKET_WEBHOOK_NETWORKS: '127.0.0.1',
  })
const basic = { authorization: `Basic ${Buffer.from(`${admin.user}:${admin.password}`).toString('base64')}` }

interface ReportedChange {
  readonly id: string
  readonly sys_id: string
}

test('no event is lost and a record’s events keep their order, though the server is killed while it writes and sends', async () => {
  let docket: SpawnedDocket = await start()
  let client = sendTo(docket.address)
  const send = async (method: string, path: string, body: unknown): Promise<string> => {
    const response = await client.send(method, path, { as: admin, body })
    if (response.status !== 200) throw new Error(response.text)
    return (response.body as { data: { sys_id: string }[] }).data[0]?.sys_id ?? ''
  }
  const streamed: ReportedChange[] = []
  const listen = (lastEventId: string) =>
    readEvents(`${docket.address}/rest/v1/events?tables=company`, { ...basic, 'last-event-id': lastEventId })
  const keep = (events: readonly { readonly data: unknown }[]): void => {
    streamed.push(...events.map(({ data }) => data as ReportedChange))
  }

  const [company] = await fresh.database.rows<{ id: string }>(
    sql`select sys_id::text as id from docket.sys_db_table where name = 'company'`,
  )
  await send('POST', '/rest/v1/table/sys_webhook', { name: 'Test', url: receiver.url, tables: [company?.id] })
  const ids = await Promise.all(
    [0, 1, 2, 3].map((n) => send('POST', '/rest/v1/table/company', { name: `company ${n}` })),
  )
  const reader = await listen('0')
  await receiver.until((received) => received.length > 0)

  // Four writers until the server is killed, which happens after some more responses.
  const writers = ids.map(async (id) => {
    for (let n = 0; ; n += 1) await send('PATCH', `/rest/v1/table/company/${id}`, { city: `city ${n}` })
  })
  const gone = Promise.allSettled(writers)
  await receiver.until((received) => received.length > 20)
  docket.signal('SIGKILL')
  await docket.exit
  await gone
  await reader.ended
  keep(reader.events)
  client.close()

  docket = await start()
  client = sendTo(docket.address)
  // The sender is dead; its leases end by time.
  await fresh.database.rows(sql`update docket.sys_webhook_delivery set leased_until = null`)
  const again = await listen(reader.lastId() ?? '0')
  for (const id of ids) await send('PATCH', `/rest/v1/table/company/${id}`, { city: 'the last' })
  const eventIds = await readEventIds(fresh.database)
  const positions = await fresh.database.rows<{ position: string; sys_id: string }>(sql`
    select position::text, record_id as sys_id from docket_system.change where table_id = ${company?.id}::bigint order by position`)
  const logged = positions.map(({ position, sys_id }): ReportedChange => ({ id: eventIds.idOf(position), sys_id }))
  const last = logged.at(-1)?.id
  keep(await again.until((events) => events.some(({ id }) => id === last)))
  await again.close()
  const wanted = new Set(logged.map(({ id }) => id))
  const received = await receiver.until((all) => {
    const came = new Set(all.map(({ headers }) => headers['webhook-id']))
    return [...wanted].every((id) => came.has(id))
  })
  client.close()
  await docket.stop()

  expect(streamed.map(({ id }) => id)).toEqual(logged.map(({ id }) => id))
  const described = received.map(({ text }) => JSON.parse(text) as ReportedChange)
  for (const id of ids) {
    const inOrder = (events: readonly ReportedChange[]) => [
      ...new Set(events.filter((each) => each.sys_id === id).map((each) => each.id)),
    ]
    expect(inOrder(described)).toEqual(inOrder(logged))
  }
}, 120_000)
