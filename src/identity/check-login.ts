import { setTimeout as delay } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { Database } from '../database/database.ts'
import { type SelectStatement, selectRows, selectStatement } from '../database/select-statement.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Problem } from '../kernel/problem.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'
import { createSemaphore } from '../kernel/semaphore.ts'
import { sql } from '../kernel/sql.ts'
import { keyedMarks, markOfWrongPassword } from './keyed-marks.ts'
import {
  type FailedLogins,
  failureWindowMs,
  noThrottling,
  sharedLockResponseMs,
  throttlingOf,
} from './login-throttle.ts'
import { momentOf } from './moment.ts'
import { networkOfAddress } from './network-of-address.ts'
import { verifyPassword } from './passwords.ts'

export interface LoginClaim {
  readonly userName: string
  readonly password: string
  /** Of the connection, as the server determined it; never from a header that anybody can write. */
  readonly address: string
}

/** A user whose password was just verified. */
export interface VerifiedUser {
  readonly userId: string
  /** As stored, in its original case. */
  readonly userName: string
  /** At the time of the check: sessions made from this are void when it rises. */
  readonly generation: string
}

/**
 * Checks a password. Failures are counted, delayed, and then rejected for a while, by user name and by address together and alone
 * (login-throttle.ts); all processes count together.
 */
export type CheckLogin = (claim: LoginClaim) => Promise<Result<VerifiedUser, Problem>>

export interface LoginCheckOptions {
  readonly database: Database
  readonly clock: Clock
  /** Finds the claimed account; by default a user. */
  readonly claimed?: SelectStatement<ClaimedRow>
  /** Tests do not wait. */
  readonly pause?: (ms: number) => Promise<unknown>
}

/** Password hashing uses the few threads that files and name look-ups need too, and takes 19 MiB each. */
const hashesAtOnce = 2
const claimsWaiting = 200
const rememberedRightPairs = 5_000
/** Twice the minute for which a verified pair is cached: its user may come back within the next minute. */
const rightForMs = 2 * 60_000

export function loginCheck({ database, clock, claimed = CLAIMED_USER, pause = delay }: LoginCheckOptions): CheckLogin {
  const runExclusive = createSemaphore({ atOnce: hashesAtOnce, waiting: claimsWaiting })
  const markOf = keyedMarks()
  /** When the user name and password were last correct. */
  const rightAtMs = new LRUCache<string, number>({ max: rememberedRightPairs })

  const markOfPair = ({ userName, password }: LoginClaim): string => markOf(JSON.stringify([userName, password]))
  const wasJustRight = (pair: string): boolean => clock.nowMs() - (rightAtMs.get(pair) ?? -rightForMs) < rightForMs

  /** @param waitedMs how long the caller was delayed already */
  async function checkOnce(claim: LoginClaim, waitedMs: number): Promise<Verdict> {
    // Counts are read inside the lock: otherwise a thousand simultaneous attempts would all pass with one count of nine.
    const found = await findClaimed({ database, claimed }, claim, clock.nowMs())
    const pair = markOfPair(claim)
    const throttling = wasJustRight(pair) ? noThrottling : throttlingOf(found.failed, clock.nowMs())
    const { pairLockMs, sharedLockMs, slowMs } = throttling
    const lockMs = Math.max(pairLockMs, sharedLockMs)
    if (pairLockMs > 0) return { kind: 'locked', lockMs, respondAfterMs: 0 }
    if (sharedLockMs === 0 && slowMs > waitedMs) return { kind: 'slowed', slowMs: slowMs - waitedMs }
    const isChecked = sharedLockMs === 0 || found.network !== 'unknown'
    const user = isChecked ? await verifiedUser(found.user, claim) : undefined
    if (user !== undefined) {
      rightAtMs.set(pair, clock.nowMs())
      await recordSuccess(database, { claim, user, found, nowMs: clock.nowMs() })
      return { kind: 'right', user }
    }
    rightAtMs.delete(pair)
    const passwordMark = markOfWrongPassword(found.secret, claim.userName, claim.password)
    await countFailure(database, { claim, passwordMark, isPairOnly: sharedLockMs > 0, nowMs: clock.nowMs() })
    return sharedLockMs > 0 ? { kind: 'locked', lockMs, respondAfterMs: sharedLockResponseMs } : { kind: 'wrong' }
  }

  return async (attempt) => {
    const claim = { ...attempt, userName: possibleName(attempt.userName), address: networkOfAddress(attempt.address) }
    const beganMs = clock.nowMs()
    for (let waitedMs = 0; ; ) {
      const verdict = await runExclusive(() => checkOnce(claim, waitedMs))
      if (verdict?.kind !== 'slowed') {
        const leftMs = verdict?.kind === 'locked' ? verdict.respondAfterMs - (clock.nowMs() - beganMs) : 0
        if (leftMs > 0) await pause(leftMs)
        return resultOf(verdict)
      }
      await pause(verdict.slowMs)
      waitedMs += verdict.slowMs
    }
  }
}

