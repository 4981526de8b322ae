import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { commitOrTakeBack } from '../database/take-back.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Problem } from '../kernel/problem.ts'
import { type Result, refuse, succeed } from '../kernel/result.ts'
import type { Answer, AnswerOnce, Asked } from './asked.ts'
import type { RecordRoom } from './record-room.ts'
import type { BoundRequest } from './run/bind-request.ts'
import type { PreparedPlan } from './run/prepare-plan.ts'
import { type IdentityChanged, type NumberTaken, runPlan } from './run/run-plan.ts'

/** Record spec, section 8. */
export const KEPT_MS = 24 * 60 * 60 * 1_000
export const MAX_KEY_CHARACTERS = 255

/** What answers a second create with the same Idempotency-Key. null: the request has no key. */
export function answerOnceFor(asked: Asked, clock: Clock): Result<AnswerOnce | null, Problem> {
  if (asked.once != null) return succeed(asked.once)
  return asked.operation === 'create' ? answerOnceOf(asked, [], clock) : succeed(null)
}

/** @param parts what the request stands for, beside table, parameters, body and rights */
export function answerOnceOf(
  asked: Asked,
  parts: readonly unknown[],
  clock: Clock,
): Result<AnswerOnce | null, Problem> {
  const key = asked.idempotencyKey ?? null
  if (key === null || key === '') return succeed(null)
  if (key.length > MAX_KEY_CHARACTERS) {
    return refuse({
      kind: 'bad-parameter',
      parameter: 'Idempotency-Key',
      found: `${key.length} characters`,
      expected: `at most ${MAX_KEY_CHARACTERS} characters`,
    })
  }
  const { userId } = asked.principal
  const request = fingerprintOf(asked, parts)
  const before = (ms: number): string => new Date(clock.nowMs() - ms).toISOString().replace('Z', '')
  return succeed({
    async claim(session) {
      // Whoever comes second while the first is at it waits here, for its answer or its end without one.
      const claimed = await session.rows(sql`
        insert into docket_system.answered_once as a (user_id, key, request, answered_at)
        values (${userId}::bigint, ${key}, ${request}, ${before(0)}::timestamp)
        on conflict (user_id, key) do update set request = excluded.request, answered_at = excluded.answered_at, headers = null, body = null
          where a.answered_at <= ${before(KEPT_MS)}::timestamp
        returning true`)
      if (claimed.length > 0) return null
      const [kept] = await session.rows<{ request: string; headers: Answer['headers']; body: string }>(sql`
        select request, headers, body from docket_system.answered_once where user_id = ${userId}::bigint and key = ${key}`)
      if (kept === undefined) throw new Error('an answer that was kept is gone')
      if (kept.request === request) {
        return succeed({ status: 200, headers: kept.headers, body: kept.body, isReplay: true })
      }
      return refuse({
        kind: 'invalid-value',
        field: 'Idempotency-Key',
        detail: 'another request had this key; each needs its own',
      })
    },
    async keep(session, answer) {
      await session.rows(sql`
        update docket_system.answered_once set headers = ${JSON.stringify(answer.headers)}::jsonb, body = ${answer.body}
        where user_id = ${userId}::bigint and key = ${key}`)
      // More than one request can add, so that the table holds no more than what came within the time.
      await session.rows(sql`
        delete from docket_system.answered_once a using (
          select user_id, key from docket_system.answered_once where answered_at <= ${before(KEPT_MS)}::timestamp
          order by answered_at limit 10 for update skip locked) as old
        where a.user_id = old.user_id and a.key = old.key`)
    },
  })
}

/** What was asked, and by which rights: a key that may do less must not be told what was answered to one that may do more. */
function fingerprintOf({ table, parameters, body, principal }: Asked, more: readonly unknown[]): string {
  const parts = [table, [...parameters].sort(), body, principal.roleKey, ...more]
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
}

interface Write {
  readonly prepared: PreparedPlan
  readonly bound: BoundRequest
  readonly room: RecordRoom
  readonly asked: Asked
  readonly once: AnswerOnce
  readonly render: (row: readonly unknown[]) => Result<Answer, Problem>
}

type Outcome = Result<Answer, Problem | IdentityChanged | NumberTaken> | null

/** Writes and keeps the answer, or gives the one that was kept. @returns null when the dictionary changed, as of runPlan */
export function writeOnce({ prepared, bound, room, asked, once, render }: Write): Promise<Outcome> {
  return commitOrTakeBack<Outcome>(room.database, async (session, takeBack) => {
    const earlier = await once.claim(session)
    if (earlier !== null) return takeBack(earlier)
    const row = await runPlan(prepared, bound, { room, asked, session })
    if (!row.ok) return takeBack(row)
    if (row.value === null) return takeBack(null)
    const answer = render(row.value)
    if (!answer.ok) return takeBack(answer)
    await once.keep(session, answer.value)
    return answer
  })
}
