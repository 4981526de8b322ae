import { parseExactJson } from '../kernel/exact-json.ts'
import { type Result, succeed } from '../kernel/result.ts'
import type { Answer, Asked } from './asked.ts'

type Read<E> = (asked: Asked) => Promise<Result<Answer, E>>

/**
 * Holds the kept response of an earlier create against the rights of now: a record that the caller can no longer read is
 * 404, and fields that they can no longer read are left out.
 *
 * @param kept what the first create returned; without an ETag the caller could not read the record then, and it holds nothing
 * @param read reads one record with the rights of now
 */
export async function authorizeReplay<E>(kept: Answer, asked: Asked, read: Read<E>): Promise<Result<Answer, E>> {
  const { location, etag } = kept.headers
  if (location === undefined || etag === undefined) return succeed(kept)
  const sysId = decodeURIComponent(location.slice(location.lastIndexOf('/') + 1))
  const { idempotencyKey: _key, once: _once, ...caller } = asked
  const now = await read({ ...caller, operation: 'read', sysId, body: undefined, ifMatch: null })
  return now.ok ? succeed({ ...kept, body: withoutHidden(kept.body, now.value.body) }) : now
}

function withoutHidden(kept: string, now: string): string {
  const visible = recordOf(now)
  const record = recordOf(kept)
  const fields = Object.entries(record).filter(([name]) => name in visible)
  // The text as it was where nothing is hidden: numbers of any size survive.
  return fields.length === Object.keys(record).length
    ? kept
    : JSON.stringify({ status: 'OK', data: [Object.fromEntries(fields)] })
}

const recordOf = (body: string): Readonly<Record<string, unknown>> =>
  (parseExactJson(body) as { readonly data: readonly Readonly<Record<string, unknown>>[] }).data[0] ?? {}
