import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { administratorId } from '../../../src/identity/administrator.ts'
import { loadPrincipal } from '../../../src/identity/load-principal.ts'
import { answerRecordRequest } from '../../../src/records/answer-record-request.ts'
import type { Asked } from '../../../src/records/asked.ts'
import { watchChanges } from '../../../src/records/changes/watch-changes.ts'
import { makeRecordRoom, type RecordRoom } from '../../../src/records/record-room.ts'
import { openMailRoom } from '../../../src/webhooks/deliver.ts'
import { sendAgain } from '../../../src/webhooks/manage-webhooks.ts'
import { activeWebhooks, queueDeliveries } from '../../../src/webhooks/queue-deliveries.ts'
import { type FreshDatabase, freshDatabase } from '../../harness/fresh-database.ts'
import { type WebhookReceiver, webhookReceiver } from '../../harness/webhook-receiver.ts'

/**
 * Letters that do not arrive. No server runs here: the work of a process is done by hand and by its own clock, so that no test
 * waits for an hour and nobody else sends.
 */

let fresh: FreshDatabase
let room: RecordRoom
let receiver: WebhookReceiver
let hook = ''
const nowMs = Date.UTC(2026, 2, 2, 10)
let atMs = nowMs
const clock = { nowMs: () => atMs }

beforeAll(async () => {
  fresh = await freshDatabase()
  room = makeRecordRoom({ database: fresh.database, clock })
})
beforeEach(async () => {
  atMs = nowMs
  receiver = await webhookReceiver()
  const [company] = await run<{ id: string }>(
    sql`select sys_id::text as id from docket.sys_db_table where name = 'company'`,
  )
  hook = await write('create', 'sys_webhook', { name: 'Test', url: `${receiver.url}/in`, tables: [company?.id] })
})
afterEach(async () => {
  await run(sql`delete from docket.sys_webhook`)
  await receiver.close()
})
afterAll(() => fresh.drop())

const run = <Row>(statement: ReturnType<typeof sql<Row>>) => fresh.database.rows<Row>(statement)

async function administrator() {
  const known = await loadPrincipal(fresh.database, administratorId)
  if (known === undefined) throw new Error('there is no administrator')
  return known
}

async function write(operation: Asked['operation'], table: string, body: unknown, sysId: string | null = null) {
  const { principal, identityEpoch } = await administrator()
  const rest = { parameters: new Map(), principal, identityEpoch, baseUrl: '', ifMatch: null }
  const answer = await answerRecordRequest(room, { operation, table, sysId, body, ...rest })
  if (!answer.ok) throw new Error(JSON.stringify(answer.error))
  return (JSON.parse(answer.value.body) as { data: { sys_id: string }[] }).data[0]?.sys_id ?? ''
}
const makeCompany = (name: string) => write('create', 'company', { name })

const queue = async (): Promise<void> => {
  const watch = watchChanges(fresh.database)
  for (const each of await activeWebhooks(room)) await queueDeliveries({ room, watch }, each)
}
const work = async (allowedNetworks: readonly string[] = ['127.0.0.1']): Promise<void> => {
  await queue()
  const mail = openMailRoom({ database: fresh.database, clock, allowedNetworks, onTrouble: fail })
  mail.wake()
  await mail.idle()
}
const fail = (error: unknown): void => {
  throw error
}
const moment = (ms: number): string => new Date(ms).toISOString().slice(0, 19)
const deliveries = () =>
  run<Record<string, unknown>>(sql`select state, attempts, response_status, error, record_id::text as record,
    extract(epoch from next_attempt_at - ${moment(atMs)}::timestamp)::integer as wait
    from docket.sys_webhook_delivery where webhook = ${hook}::bigint order by position`)
const eventOf = ({ text }: { readonly text: string }) =>
  JSON.parse(text) as { id: string; operation: string; sys_id: string }

