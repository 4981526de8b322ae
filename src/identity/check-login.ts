import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database, PreparedStatement } from '../database/database.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Problem } from '../kernel/problem.ts'
import { type Result, refuse, succeed } from '../kernel/result.ts'
import { type FailedLogins, failureWindowMs, refusedForMs, slowedByMs } from './login-brake.ts'
import { networkOfAddress } from './network-of-address.ts'
import { preparePasswords, verifyPassword } from './passwords.ts'
import { takeTurns } from './take-turns.ts'

export interface LoginClaim {
  readonly userName: string
  readonly password: string
  /** Of the connection, as the server saw it; never from a header that anybody can write. */
  readonly address: string
}

/** A user whose password was right a moment ago. */
export interface VerifiedUser {
  readonly userId: string
  /** As stored, in its own case. */
  readonly userName: string
  /** At the time of the check: what is made from this is void once it has risen. */
  readonly generation: string
}

/**
 * Looks whether a password is right. Failures are counted, slowed, and in the end refused for a while, by user name and by
 * address together and alone (login-brake.ts); all processes count together.
 */
export type CheckLogin = (claim: LoginClaim) => Promise<Result<VerifiedUser, Problem>>

export interface LoginCheckOptions {
  readonly database: Database
  readonly clock: Clock
  /** Tests do not wait. */
  readonly pause?: (ms: number) => Promise<unknown>
}

const hashesAtOnce = 2
const claimsWaiting = 200

export function loginCheck({ database, clock, pause = delay }: LoginCheckOptions): CheckLogin {
  const inTurn = takeTurns({ atOnce: hashesAtOnce, waiting: claimsWaiting })

  /** @param waitedMs how long the caller was slowed already */
  async function checkOnce(claim: LoginClaim, waitedMs: number): Promise<Result<VerifiedUser, Problem> | SlowDown> {
    // Counts are read when the turn has come: a thousand attempts sent at once are not all let through by one count of nine.
    const { failed, user } = await findClaimed(database, claim, clock.nowMs())
    const refusedMs = refusedForMs(failed, clock.nowMs())
    if (refusedMs > 0) return refuse({ kind: 'too-many-attempts', retryAfterSeconds: Math.ceil(refusedMs / 1_000) })
    const slowMs = slowedByMs(failed) - waitedMs
    if (slowMs > 0) return { slowMs }
    const isRight = await verifyPassword(user?.password ?? null, claim.password)
    if (!isRight || user?.isActive !== true) {
      await countFailure(database, claim, clock.nowMs())
      return refuse({ kind: 'unauthenticated', reason: 'wrong' })
    }
    if (failed.pair.failures > 0) await forgetFailures(database, claim)
    return succeed({ userId: user.id, userName: user.name, generation: user.generation })
  }

  return async (asked) => {
    const claim = { ...asked, userName: possibleName(asked.userName), address: networkOfAddress(asked.address) }
    await preparePasswords()
    for (let waitedMs = 0; ; ) {
      const outcome = await inTurn(() => checkOnce(claim, waitedMs))
      if (outcome === undefined) return tooManyWaiting
      if (!('slowMs' in outcome)) return outcome
      await pause(outcome.slowMs)
      waitedMs += outcome.slowMs
    }
  }
}

interface SlowDown {
  readonly slowMs: number
}

const tooManyWaiting = refuse<Problem>({
  kind: 'unavailable',
  detail: 'too many logins are waiting',
  retryAfterSeconds: 2,
})

/** PostgreSQL has no text with a zero character, and no user has a name of this length: '' is nobody's name. */
const possibleName = (userName: string): string => (userName.includes('\0') || userName.length > 400 ? '' : userName)

interface ClaimedUser {
  readonly id: string
  readonly name: string
  readonly password: string | null
  readonly isActive: boolean
  readonly generation: string
}

const CLAIMED_USER: PreparedStatement = {
  name: 'find-claimed-user',
  text: `
  select u.sys_id, u.user_name, u.password, coalesce(u.active, false), coalesce(g.generation, 0), f.counts
  from (select coalesce(json_object_agg(l.scope, json_build_object(
                 'failures', l.failures, 'windowEndsAtMs', (extract(epoch from l.window_ends_at) * 1000)::bigint)), '{}') as counts
        from docket_system.login_marks($1, $2) m join docket_system.failed_login l using (scope, mark)
        where l.window_ends_at > timestamp 'epoch' + $3::bigint * interval '1 millisecond') f
  left join docket."user" u on docket_system.fold(u.user_name) = docket_system.fold($1) and $1 <> ''
  left join docket_system.user_generation g on g.user_id = u.sys_id`,
}

type ClaimedRow = readonly [
  id: string | null,
  name: string,
  password: string | null,
  isActive: boolean,
  generation: string,
  counts: Partial<FailedLogins>,
]

const nothingFailed = { failures: 0, windowEndsAtMs: 0 }

async function findClaimed(
  database: Database,
  claim: LoginClaim,
  nowMs: number,
): Promise<{ readonly failed: FailedLogins; readonly user: ClaimedUser | undefined }> {
  const [row] = await database.run(CLAIMED_USER, [claim.userName, claim.address, nowMs])
  const [id, name, password, isActive, generation, counts] = row as unknown as ClaimedRow
  const failed = { pair: nothingFailed, address: nothingFailed, name: nothingFailed, ...counts }
  return { failed, user: id === null ? undefined : { id, name, password, isActive, generation } }
}

async function countFailure(database: Database, claim: LoginClaim, nowMs: number): Promise<void> {
  await database.rows(sql`
    select docket_system.count_failed_login(${claim.userName}, ${claim.address},
      timestamp 'epoch' + ${nowMs}::bigint * interval '1 millisecond', ${failureWindowMs}::bigint * interval '1 millisecond')`)
}

/** Of the pair only: who knows one password of an address must not be able to try others from it without end. */
async function forgetFailures(database: Database, claim: LoginClaim): Promise<void> {
  await database.rows(sql`
    delete from docket_system.failed_login f using docket_system.login_marks(${claim.userName}, ${claim.address}) m
    where m.scope = 'pair' and f.scope = m.scope and f.mark = m.mark`)
}
