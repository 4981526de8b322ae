import { type AddressInfo, createServer } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { beginHistory } from '../../../src/database/database-history.ts'
import { administratorId } from '../../../src/identity/administrator.ts'
import { loadPrincipal } from '../../../src/identity/load-principal.ts'
import { sql } from '../../../src/kernel/sql.ts'
import { watchChanges } from '../../../src/records/changes/watch-changes.ts'
import type { Operation } from '../../../src/records/parse/record-request.ts'
import { createRecordDeps, type RecordDeps } from '../../../src/records/record-deps.ts'
import { openWebhookSender } from '../../../src/webhooks/deliver-with-retries.ts'
import { sendAgain } from '../../../src/webhooks/manage-webhooks.ts'
import { activeWebhooks, queueDeliveries } from '../../../src/webhooks/queue-deliveries.ts'
import { type FreshDatabase, freshDatabase } from '../../harness/fresh-database.ts'
import { respondAsText } from '../../harness/respond-as-text.ts'
import { type WebhookReceiver, webhookReceiver } from '../../harness/webhook-receiver.ts'

/**
 * Deliveries that fail. No server runs here: the tests call the work of a process themselves, with their own clock, so that no test
 * waits for an hour and nothing else sends deliveries.
 */

let fresh: FreshDatabase
let deps: RecordDeps
let receiver: WebhookReceiver
let hook = ''
const nowMs = Date.UTC(2026, 2, 2, 10)
let atMs = nowMs
const clock = { nowMs: () => atMs }

