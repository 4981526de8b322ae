import { createHmac } from 'node:crypto'
import { connect, type Docket } from 'docket-client'
import { type ReceivedWebhook, verifyWebhook, WebhookError } from 'docket-client/webhooks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { admin } from '../../harness/fresh-database.ts'
import { type RunningDocket, startDocket } from '../../harness/start-docket.ts'
import { type WebhookReceiver, webhookReceiver } from '../../harness/webhook-receiver.ts'

let running: RunningDocket
let receiver: WebhookReceiver
let docket: Docket
beforeAll(async () => {
  receiver = await webhookReceiver()
  running = await startDocket({ environment: { DOCKET_WEBHOOK_NETWORKS: '127.0.0.0/8' } })
  docket = connect({ url: running.baseUrl, login: { username: admin.user, password: admin.password } })
})
afterAll(async () => {
  await running.close()
  await receiver.close()
})

test('a delivery of the server is verified, and is the change', async () => {
  const values = { name: 'verified', url: `${receiver.url}/hook`, active: true }
  const { row } = await docket.table('sys_webhook').create(values, { fields: ['sys_id'] })
  const path = `/rest/v1/webhooks/${row['sys_id']}/secret`
  const { secret } = await docket.request<{ secret: string }>({ method: 'POST', path })
  const task = await docket.table('task').create({ subject: 'Sent to a webhook' }, { fields: ['sys_id'] })
  const isOfTask = ({ text }: { readonly text: string }): boolean => text.includes('Sent to a webhook')
  const letter = (await receiver.until((letters) => letters.some(isOfTask))).find(isOfTask)
  const received = { headers: letter?.headers ?? {}, body: letter?.text ?? '' }
  expect(await verifyWebhook(received, secret)).toMatchObject({
    id: letter?.headers['webhook-id'],
    operation: 'create',
    table: 'task',
    sys_id: task.row['sys_id'],
    changes: { subject: { old_value: null, new_value: 'Sent to a webhook' } },
  })
  const changed = { ...received, body: received.body.replace('Sent', 'Bent') }
  await expect(verifyWebhook(changed, secret)).rejects.toMatchObject({ reason: 'wrong-signature' })
})

describe('a webhook', () => {
  const bytes = Buffer.alloc(32, 7)
  const secret = `whsec_${bytes.toString('base64')}`
  const nowMs = Date.UTC(2026, 0, 31)
  const body = '{"id":"1","table":"task"}'
  const sign = (text: string, seconds: number, id = '1'): string =>
    `v1,${createHmac('sha256', bytes).update(`${id}.${seconds}.${text}`).digest('base64')}`
  const at = (seconds: number, more: ReceivedWebhook['headers'] = {}): ReceivedWebhook => ({
    body,
    headers: {
      'webhook-id': '1',
      'Webhook-Timestamp': String(seconds),
      'webhook-signature': sign(body, seconds),
      ...more,
    },
  })
  const now = nowMs / 1_000
  const reasonOf = (received: ReceivedWebhook, given: string | string[] = secret): Promise<unknown> =>
    verifyWebhook(received, given, { nowMs }).then(
      (change) => change,
      (error: unknown) => (error instanceof WebhookError ? error.reason : error),
    )
  const change = { id: '1', table: 'task' }

  test.each([
    ['as it was sent', at(now), change],
    ['of five minutes ago', at(now - 300), change],
    ['of five minutes ahead', at(now + 300), change],
    ['that is older', at(now - 301), 'too-old'],
    ['that is further ahead', at(now + 301), 'too-new'],
    ['with another body', { ...at(now), body: `${body} ` }, 'wrong-signature'],
    ['with another id', at(now, { 'webhook-id': '2' }), 'wrong-signature'],
    ['with a time that is none', at(now, { 'Webhook-Timestamp': 'now' }), 'bad-timestamp'],
    ['without an id', at(now, { 'webhook-id': undefined }), 'missing-header'],
    ['without a signature', at(now, { 'webhook-signature': '' }), 'missing-header'],
    ['with a signature that is no Base64', at(now, { 'webhook-signature': 'v1,%%%' }), 'wrong-signature'],
    ['with a signature that is cut', at(now, { 'webhook-signature': sign(body, now).slice(0, 20) }), 'wrong-signature'],
    ['with an empty signature', at(now, { 'webhook-signature': 'v1,' }), 'wrong-signature'],
    [
      'of another version of signatures',
      at(now, { 'webhook-signature': sign(body, now).replace('v1', 'v1a') }),
      'wrong-signature',
    ],
    ['with several signatures', at(now, { 'webhook-signature': `v1a,xx v1,AAAA ${sign(body, now)}` }), change],
    [
      'that is signed, and no JSON',
      { body: 'x', headers: { ...at(now).headers, 'webhook-signature': sign('x', now) } },
      'bad-body',
    ],
  ])('%s', async (_name, received, expected) => {
    expect(await reasonOf(received as ReceivedWebhook)).toEqual(expected)
  })

  test('as a Request, as bytes, and with two secrets while one is replaced', async () => {
    const { headers } = at(now)
    const sent = Object.entries(headers as Record<string, string>)
    const request = new Request('http://localhost/hook', { method: 'POST', body, headers: sent })
    expect(await verifyWebhook(request, secret, { nowMs })).toEqual(change)
    expect(await reasonOf({ headers: new Headers(sent), body: new TextEncoder().encode(body) })).toEqual(change)
    // Those of another realm are instances of other classes.
    const foreign = { get: (name: string) => new Headers(sent).get(name) } as unknown as Headers
    expect(await reasonOf({ headers: foreign, body })).toEqual(change)
    const arrayBuffer = async (): Promise<ArrayBuffer> => new TextEncoder().encode(body).buffer
    expect(await verifyWebhook({ headers: foreign, arrayBuffer } as Request, secret, { nowMs })).toEqual(change)
    const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
    expect(await reasonOf(at(now), [other, secret])).toEqual(change)
    expect(await reasonOf(at(now), other)).toBe('wrong-signature')
  })

  test('a secret that is none is a fault of the program', async () => {
    for (const wrong of ['', 'whsec_', 'whsec_%', 'short'])
      await expect(verifyWebhook(at(now), wrong, { nowMs })).rejects.toThrow(TypeError)
  })
})
