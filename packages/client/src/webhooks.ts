/** For receivers of webhooks. An entry of its own, without the rest of the client. */
import type { Change } from './events.ts'

export type { Change } from './events.ts'

export interface VerifyOptions {
  /** How far the clocks of both machines may differ; default 300 seconds. */
  readonly toleranceSeconds?: number | undefined
  readonly nowMs?: number | undefined
}

/** A request as servers of any framework have it. The body as it came: JSON that was parsed and printed again has other bytes. */
export interface ReceivedWebhook {
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: string | Uint8Array<ArrayBuffer>
}

type Reason = 'missing-header' | 'bad-timestamp' | 'too-old' | 'too-new' | 'wrong-signature' | 'bad-body'

/** The request did not come from Docket, or not as it was sent: respond with 400 and do nothing. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError'
  readonly reason: Reason
  constructor(reason: Reason, message: string) {
    super(message)
    this.reason = reason
  }
}

/**
 * Verifies the signature of a webhook (standardwebhooks.com) in constant time, and its age. Works wherever WebCrypto is: browsers over
 * TLS, Bun, Deno, Node.
 *
 * @param secret as `POST /rest/v1/webhooks/{sys_id}/secret` gives it; several while a secret is replaced
 * @returns the change. `change.id` is the same in every attempt: use it to recognise repeated deliveries
 * @throws WebhookError when the request is not to be trusted
 * @throws TypeError when a secret is none
 */
export async function verifyWebhook(
  received: Request | ReceivedWebhook,
  secret: string | readonly string[],
  options: VerifyOptions = {},
): Promise<Change> {
  const keys = await Promise.all([secret].flat().map(importSecret))
  const id = headerOf(received, 'webhook-id')
  const timestamp = headerOf(received, 'webhook-timestamp')
  const signatures = headerOf(received, 'webhook-signature')
  verifyAge(timestamp, options)
  const body = await bodyOf(received)
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), body)
  const results = await Promise.all(
    signaturesOf(signatures).flatMap((each) => keys.map((key) => verify(key, each, signed))),
  )
  if (!results.includes(true))
    throw new WebhookError(
      'wrong-signature',
      'The signature fits neither the body nor the secret: pass the body as it came, and the secret of this webhook.',
    )
  return parse(body)
}

/** The types of Node do not name it. */
type Key = Awaited<ReturnType<(typeof crypto.subtle)['importKey']>>

/** 24 to 64 bytes in Base64. */
async function importSecret(secret: string): Promise<Key> {
  const bytes = fromBase64(secret.replace(/^whsec_/, ''))
  if (bytes === null || bytes.length < 16)
    throw new TypeError('The secret is not one of a webhook: expected whsec_ and Base64, as Docket gives it.')
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

function headerOf({ headers }: Request | ReceivedWebhook, name: string): string {
  const value = isHeaders(headers) ? headers.get(name) : valueIn(headers, name)
  if (typeof value === 'string' && value !== '') return value
  throw new WebhookError('missing-header', `The header ${name} is missing: the request is no webhook of Docket.`)
}

/** Those of another realm, or of another implementation of fetch, are no `instanceof Headers`. */
const isHeaders = (headers: ReceivedWebhook['headers']): headers is Headers =>
  typeof (headers as { readonly get?: unknown }).get === 'function'

const valueIn = (headers: Exclude<ReceivedWebhook['headers'], Headers>, name: string): unknown =>
  Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1]

function verifyAge(timestamp: string, { toleranceSeconds = 300, nowMs = Date.now() }: VerifyOptions): void {
  if (!/^\d{1,12}$/.test(timestamp))
    throw new WebhookError('bad-timestamp', 'The header webhook-timestamp is no number of seconds.')
  const ageSeconds = nowMs / 1_000 - Number(timestamp)
  const advice = 'compare the clocks of both machines, or raise toleranceSeconds'
  if (ageSeconds > toleranceSeconds)
    throw new WebhookError('too-old', `The webhook was sent ${Math.round(ageSeconds)} seconds ago: ${advice}.`)
  if (-ageSeconds > toleranceSeconds)
    throw new WebhookError(
      'too-new',
      `The webhook is ${Math.round(-ageSeconds)} seconds ahead of this clock: ${advice}.`,
    )
}

/** The header may hold several, of which those of other versions are skipped. */
function signaturesOf(header: string): readonly Uint8Array<ArrayBuffer>[] {
  return header.split(' ').flatMap((each) => (each.startsWith('v1,') ? (fromBase64(each.slice(3)) ?? []) : []))
}

/** WebCrypto compares in constant time. */
const verify = (key: Key, signature: Uint8Array<ArrayBuffer>, signed: Uint8Array<ArrayBuffer>): Promise<boolean> =>
  crypto.subtle.verify('HMAC', key, signature, signed)

async function bodyOf(received: Request | ReceivedWebhook): Promise<Uint8Array<ArrayBuffer>> {
  if ('arrayBuffer' in received) return new Uint8Array(await received.arrayBuffer())
  return typeof received.body === 'string' ? new TextEncoder().encode(received.body) : received.body
}

function parse(body: Uint8Array<ArrayBuffer>): Change {
  try {
    return JSON.parse(new TextDecoder().decode(body)) as Change
  } catch {
    throw new WebhookError('bad-body', 'The body is signed, and is no JSON.')
  }
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(one.length + other.length)
  both.set(one)
  both.set(other, one.length)
  return both
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return null
  }
}
