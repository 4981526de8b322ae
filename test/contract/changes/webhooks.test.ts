import { createHmac } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
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
  const response = await stage.send(as, 'POST /rest/v1/table/sys_webhook?sysparm_fields=sys_id', {
    body: { name: 'Test', url: `${receiver.url}/in`, ...more },
  })
  expect(response.status).toBe(200)
  hook = (response.body as { data: { sys_id: string }[] }).data[0]?.sys_id ?? ''
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
  const response = await stage.send('admin', `POST /rest/v1/webhooks/${id}/secret`)
  return (response.body as { data: { secret: string } }).data.secret
}
const eventOf = (delivery: { readonly text: string }) =>
  JSON.parse(delivery.text) as { id: string; operation: string; sys_id: string; changes: Record<string, unknown> }

test('a webhook is told of each change, signed, in the order of a record’s changes', async () => {
  const id = await makeHook('admin', { tables: [await idOf('company')] })
  const secret = await secretOf(id)
  const company = await makeCompany({ name: 'Told', city: 'Perm' })
  await patchCompany(company, { city: 'Ufa' })
  await patchCompany(company, { city: 'Omsk' })
  await stage.send('admin', `DELETE /rest/v1/table/company/${company}`)
  const received = await receiver.until((all) => all.length === 4)
  expect(received.map((delivery) => [delivery.path, eventOf(delivery).operation, eventOf(delivery).sys_id])).toEqual([
    ['/in', 'create', company],
    ['/in', 'update', company],
    ['/in', 'update', company],
    ['/in', 'delete', company],
  ])
  expect(received.slice(1, 3).map((delivery) => eventOf(delivery).changes)).toEqual([
    { city: { old_value: 'Perm', new_value: 'Ufa' } },
    { city: { old_value: 'Ufa', new_value: 'Omsk' } },
  ])
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  expect(key.length).toBe(32)
  for (const { headers, text } of received) {
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
  const [delivery] = await receiver.until((all) => all.length === 1)
  expect(eventOf(delivery ?? { text: '' }).changes).toEqual({ name: { old_value: 'Half seen', new_value: 'Seen' } })
})

test('only users who may write a webhook replace its secret and send its deliveries again', async () => {
  const id = await makeHook('admin')
  expect((await stage.send('reader', `POST /rest/v1/webhooks/${id}/secret`)).status).toBe(403)
  expect((await stage.send('worker', `POST /rest/v1/webhooks/${id}/secret`)).status).toBe(200)
  expect((await stage.send('admin', 'POST /rest/v1/webhooks/1/secret')).status).toBe(404)
  expect((await stage.send('admin', 'POST /rest/v1/webhook_deliveries/1/resend')).status).toBe(404)
  expect((await stage.send(null, `POST /rest/v1/webhooks/${id}/secret`)).status).toBe(401)
  const response = await stage.send('admin', `GET /rest/v1/table/sys_webhook/${id}`)
  expect(response.text).not.toContain('secret')
})

test('a delivery that has arrived is sent again on request', async () => {
  const id = await makeHook('admin', { tables: [await idOf('company')] })
  await makeCompany({ name: 'Twice' })
  await receiver.until((all) => all.length === 1)
  const query = `sysparm_query=webhook=${id}^state=delivered&sysparm_fields=sys_id`
  const delivered = async () =>
    (
      (await stage.send('admin', `GET /rest/v1/table/sys_webhook_delivery?${query}`)).body as {
        data: { sys_id: string }[]
      }
    ).data
  await expect.poll(delivered, { timeout: 60_000 }).toHaveLength(1)
  const [delivery] = await delivered()
  const again = await stage.send('worker', `POST /rest/v1/webhook_deliveries/${delivery?.sys_id}/resend`)
  expect([again.status, again.body]).toEqual([200, { status: 'OK', data: { state: 'pending' } }])
  const [first, second] = await receiver.until((all) => all.length === 2)
  expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
  expect((await stage.send('reader', `POST /rest/v1/webhook_deliveries/${delivery?.sys_id}/resend`)).status).toBe(403)
})