type Verdict =
  | { readonly kind: 'right'; readonly user: VerifiedUser }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'slowed'; readonly slowMs: number }
  | { readonly kind: 'locked'; readonly lockMs: number; readonly respondAfterMs: number }

function resultOf(verdict: Exclude<Verdict, { kind: 'slowed' }> | undefined): Result<VerifiedUser, Problem> {
  if (verdict === undefined) return tooManyWaiting
  if (verdict.kind === 'right') return succeed(verdict.user)
  if (verdict.kind === 'wrong') return fail({ kind: 'unauthenticated', reason: 'wrong' })
  return fail({ kind: 'too-many-attempts', retryAfterSeconds: Math.ceil(verdict.lockMs / 1_000) })
}

/** Takes as long for a user who does not exist as for a wrong password. */
async function verifiedUser(
  user: ClaimedUser | undefined,
  { password }: LoginClaim,
): Promise<VerifiedUser | undefined> {
  const isRight = await verifyPassword(user?.password ?? null, password)
  if (!isRight || user?.isActive !== true) return undefined
  return { userId: user.id, userName: user.name, generation: user.generation }
}

const tooManyWaiting = fail<Problem>({
  kind: 'unavailable',
  detail: 'too many logins are waiting',
  retryAfterSeconds: 2,
})

/** PostgreSQL has no text with a zero character, and no user has a name of this length: '' matches no user. */
const possibleName = (userName: string): string => (userName.includes('\0') || userName.length > 400 ? '' : userName)

interface ClaimedUser {
  readonly id: string
  readonly name: string
  readonly password: string | null
  readonly isActive: boolean
  readonly generation: string
}

/** Facts about a claim, in one snapshot. */
interface FoundClaim {
  readonly failed: FailedLogins
  readonly user: ClaimedUser | undefined
  /** Whether the user signed in from this network before. `stale`: so long ago that it is recorded again. */
  readonly network: 'unknown' | 'known' | 'stale'
  readonly secret: string
}

/** After this time without a login a network counts as unknown. */
const networkLifeMs = 180 * 86_400_000
const recordNetworkEveryMs = 86_400_000

/** The members of the user are a default or null if there is no such user. */
export interface ClaimedRow {
  readonly failed: Partial<FailedLogins>
  readonly secret: string
  readonly userId: string | null
  readonly userName: string
  readonly password: string | null
  readonly isActive: boolean
  readonly generation: string
  /** 0: the user never signed in from this network. */
  readonly lastLoginMs: string
}

/** Current counts of failures, of the parameters name, address, and time in milliseconds. */
export const FAILED_LOGINS = `(select coalesce(json_object_agg(l.scope, json_build_object(
                 'failures', l.failures, 'windowEndsAtMs', (extract(epoch from l.window_ends_at) * 1000)::bigint)), '{}') as counts
        from docket_system.login_marks($1, $2) m join docket_system.failed_login l using (scope, mark)
        where l.window_ends_at > timestamp 'epoch' + $3::bigint * interval '1 millisecond') f`

