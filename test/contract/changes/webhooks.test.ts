import { createHmac } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { makeRecordRoom } from '../../../src/records/record-room.ts'
import { deliverDue } from '../../../src/webhooks/deliver.ts'
import { activeWebhooks, queueDeliveries } from '../../../src/webhooks/queue-deliveries.ts'
import { type WebhookReceiver, webhookReceiver } from '../../harness/webhook-receiver.ts'
import { nowMs, type Stage, setStage } from '../records/fixture.ts'

let stage: Stage
let receiver: WebhookReceiver
let hook = ''
beforeAll(async () => {
  stage = await setStage(
    [
      sql`insert into docket.sys_security_acl (operation, table_name, roles, admin_overrides)
          select o, t, array[(select sys_id::text from docket.sys_role where name = 'itil')], true
          from unnest(array['read', 'create', 'write']) as o, unnest(array['sys_webhook', 'sys_webhook_delivery']) as t`,
      sql`insert into docket.sys_security_acl (operation, table_name, column_name, roles, admin_overrides)
          select 'read', 'company', 'city', array[(select sys_id::text from docket.sys_role where name = 'security_admin')], true`,
    ],
    { environment: { DOCKET_WEBHOOK_NETWORKS: '127.0.0.1' } },
  )
})
beforeEach(async () => {
  receiver = await webhookReceiver()
})
afterEach(async () => {
  await stage.send('admin', `DELETE /rest/v1/table/sys_webhook/${hook}`)
  await receiver.close()
})
afterAll(() => stage.close())

async function makeHook(as: 'admin' | 'worker', more: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const answer = await stage.send(as, 'POST /rest/v1/table/sys_webhook?sysparm_fields=sys_id', {
    body: { name: 'Test', url: `${receiver.url}/in`, ...more },
  })
  expect(answer.status).toBe(200)
  hook = (answer.body as { data: { sys_id: string }[] }).data[0]?.sys_id ?? ''
  return hook
}
async function makeCompany(body: Readonly<Record<string, unknown>>): Promise<string> {
  const made = await stage.send('admin', 'POST /rest/v1/table/company', { body })
  return (made.body as { data: { sys_id: string }[] }).data[0]?.sys_id ?? ''
}
const patchCompany = (id: string, body: Readonly<Record<string, unknown>>) =>
  stage.send('admin', `PATCH /rest/v1/table/company/${id}`, { body })
const idOf = async (table: string) =>
  (
    (await stage.run(sql`select sys_id::text as id from docket.sys_db_table where name = ${table}`))[0] as {
      id: string
    }
  ).id
const secretOf = async (id: string) => {
  const answer = await stage.send('admin', `POST /rest/v1/webhooks/${id}/secret`)
  return (answer.body as { data: { secret: string } }).data.secret
}
const eventOf = (letter: { readonly text: string }) =>
  JSON.parse(letter.text) as { id: string; operation: string; sys_id: string; changes: Record<string, unknown> }