beforeAll(async () => {
  fresh = await freshDatabase()
  deps = createRecordDeps({ database: fresh.database, clock })
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

async function write(operation: Operation, table: string, body: unknown, sysId: string | null = null) {
  const { principal, identityEpoch } = await administrator()
  const rest = { parameters: new Map(), principal, identityEpoch, baseUrl: '', ifMatch: null }
  const response = await respondAsText(deps, { operation, table, sysId, body, ...rest })
  if (!response.ok) throw new Error(JSON.stringify(response.error))
  return (JSON.parse(String(response.value.body)) as { data: { sys_id: string }[] }).data[0]?.sys_id ?? ''
}
const makeCompany = (name: string) => write('create', 'company', { name })

const missed: string[] = []
const queue = async (): Promise<void> => {
  const watch = watchChanges(fresh.database)
  const onMissed = (webhook: string) => missed.push(webhook)
  for (const each of await activeWebhooks(deps)) await queueDeliveries({ deps, watch, onMissed }, each)
}
const work = async (allowedNetworks: readonly string[] = ['127.0.0.1']): Promise<void> => {
  await queue()
  const mail = openWebhookSender({ deps, allowedNetworks, onError: fail })
  mail.notify()
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
  receiver.respond(500)
  const [one, two] = [await makeCompany('One'), await makeCompany('Two')]
  await write('patch', 'company', { name: 'One again' }, one)
  await work()
  const failed = {
    state: 'pending',
    attempts: 1,
    response_status: 500,
    error: 'the receiver responded with status 500',
    wait: 5,
  }
  expect(await deliveries()).toEqual([
    { ...failed, record: one },
    { ...failed, record: two },
    { state: 'pending', attempts: 0, response_status: null, error: null, record: one, wait: null },
  ])
  await work()
  expect(receiver.received.length).toBe(2)
  atMs += 5_000
  await work()
  expect((await deliveries()).map(({ attempts, wait }) => [attempts, wait])).toEqual([
    [2, 30],
    [2, 30],
    [0, null],
  ])
  receiver.respond(204)
  atMs += 30_000
  await work()
  expect((await deliveries()).map(({ state, error }) => [state, error])).toEqual([
    ['delivered', null],
    ['delivered', null],
    ['delivered', null],
  ])
  const ofOne = receiver.received.map(eventOf).filter(({ sys_id }) => sys_id === one)
  expect(ofOne.map(({ operation }) => operation)).toEqual(['create', 'create', 'create', 'update'])
  expect(new Set(ofOne.slice(0, 3).map(({ id }) => id)).size).toBe(1)
})

test('after two days they are given up and can be sent again', async () => {
  receiver.respond(503)
  await makeCompany('Unlucky')
  for (let attempt = 0; attempt < 20; attempt += 1) {
    await work()
    atMs += 86_400_000
  }
  expect(await deliveries()).toMatchObject([
    { state: 'dead', attempts: 11, error: 'the receiver responded with status 503' },
  ])
  expect(receiver.received.length).toBe(11)
  receiver.respond(200)
  const [dead] = await run<{ id: string }>(
    sql`select sys_id::text as id from docket.sys_webhook_delivery where state = 'dead'`,
  )
  expect(await sendAgain(deps, (await administrator()).principal, dead?.id ?? '')).toEqual({
    ok: true,
    value: { state: 'pending' },
  })
  await work()
  expect(await deliveries()).toMatchObject([{ state: 'delivered', attempts: 1, error: null }])
})

test('nobody follows a redirect, and nobody connects to a private network that was not opened', async () => {
  receiver.respond(302, { location: `${receiver.url}/elsewhere` })
  await makeCompany('Led astray')
  await work()
  expect(await deliveries()).toMatchObject([{ state: 'pending', error: 'the receiver responded with status 302' }])
  expect(receiver.received.map(({ path }) => path)).toEqual(['/in'])
  atMs += 5_000
  await work([])
  expect(await deliveries()).toMatchObject([
    {
      response_status: null,
      error: '127.0.0.1 has no address that may be reached (setting DOCKET_WEBHOOK_NETWORKS)',
    },
  ])
  expect(receiver.received.length).toBe(1)
})

test('one whose sender died is sent when its lease is over, and not before', async () => {
  await makeCompany('Interrupted')
  await queue()
  await run(
    sql`update docket.sys_webhook_delivery set attempts = 1, leased_until = ${moment(nowMs + 20_000)}::timestamp`,
  )
  await work()
  expect(receiver.received.length).toBe(0)
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

test('a webhook that had not read changes which are no longer kept is named in the log of the server', async () => {
  await write('patch', 'sys_webhook', { active: false }, hook)
  await makeCompany('Forgotten')
  await run(sql`update docket_system.change set changed_at = '2026-01-01', audited = false`)
  await run(sql`select docket_system.sweep_changes('2026-02-01', 10000)`)
  await write('patch', 'sys_webhook', { active: true }, hook)
  await makeCompany('Known')
  expect(missed).toEqual([])
  await work()
  expect(missed).toEqual([hook])
  expect(await deliveries()).toHaveLength(1)
  await makeCompany('Later')
  await work()
  expect(missed).toEqual([hook])
})

test('a process that learned the end of the log before a failover, and queues after it, holds up no webhook', async () => {
  await queue()
  const [log] = await run<{ lost: string }>(sql`
    select (pg_sequence_last_value('docket_system.change_position') + 300000000)::text as lost`)
  await beginHistory(fresh.database)
  const watch = { now: async () => log?.lost ?? '' }
  for (const each of await activeWebhooks(deps)) await queueDeliveries({ deps, watch, onMissed: () => undefined }, each)
  const company = await makeCompany('After the failover')
  await work()
  expect(receiver.received.map(eventOf)).toMatchObject([{ operation: 'create', sys_id: company }])
})

test('two processes that queue and send at once tell each change once', async () => {
  const companies = await Promise.all(Array.from({ length: 20 }, (_, n) => makeCompany(`Both ${n}`)))
  await Promise.all([work(), work(), work()])
  await work()
  expect(receiver.received.map((delivery) => eventOf(delivery).sys_id).sort()).toEqual(companies.toSorted())
})

test('a table that was added while other webhooks were queued for counts for all changes after that', async () => {
  const before = await activeWebhooks(deps)
  await write('patch', 'sys_webhook', { tables: null, operations: ['create'] }, hook)
  const service = await write('create', 'service', { name: 'Mail' })
  const watch = watchChanges(fresh.database)
  for (const each of before) await queueDeliveries({ deps, watch, onMissed: () => undefined }, each)
  await work()
  expect(receiver.received.map((delivery) => eventOf(delivery).sys_id)).toContain(service)
})

test('a receiver that is slow holds up its own deliveries and nobody else’s', async () => {
  const slow = await webhookReceiver()
  let release = (): void => undefined
  slow.hold(
    new Promise<void>((resolve) => {
      release = resolve
    }),
  )
  const [company] = await run<{ id: string }>(
    sql`select sys_id::text as id from docket.sys_db_table where name = 'company'`,
  )
  await write('create', 'sys_webhook', { name: 'Slow', url: `${slow.url}/in`, tables: [company?.id] })
  const made = await Promise.all(Array.from({ length: 30 }, (_, n) => makeCompany(`Waiting ${n}`)))
  await queue()
  const mail = openWebhookSender({ deps, allowedNetworks: ['127.0.0.1'], onError: fail })
  mail.notify()
  const described = await receiver.until((received) => received.length === made.length)
  expect(new Set(described.map((delivery) => eventOf(delivery).sys_id))).toEqual(new Set(made))
  await slow.until((received) => received.length === 4)
  release()
  await mail.idle()
  expect(slow.received.length).toBe(made.length)
  await slow.close()
})

test('a receiver that responds in another protocol, or not at all, has not received its delivery', async () => {
  const odd = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () =>
      socket.end('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n'),
    )
  })
  await new Promise<void>((resolve) => odd.listen(0, '127.0.0.1', resolve))
  const { port } = odd.address() as AddressInfo
  await write('patch', 'sys_webhook', { url: `http://127.0.0.1:${port}/` }, hook)
  await makeCompany('Upgraded')
  await work()
  expect(await deliveries()).toMatchObject([
    { state: 'pending', attempts: 1, error: 'the receiver closed the connection without a response' },
  ])
  odd.close()
})

