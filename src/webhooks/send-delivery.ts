import { createHmac } from 'node:crypto'
import { request as requestSecure } from 'node:https'
import { request as requestPlain } from '../kernel/node-http.ts'
import { fail, type Result } from '../kernel/result.ts'
import { resolvePublicAddress } from './resolve-public-address.ts'

export interface Delivery {
  readonly url: string
  /** The same on each attempt: receivers recognise repeated deliveries by it. */
  readonly id: string
  readonly body: string
  readonly secret: Buffer
}

export interface SendOptions {
  /** Networks of the operator that may be reached. */
  readonly allowedNetworks: readonly string[]
  readonly nowMs: number
  readonly timeoutMs: number
}

/** Outcome of an attempt. A delivery has arrived if the receiver responds with 2xx. */
export interface Outcome {
  readonly status: number | null
  /** null: the delivery has arrived. */
  readonly error: string | null
}

/**
 * Makes one attempt, signed as standardwebhooks.com specifies: `webhook-signature: v1,` and the HMAC-SHA256 of id, timestamp and
 * body. Does not follow redirects, because they would bypass the address check.
 */
export async function sendDelivery(delivery: Delivery, options: SendOptions): Promise<Outcome> {
  const deadline = AbortSignal.timeout(options.timeoutMs)
  const reached = await Promise.race([resolvePublicAddress(delivery.url, options.allowedNetworks), tooLate(deadline)])
  if (!reached.ok) return { status: null, error: reached.error }
  const { url, address, family } = reached.value
  const timestamp = String(Math.floor(options.nowMs / 1_000))
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(delivery.body)),
    'user-agent': 'Docket',
    'webhook-id': delivery.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatureOf(delivery, timestamp),
  }
  return new Promise((resolve) => {
    const send = url.protocol === 'https:' ? requestSecure : requestPlain
    const request = send(url, {
      method: 'POST',
      headers,
      agent: false,
      signal: deadline,
      // Connects to the checked address, even if the name resolves to another one by now.
      lookup: (_host, requested, done) =>
        requested.all ? done(null, [{ address, family }]) : done(null, address, family),
    })
    // Runs also if the receiver wants to switch protocols (101), which is not a response.
    request.on('close', () => resolve({ status: null, error: 'the receiver closed the connection without a response' }))
    request.on('error', (error) => resolve({ status: null, error: error.message || 'the connection failed' }))
    request.on('response', (response) => {
      const status = response.statusCode ?? 0
      // The body of the response does not matter and may be long.
      response.on('error', () => undefined)
      response.destroy()
      resolve({ status, error: status >= 200 && status < 300 ? null : `the receiver responded with status ${status}` })
    })
    request.end(delivery.body)
  })
}

/** Ends the attempt on time even if the name server does not respond. */
function tooLate(deadline: AbortSignal): Promise<Result<never, string>> {
  return new Promise((resolve) => {
    deadline.addEventListener('abort', () => resolve(fail('no response in time')), { once: true })
  })
}

export function signatureOf({ id, body, secret }: Pick<Delivery, 'id' | 'body' | 'secret'>, timestamp: string): string {
  return `v1,${createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')}`
}

/** The secret in the format that receivers use. */
export const printSecret = (secret: Buffer): string => `whsec_${secret.toString('base64')}`