test('a webhook is told of each change, signed, in the order of a record’s changes', async () => {
  const id = await makeHook('admin', { tables: [await idOf('company')] })
  const secret = await secretOf(id)
  const company = await makeCompany({ name: 'Told', city: 'Perm' })
  await patchCompany(company, { city: 'Ufa' })
  await patchCompany(company, { city: 'Omsk' })
  await stage.send('admin', `DELETE /rest/v1/table/company/${company}`)
  const letters = await receiver.until((all) => all.length === 4)
  expect(letters.map((letter) => [letter.path, eventOf(letter).operation, eventOf(letter).sys_id])).toEqual([
    ['/in', 'create', company],
    ['/in', 'update', company],
    ['/in', 'update', company],
    ['/in', 'delete', company],
  ])
  expect(letters.slice(1, 3).map((letter) => eventOf(letter).changes)).toEqual([
    { city: { old_value: 'Perm', new_value: 'Ufa' } },
    { city: { old_value: 'Ufa', new_value: 'Omsk' } },
  ])
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  expect(key.length).toBe(32)
  for (const { headers, text } of letters) {
    expect(headers['webhook-id']).toBe(eventOf({ text }).id)
    expect(headers['webhook-timestamp']).toBe(String(nowMs / 1_000))
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`
    expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
  }
})

test('a webhook is told what whoever wrote it may read', async () => {
  await makeHook('worker', { operations: ['update'] })
  const company = await makeCompany({ name: 'Half seen', city: 'Perm' })
  await patchCompany(company, { city: 'Ufa' })
  await patchCompany(company, { name: 'Seen', city: 'Omsk' })
  const [letter] = await receiver.until((all) => all.length === 1)
  expect(eventOf(letter ?? { text: '' }).changes).toEqual({ name: { old_value: 'Half seen', new_value: 'Seen' } })
})

test('its secret and its letters are for whoever may write it', async () => {
  const id = await makeHook('admin')
  expect((await stage.send('reader', `POST /rest/v1/webhooks/${id}/secret`)).status).toBe(403)
  expect((await stage.send('worker', `POST /rest/v1/webhooks/${id}/secret`)).status).toBe(200)
  expect((await stage.send('admin', 'POST /rest/v1/webhooks/1/secret')).status).toBe(404)
  expect((await stage.send('admin', 'POST /rest/v1/webhook_deliveries/1/resend')).status).toBe(404)
  expect((await stage.send(null, `POST /rest/v1/webhooks/${id}/secret`)).status).toBe(401)
  const answer = await stage.send('admin', `GET /rest/v1/table/sys_webhook/${id}`)
  expect(answer.text).not.toContain('secret')
})

describe('letters that do not arrive:', () => {
  /** The work of a process, by hand and by its own clock, so that no test waits for an hour; the server itself finds nothing active. */
  let atMs = nowMs
  const clock = { nowMs: () => atMs }
  const work = async (allowedNetworks: readonly string[] = ['127.0.0.1']): Promise<void> => {
    await stage.run(sql`update docket.sys_webhook set active = true where sys_id = ${hook}::bigint`)
    const { database } = stage.docket
    const room = makeRecordRoom({ database, clock })
    for (const each of await activeWebhooks(room)) await queueDeliveries(room, each)
    while ((await deliverDue({ database, clock, allowedNetworks })) > 0);
    await stage.run(sql`update docket.sys_webhook set active = false where sys_id = ${hook}::bigint`)
  }
  const deliveries = async () =>
    (
      await stage.run(sql`select state, attempts, response_status, error, record_id::text as record,
        extract(epoch from next_attempt_at - ${new Date(atMs).toISOString().slice(0, 19)}::timestamp)::integer as wait
        from docket.sys_webhook_delivery where webhook = ${hook}::bigint order by event_id`)
    ).map((row) => row as Record<string, unknown>)

  beforeEach(async () => {
    atMs = nowMs
    await makeHook('admin', { active: false, tables: [await idOf('company')] })
  })

  test('they are tried again, later each time, and what follows of their record waits for them', async () => {
    receiver.answer(500)
    const [one, two] = [await makeCompany({ name: 'One' }), await makeCompany({ name: 'Two' })]
    await patchCompany(one, { name: 'One again' })
    await work()
    expect(await deliveries()).toEqual([
      { state: 'pending', attempts: 1, response_status: 500, error: 'the receiver answered 500', record: one, wait: 5 },
      { state: 'pending', attempts: 1, response_status: 500, error: 'the receiver answered 500', record: two, wait: 5 },
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

  test('after two days they are given up, are seen as dead letters, and can be sent again', async () => {
    receiver.answer(503)
    await makeCompany({ name: 'Unlucky' })
    for (let attempt = 0; attempt < 20; attempt += 1) {
      await work()
      atMs += 86_400_000
    }
    const seen = await stage.send(
      'admin',
      `GET /rest/v1/table/sys_webhook_delivery?sysparm_query=webhook=${hook}^state=dead&sysparm_fields=sys_id,attempts,response_status,error`,
    )
    const [dead, ...others] = (seen.body as { data: { sys_id: string }[] }).data
    expect([dead, others]).toEqual([
      { sys_id: expect.any(String), attempts: 11, response_status: 503, error: 'the receiver answered 503' },
      [],
    ])
    receiver.answer(200)
    const again = await stage.send('admin', `POST /rest/v1/webhook_deliveries/${dead?.sys_id}/resend`)
    expect([again.status, again.body]).toEqual([200, { status: 'OK', data: { state: 'pending' } }])
    await work()
    expect((await deliveries()).map(({ state, attempts }) => [state, attempts])).toEqual([['delivered', 1]])
  })

  test('nobody follows a redirect, and nobody connects to a private network that was not opened', async () => {
    receiver.answer(302, { location: `${receiver.url}/elsewhere` })
    await makeCompany({ name: 'Led astray' })
    await work()
    expect((await deliveries())[0]).toMatchObject({ state: 'pending', error: 'the receiver answered 302' })
    expect(receiver.letters.map(({ path }) => path)).toEqual(['/in'])
    atMs += 5_000
    await work([])
    expect((await deliveries())[0]).toMatchObject({
      response_status: null,
      error: '127.0.0.1 is an address of a private network (setting DOCKET_WEBHOOK_NETWORKS)',
    })
    expect(receiver.letters.length).toBe(1)
  })

  test('one whose sender died is sent when its lease is over, and not before', async () => {
    await makeCompany({ name: 'Interrupted' })
    const room = makeRecordRoom({ database: stage.docket.database, clock })
    await stage.run(sql`update docket.sys_webhook set active = true where sys_id = ${hook}::bigint`)
    for (const each of await activeWebhooks(room)) await queueDeliveries(room, each)
    await stage.run(sql`update docket.sys_webhook set active = false where sys_id = ${hook}::bigint`)
    await stage.run(sql`update docket.sys_webhook_delivery set attempts = 1,
      leased_until = ${new Date(nowMs + 20_000).toISOString().slice(0, 19)}::timestamp where webhook = ${hook}::bigint`)
    await work()
    expect(receiver.letters.length).toBe(0)
    atMs += 21_000
    await work()
    expect((await deliveries()).map(({ state, attempts }) => [state, attempts])).toEqual([['delivered', 2]])
  })
})
