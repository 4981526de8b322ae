import { isDeepStrictEqual } from 'node:util'
import { type Result, succeed } from '../kernel/result.ts'
import { type Display, recordRequest } from './parse/record-request.ts'
import type { RecordCall } from './record-call.ts'
import { type OneRecord, RecordJson, type RecordResult } from './record-result.ts'
import { recordOf } from './request-stages.ts'

type Read<E> = (call: RecordCall) => Promise<Result<RecordResult, E>>

/**
 * Checks the stored result of an earlier create against the current rights: a record that the caller may not read any more is 404, and fields that
 * they may not read any more are left out. Values of other records (fields of paths, display values) are what a read returns now: whether the
 * caller may still read those of the create is not known.
 *
 * @param kept what the first create returned; without a version the caller could not read the record then, and it contains
 *   nothing
 * @param read reads one record with the current rights
 */
export async function authorizeReplay<E>(
  { isReplay: _, ...kept }: OneRecord,
  { request, idempotency: _store, ...sender }: RecordCall,
  read: Read<E>,
): Promise<Result<RecordResult, E>> {
  if (kept.version === null) return succeed(kept)
  const { names, table, fields, view, display, links } = request
  const again = recordRequest({ operation: 'read', names, table, sysId: kept.sysId, fields, view, display, links })
  const now = await read({ ...sender, request: again })
  return now.ok ? succeed({ ...kept, records: asReadable(kept.records, recordOf(now) ?? {}, display) }) : now
}

type Row = Readonly<Record<string, unknown>>

function asReadable(kept: RecordJson, current: Row, display: Display): RecordJson {
  const record: Row = kept.rows()[0] ?? {}
  const isOwn = (name: string): boolean => display === 'value' && !name.includes('.')
  const names = Object.keys(record).filter((name) => name in current)
  const readable = Object.fromEntries(names.map((name) => [name, (isOwn(name) ? record : current)[name]]))
  // If nothing differs, keep the original text.
  return isDeepStrictEqual(readable, record) ? kept : new RecordJson(JSON.stringify([readable]))
}
