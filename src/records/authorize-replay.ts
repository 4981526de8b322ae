import { type Result, succeed } from '../kernel/result.ts'
import { recordRequest } from './parse/record-request.ts'
import type { RecordCall } from './record-call.ts'
import { type OneRecord, RecordJson, type RecordResult } from './record-result.ts'
import { recordOf } from './request-stages.ts'

type Read<E> = (call: RecordCall) => Promise<Result<RecordResult, E>>

/**
 * Checks the stored result of an earlier create against the current rights: a record that the caller can no longer read is 404,
 * and fields that they can no longer read are left out.
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
  return now.ok ? succeed({ ...kept, records: withoutHidden(kept.records, recordOf(now) ?? {}) }) : now
}

function withoutHidden(kept: RecordJson, visible: Readonly<Record<string, unknown>>): RecordJson {
  const record = kept.rows()[0] ?? {}
  const fields = Object.entries(record).filter(([name]) => name in visible)
  // If nothing is hidden, keep the original text.
  return fields.length === Object.keys(record).length
    ? kept
    : new RecordJson(JSON.stringify([Object.fromEntries(fields)]))
}
