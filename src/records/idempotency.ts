import { createHash } from 'node:crypto'
import { commitOrRollback } from '../database/commit-or-rollback.ts'
import type { Session } from '../database/database.ts'
import type { Principal } from '../identity/principal.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Problem } from '../kernel/problem.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'
import { sql } from '../kernel/sql.ts'
import type { RecordRequest } from './parse/record-request.ts'
import type { IdempotencyStore, RecordCall } from './record-call.ts'
import type { RecordDeps } from './record-deps.ts'
import { RecordJson, type RecordResult } from './record-result.ts'
import type { CallOutcome } from './request-stages.ts'

/** docs/spec/records.md, section 8. */
export const KEPT_MS = 24 * 60 * 60 * 1_000
export const MAX_KEY_CHARACTERS = 255

/** A result in the format of `docket_system.answered_once`. */
export interface StoredResult {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The parts of a request that matter for its idempotency key. */
export interface KeyedRequest {
  readonly principal: Principal
  readonly request: Pick<RecordRequest, 'idempotency' | 'table'>
}

/** How results of one kind are stored. */
export interface StoredForm<T> {
  /** Further parts of the request: with the same key, a request that differs in them is rejected. */
  readonly parts?: readonly unknown[]
  write(result: T): StoredResult
  read(stored: StoredResult): T
}

/** The store of a create; null: the request has no key, or is not a create. */
export function idempotencyOfCreate(
  call: RecordCall,
  clock: Clock,
): Result<IdempotencyStore<RecordResult> | null, Problem> {
  if (call.idempotency != null) return succeed(call.idempotency)
  return call.request.operation === 'create' ? idempotencyStore(call, STORED_RECORD, clock) : succeed(null)
}

const STORED_RECORD: StoredForm<RecordResult> = {
  write(result) {
    if (result.kind !== 'record') throw new Error('only created records are kept')
    const { table, sysId, version, ignoresView, records } = result
    const headers = { table, sys_id: sysId, ...(version === null ? {} : { version }) }
    return { headers: { ...headers, ...(ignoresView ? { ignores_view: 'true' } : {}) }, body: records.text }
  },
  read: ({ headers, body }) => ({
    kind: 'record',
    table: headers['table'] ?? '',
    sysId: headers['sys_id'] ?? '',
    version: headers['version'] ?? null,
    ignoresView: headers['ignores_view'] === 'true',
    records: new RecordJson(body),
    isReplay: true,
  }),
}

/** @returns null: the request has no key */
export function idempotencyStore<T>(
  { request: { idempotency, table }, principal }: KeyedRequest,
  form: StoredForm<T>,
  clock: Clock,
): Result<IdempotencyStore<T> | null, Problem> {
  if (idempotency === null) return succeed(null)
  const { key, parts } = idempotency
  if (key.length > MAX_KEY_CHARACTERS) {
    return fail({
      kind: 'bad-parameter',
      parameter: 'Idempotency-Key',
      found: `${key.length} characters`,
      expected: `at most ${MAX_KEY_CHARACTERS} characters`,
    })
  }
  const { userId, roleKey } = principal
  // Includes the roles: an API key with fewer roles must not receive the result of a key with more.
  const request = createHash('sha256')
    .update(JSON.stringify([table, ...parts, roleKey, ...(form.parts ?? [])]))
    .digest('base64url')
  const before = (ms: number): string => new Date(clock.nowMs() - ms).toISOString().replace('Z', '')
  return succeed({
    async claim(session) {
      // A repeated request waits here while the first one runs.
      const claimed = await session.rows(sql`
        insert into docket_system.answered_once as a (user_id, key, request, answered_at)
        values (${userId}::bigint, ${key}, ${request}, ${before(0)}::timestamp)
        on conflict (user_id, key) do update set request = excluded.request, answered_at = excluded.answered_at, headers = null, body = null
          where a.answered_at <= ${before(KEPT_MS)}::timestamp
        returning true`)
      if (claimed.length > 0) return null
      const [kept] = await session.rows<StoredResult & { readonly request: string }>(sql`
        select request, headers, body from docket_system.answered_once where user_id = ${userId}::bigint and key = ${key}`)
      if (kept === undefined) throw new Error('the result of an idempotent request is gone')
      if (kept.request === request) return succeed(form.read(kept))
      return fail({
        kind: 'invalid-value',
        field: 'Idempotency-Key',
        detail: 'another request had this key; each needs its own',
      })
    },
    async keep(session, result) {
      const { headers, body } = form.write(result)
      await session.rows(sql`
        update docket_system.answered_once set headers = ${JSON.stringify(headers)}::jsonb, body = ${body}
        where user_id = ${userId}::bigint and key = ${key}`)
      // A request adds one row and deletes up to ten expired ones, so expired rows do not accumulate.
      await session.rows(sql`
        delete from docket_system.answered_once a using (
          select user_id, key from docket_system.answered_once where answered_at <= ${before(KEPT_MS)}::timestamp
          order by answered_at limit 10 for update skip locked) as old
        where a.user_id = old.user_id and a.key = old.key`)
    },
  })
}

/** Writes and stores the result, or returns the stored one. */
export function writeOnce(
  { database }: Pick<RecordDeps, 'database'>,
  store: IdempotencyStore<RecordResult>,
  write: (session: Session) => Promise<CallOutcome>,
): Promise<CallOutcome> {
  return commitOrRollback<CallOutcome>(database, async (session, rollback) => {
    const earlier = await store.claim(session)
    if (earlier !== null) return rollback(earlier)
    const written = await write(session)
    if (!written?.ok) return rollback(written)
    await store.keep(session, written.value)
    return written
  })
}