test('they are tried again, later each time, and what follows of their record waits for them', async () => {
  receiver.answer(500)
  const [one, two] = [await makeCompany('One'), await makeCompany('Two')]
  await write('patch', 'company', { name: 'One again' }, one)
  await work()
  const failed = { state: 'pending', attempts: 1, response_status: 500, error: 'the receiver answered 500', wait: 5 }
  expect(await deliveries()).toEqual([
    { ...failed, record: one },
    { ...failed, record: two },
    { state: 'pending', attempts: 0, response_status: null, error: null, record: one, wait: null },
  ])
  await work()
  expect(receiver.letters.length).toBe(2)
  atMs += 5_000
  await work()
  expect((await deliveries()).map(({ attempts, wait }) => [attempts, wait])).toEqual([
    [2, 30],
    [2, 30],
    [0, null],
  ])
  receiver.answer(204)
  atMs += 30_000
  await work()
  expect((await deliveries()).map(({ state, error }) => [state, error])).toEqual([
    ['delivered', null],
    ['delivered', null],
    ['delivered', null],
  ])
  const ofOne = receiver.letters.map(eventOf).filter(({ sys_id }) => sys_id === one)
  expect(ofOne.map(({ operation }) => operation)).toEqual(['create', 'create', 'create', 'update'])
  expect(new Set(ofOne.slice(0, 3).map(({ id }) => id)).size).toBe(1)
})

test('after two days they are given up and can be sent again', async () => {
  receiver.answer(503)
  await makeCompany('Unlucky')
  for (let attempt = 0; attempt < 20; attempt += 1) {
    await work()
    atMs += 86_400_000
  }
  expect(await deliveries()).toMatchObject([{ state: 'dead', attempts: 11, error: 'the receiver answered 503' }])
  expect(receiver.letters.length).toBe(11)
  receiver.answer(200)
  const [dead] = await run<{ id: string }>(
    sql`select sys_id::text as id from docket.sys_webhook_delivery where state = 'dead'`,
  )
  expect(await sendAgain(room, (await administrator()).principal, dead?.id ?? '')).toEqual({
    ok: true,
    value: { state: 'pending' },
  })
  await work()
  expect(await deliveries()).toMatchObject([{ state: 'delivered', attempts: 1, error: null }])
})

test('nobody follows a redirect, and nobody connects to a private network that was not opened', async () => {
  receiver.answer(302, { location: `${receiver.url}/elsewhere` })
  await makeCompany('Led astray')
  await work()
  expect(await deliveries()).toMatchObject([{ state: 'pending', error: 'the receiver answered 302' }])
  expect(receiver.letters.map(({ path }) => path)).toEqual(['/in'])
  atMs += 5_000
  await work([])
  expect(await deliveries()).toMatchObject([
    {
      response_status: null,
      error: '127.0.0.1 is an address of a private network (setting DOCKET_WEBHOOK_NETWORKS)',
    },
  ])
  expect(receiver.letters.length).toBe(1)
})

test('one whose sender died is sent when its lease is over, and not before', async () => {
  await makeCompany('Interrupted')
  await queue()
  await run(
    sql`update docket.sys_webhook_delivery set attempts = 1, leased_until = ${moment(nowMs + 20_000)}::timestamp`,
  )
  await work()
  expect(receiver.letters.length).toBe(0)
  atMs += 21_000
  await work()
  expect(await deliveries()).toMatchObject([{ state: 'delivered', attempts: 2 }])
})

test('an inactive webhook is told later of what happened meanwhile', async () => {
  await write('patch', 'sys_webhook', { active: false }, hook)
  await makeCompany('Meanwhile')
  await work()
  expect(await deliveries()).toEqual([])
  await write('patch', 'sys_webhook', { active: true }, hook)
  await work()
  expect(await deliveries()).toMatchObject([{ state: 'delivered' }])
})

test('two processes that queue and send at once tell each change once', async () => {
  const companies = await Promise.all(Array.from({ length: 20 }, (_, n) => makeCompany(`Both ${n}`)))
  await Promise.all([work(), work(), work()])
  await work()
  expect(receiver.letters.map((letter) => eventOf(letter).sys_id).sort()).toEqual(companies.toSorted())
})