const CLAIMED_USER = selectStatement<ClaimedRow>({
  name: 'find-claimed-user',
  columns: {
    failed: 'f.counts',
    secret: '(select secret from docket_system.login_secret)',
    userId: 'u.sys_id',
    userName: 'u.user_name',
    password: 'u.password',
    isActive: 'coalesce(u.active, false)',
    generation: 'coalesce(g.generation, 0)',
    lastLoginMs: 'coalesce((extract(epoch from n.last_login_at) * 1000)::bigint, 0)',
  },
  from: `
  from ${FAILED_LOGINS}
  left join docket."user" u on docket_system.fold(u.user_name) = docket_system.fold($1) and $1 <> ''
  left join docket_system.user_generation g on g.user_id = u.sys_id
  left join docket_system.login_network n on n.user_id = u.sys_id and n.network = sha256(convert_to($2, 'UTF8'))`,
})

const nothingFailed = { failures: 0, windowEndsAtMs: 0 }

async function findClaimed(
  { database, claimed }: Required<Pick<LoginCheckOptions, 'database' | 'claimed'>>,
  claim: LoginClaim,
  nowMs: number,
): Promise<FoundClaim> {
  const [row] = await selectRows(database, claimed, [claim.userName, claim.address, nowMs])
  if (row === undefined) throw new Error('the counts of failed logins have no row')
  const { userId: id, userName: name, password, isActive, generation, secret } = row
  const failed = { pair: nothingFailed, address: nothingFailed, name: nothingFailed, ...row.failed }
  const sinceMs = nowMs - Number(row.lastLoginMs)
  const network = sinceMs > networkLifeMs ? 'unknown' : sinceMs > recordNetworkEveryMs ? 'stale' : 'known'
  return { failed, user: id === null ? undefined : { id, name, password, isActive, generation }, network, secret }
}

interface Failure {
  readonly claim: LoginClaim
  readonly passwordMark: number
  /** The attempt was during a lock of the network or the name, which it must not prolong. */
  readonly isPairOnly: boolean
  readonly nowMs: number
}

async function countFailure(database: Database, { claim, passwordMark, isPairOnly, nowMs }: Failure): Promise<void> {
  await database.rows(sql`
    select docket_system.count_failed_login(${claim.userName}, ${claim.address}, ${momentOf(nowMs)},
      ${failureWindowMs}::bigint * interval '1 millisecond', ${passwordMark}::integer, ${isPairOnly}::boolean)`)
}

interface Success {
  readonly claim: LoginClaim
  readonly user: VerifiedUser
  readonly found: FoundClaim
  readonly nowMs: number
}

/**
 * Deletes the failures of the pair only: a caller who knows one password of an address must not be able to try others from it without
 * limit. Records the network, and deletes up to five that are too old.
 */
async function recordSuccess(database: Database, { claim, user, found, nowMs }: Success): Promise<void> {
  if (found.failed.pair.failures > 0)
    await database.rows(sql`
      delete from docket_system.failed_login f using docket_system.login_marks(${claim.userName}, ${claim.address}) m
      where m.scope = 'pair' and f.scope = m.scope and f.mark = m.mark`)
  if (found.network === 'known') return
  await database.rows(sql`
    with cleared as (
      delete from docket_system.login_network where (user_id, network) in (
        select user_id, network from docket_system.login_network
        where last_login_at < ${momentOf(nowMs - networkLifeMs)} and user_id <> ${user.userId}::bigint
        order by last_login_at limit 5 for update skip locked)
    )
    insert into docket_system.login_network as n (user_id, network, last_login_at)
    select sys_id, sha256(convert_to(${claim.address}, 'UTF8')), ${momentOf(nowMs)}
    from docket."user" where sys_id = ${user.userId}::bigint
    on conflict (user_id, network) do update set last_login_at = greatest(n.last_login_at, excluded.last_login_at)`)
}