test('a webhook for a table that was deleted is told of nothing, not of everything', async () => {
  const [made] = await run<{ id: string }>(
    sql`select docket_system.define_table('parcel', 'Parcels', 'Посылки')::text as id`,
  )
  await write('patch', 'sys_webhook', { tables: [made?.id] }, hook)
  expect(await activeWebhooks(deps)).toMatchObject([{ tables: ['parcel'] }])
  await run(sql`delete from docket.sys_db_table where sys_id = ${made?.id}::bigint`)
  expect(await activeWebhooks(deps)).toMatchObject([{ tables: [] }])
  await makeCompany('Not told')
  await work()
  expect(receiver.received).toEqual([])
})

describe('a webhook runs with the rights of its owner:', () => {
  const keeper = '900000000000000777'
  beforeAll(async () => {
    await run(
      sql`insert into docket."user" (sys_id, user_name, display_name) values (${keeper}::bigint, 'keeper', 'Keeper')`,
    )
    await run(sql`insert into docket.sys_role (name) values ('keeper')`)
    await run(
      sql`insert into docket.sys_user_has_role (user_id, role_id) select ${keeper}::bigint, sys_id from docket.sys_role where name = 'keeper'`,
    )
    await run(sql`insert into docket.sys_security_acl (operation, table_name, column_name, roles, condition)
      select 'read', 'company', c, array[(select sys_id::text from docket.sys_role where name = r)], w
      from (values (null, 'keeper', 'country!=Hidden'), ('city', 'admin', null)) as v (c, r, w)`)
  })
  const takeOver = (by: string) =>
    run(sql`update docket.sys_webhook set run_as = ${by}::bigint where sys_id = ${hook}::bigint`)

  test('who takes a webhook over gets what waited as far as they may read it', async () => {
    receiver.respond(500)
    const [open] = [await write('create', 'company', { name: 'Open', city: 'Perm' })]
    await write('create', 'company', { name: 'Hidden', country: 'Hidden' })
    await work()
    expect(receiver.received.flatMap((delivery) => Object.keys(JSON.parse(delivery.text).changes))).toContain('city')
    await takeOver(keeper)
    receiver.respond(200)
    atMs += 5_000
    const before = receiver.received.length
    await work()
    const after = receiver.received.slice(before)
    expect(after.map((delivery) => eventOf(delivery).sys_id)).toEqual([open])
    expect(Object.keys(JSON.parse(after[0]?.text ?? '{}').changes)).not.toContain('city')
    expect((await deliveries()).map(({ state, error }) => [state, error])).toEqual([
      ['delivered', null],
      ['dead', 'the user whose rights the webhook runs with may not read this change, or it is no longer kept'],
    ])
  })

  const bodies = () => run<{ payload: unknown }>(sql`select payload from docket.sys_webhook_delivery order by position`)
  const unreadable = 'the user whose rights the webhook runs with may not read this change, or it is no longer kept'

  /** Lets the receiver reject deliveries, and removes rights of the user by `shrink` before the retries. @returns their content */
  async function retryAfter(shrink: () => Promise<unknown>) {
    await takeOver(keeper)
    receiver.respond(500)
    const company = await write('create', 'company', { name: 'Rejected', country: 'France' })
    await work()
    await shrink()
    receiver.respond(200)
    atMs += 5_000
    const before = receiver.received.length
    await work()
    return { company, retries: receiver.received.slice(before).map(({ text }) => JSON.parse(text)) }
  }

  test('a retry carries no column that the user may not read any more (issue 8, A9)', async () => {
    const { retries } = await retryAfter(() =>
      run(sql`insert into docket.sys_security_acl (operation, table_name, column_name, roles)
        select 'read', 'company', 'country', array[sys_id::text] from docket.sys_role where name = 'admin'`),
    )
    const changes = { name: { old_value: null, new_value: 'Rejected' }, active: { old_value: null, new_value: true } }
    expect(retries.map((each) => each.changes)).toEqual([changes])
    expect(await bodies()).toEqual([{ payload: retries[0] }])
    expect(await deliveries()).toMatchObject([{ state: 'delivered', attempts: 2, error: null }])
    await run(sql`delete from docket.sys_security_acl where table_name = 'company' and column_name = 'country'`)
  })

  test('a record that the user may not read any more ends its deliveries, with the reason (issue 8, A9)', async () => {
    const { retries } = await retryAfter(async () => {
      const [waiting] = await run<{ record_id: string }>(sql`select record_id from docket.sys_webhook_delivery`)
      await write('patch', 'company', { country: 'Hidden' }, waiting?.record_id)
    })
    expect(retries).toEqual([])
    expect(await deliveries()).toMatchObject([{ state: 'dead', error: unreadable, wait: null }])
    expect(await bodies()).toEqual([{ payload: null }])
  })

  test('a user who lost the role gets no retry, and no delivery that waited behind it (issue 8, A9)', async () => {
    const { retries, company } = await retryAfter(async () => {
      const [waiting] = await run<{ record_id: string }>(sql`select record_id from docket.sys_webhook_delivery`)
      await write('patch', 'company', { name: 'Rejected too' }, waiting?.record_id)
      await queue()
      await run(sql`delete from docket.sys_user_has_role where user_id = ${keeper}::bigint`)
    })
    expect(retries).toEqual([])
    const ended = { record: company, state: 'dead', error: unreadable, response_status: null, wait: null }
    expect(await deliveries()).toEqual([
      { ...ended, attempts: 2 },
      { ...ended, attempts: 1 },
    ])
    await run(
      sql`insert into docket.sys_user_has_role (user_id, role_id) select ${keeper}::bigint, sys_id from docket.sys_role where name = 'keeper'`,
    )
  })

  test('who is no longer let in is told of nothing, and of all of it when they are again', async () => {
    await takeOver(keeper)
    await makeCompany('Queued')
    await queue()
    await run(sql`update docket."user" set active = false where sys_id = ${keeper}::bigint`)
    await makeCompany('Not queued')
    await work()
    expect(receiver.received).toEqual([])
    await run(sql`update docket."user" set active = true where sys_id = ${keeper}::bigint`)
    await work()
    expect(receiver.received.length).toBe(2)
  })
})
