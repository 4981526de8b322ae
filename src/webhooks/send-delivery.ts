import { createHmac } from 'node:crypto'
import { request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'
import { fail, type Result } from '../kernel/result.ts'
import { resolvePublicAddress } from './resolve-public-address.ts'

export interface Letter {
  readonly url: string
  /** The same on each attempt: receivers tell by it what they have had. */
  readonly id: string
  readonly body: string
  readonly secret: Buffer
}

export interface SendOptions {
  /** Networks of the operator's own that may be reached. */
  readonly allowedNetworks: readonly string[]
  readonly nowMs: number
  readonly timeoutMs: number
}

/** How an attempt ended; it has arrived when the response of the receiver is 2xx. */
export interface Outcome {
  readonly status: number | null
  /** null: it has arrived. */
  readonly error: string | null
}

/**
 * One attempt, signed as standardwebhooks.com says: `webhook-signature: v1,` and the HMAC-SHA256 of id, timestamp and body. No
 * redirect is followed: it would lead past the look at the address.
 */
export async function sendDelivery(letter: Letter, options: SendOptions): Promise<Outcome> {
  const deadline = AbortSignal.timeout(options.timeoutMs)
  const reached = await Promise.race([resolvePublicAddress(letter.url, options.allowedNetworks), tooLate(deadline)])
  if (!reached.ok) return { status: null, error: reached.error }
  const { url, address, family } = reached.value
  const timestamp = String(Math.floor(options.nowMs / 1_000))
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(letter.body)),
    'user-agent': 'Docket',
    'webhook-id': letter.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatureOf(letter, timestamp),
  }
  return new Promise((resolve) => {
    const send = url.protocol === 'https:' ? requestSecure : requestPlain
    const request = send(url, {
      method: 'POST',
      headers,
      agent: false,
      signal: deadline,
      // Pinned: connects to the checked address, whatever the name resolves to by now.
      lookup: (_host, requested, done) =>
        requested.all ? done(null, [{ address, family }]) : done(null, address, family),
    })
    // Also if the receiver wants to switch protocols (101), which is no response.
    request.on('close', () => resolve({ status: null, error: 'the receiver closed the connection without an answer' }))
    request.on('error', (error) => resolve({ status: null, error: error.message || 'the connection failed' }))
    request.on('response', (response) => {
      const status = response.statusCode ?? 0
      // What it says does not matter, and may be long.
      response.on('error', () => undefined)
      response.destroy()
      resolve({ status, error: status >= 200 && status < 300 ? null : `the receiver answered ${status}` })
    })
    request.end(letter.body)
  })
}

/** A name server that keeps silent, too, takes no longer than an attempt may. */
function tooLate(deadline: AbortSignal): Promise<Result<never, string>> {
  return new Promise((resolve) => {
    deadline.addEventListener('abort', () => resolve(fail('no answer in time')), { once: true })
  })
}

export function signatureOf({ id, body, secret }: Pick<Letter, 'id' | 'body' | 'secret'>, timestamp: string): string {
  return `v1,${createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')}`
}

/** As it is sent to receivers. */
export const printSecret = (secret: Buffer): string => `whsec_${secret.toString('base64')}`
