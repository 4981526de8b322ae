import type { Problem } from '../kernel/problem.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'

/** The credentials of a request, not yet verified. */
export type Credentials =
  | { readonly kind: 'key'; readonly key: string }
  /** The key of a browser session. `isUse`: the request prolongs it. */
  | { readonly kind: 'cookie'; readonly key: string; readonly isUse: boolean }
  | { readonly kind: 'password'; readonly userName: string; readonly password: string }

/** Header values as received; undefined if missing. */
export interface CredentialHeaders {
  readonly authorization: string | undefined
  /** `X-API-Key`: another form of `Authorization: Bearer`. Ignored if there is an `Authorization`. */
  readonly apiKey: string | undefined
}

const scheme = /^([A-Za-z]+) +(\S+) *$/
const base64 = /^[A-Za-z0-9+/_-]+={0,2}$/
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Bearer and Basic (RFC 6750, RFC 7617 with UTF-8: a user name holds no colon, a password may). */
export function readCredentials(headers: CredentialHeaders): Result<Credentials, Problem> {
  if (headers.authorization === undefined || headers.authorization.trim() === '') return readApiKey(headers.apiKey)
  const [, name, value] = scheme.exec(headers.authorization) ?? []
  if (name === undefined || value === undefined) return malformed
  if (name.toLowerCase() === 'bearer') return succeed({ kind: 'key', key: value })
  if (name.toLowerCase() === 'basic') return readPair(value)
  return malformed
}

const malformed = fail<Problem>({ kind: 'unauthenticated', reason: 'malformed' })

function readApiKey(value: string | undefined): Result<Credentials, Problem> {
  const key = value?.trim() ?? ''
  return key === '' ? fail({ kind: 'unauthenticated', reason: 'missing' }) : succeed({ kind: 'key', key })
}

function readPair(encoded: string): Result<Credentials, Problem> {
  const text = base64.test(encoded) ? decode(Buffer.from(encoded, 'base64')) : undefined
  const colon = text?.indexOf(':') ?? -1
  if (text === undefined || colon < 0) return malformed
  return succeed({ kind: 'password', userName: text.slice(0, colon), password: text.slice(colon + 1) })
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return strictUtf8.decode(bytes)
  } catch {
    return undefined
  }
}
