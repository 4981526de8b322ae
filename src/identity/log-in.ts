import type { Database } from '../database/database.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Problem } from '../kernel/problem.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'
import { sql } from '../kernel/sql.ts'
import { hashAccessKey, makeAccessKey } from './access-key.ts'
import type { Authenticated } from './authenticate.ts'
import type { CheckLogin, LoginClaim, VerifiedUser } from './check-login.ts'
import { minutesProperty } from './minutes-property.ts'
import { momentOf } from './moment.ts'

export interface LogInDeps {
  readonly database: Database
  readonly clock: Clock
  readonly checkLogin: CheckLogin
}

export interface LoginSession {
  /** Returned once; only its hash is stored. */
  readonly key: string
  /** UTC, `YYYY-MM-DD HH:MM:SS`. */
  readonly expiresAt: string
}

/** User name and password → a key for a limited time (property auth.token.life_minutes); its use does not extend it. */
export async function logIn(deps: LogInDeps, claim: LoginClaim): Promise<Result<LoginSession, Problem>> {
  const verified = await deps.checkLogin(claim)
  if (!verified.ok) return verified
  const session = await makeSession(deps, verified.value)
  return session === undefined ? fail({ kind: 'unauthenticated', reason: 'wrong' }) : succeed(session)
}

/** Ends the key of the request. Other sessions of the user stay valid; `endAllSessions` ends those. */
export async function logOut(
  deps: Pick<LogInDeps, 'database' | 'clock'>,
  caller: Authenticated,
): Promise<Result<void, Problem>> {
  if (caller.means.kind !== 'session' && caller.means.kind !== 'cookie')
    return fail({
      kind: 'conflict',
      detail: 'Only a key that a login gave can be logged out; an API key is revoked.',
    })
  await deps.database.rows(sql`
    update docket_system.access_key set revoked_at = ${momentOf(deps.clock.nowMs())}
    where sys_id = ${caller.means.keyId} and revoked_at is null`)
  return succeed(undefined)
}

/** Ends every key of the user, sessions and API keys, at once, in every process; the password stays valid. */
export async function endAllSessions(database: Database, userId: string): Promise<void> {
  await database.rows(sql`
    select docket_system.raise_generation(sys_id) from docket."user" where sys_id = ${userId}::bigint`)
}

const defaultLifeMinutes = 120

/**
 * The generation is the one of the password check, not of this moment: a session must not stay valid if the password was changed since the
 * check. Each login deletes a few sessions that ended more than a day ago.
 *
 * @returns undefined if the user was removed since the check
 */
async function makeSession({ database, clock }: LogInDeps, user: VerifiedUser): Promise<LoginSession | undefined> {
  const key = makeAccessKey()
  const nowMs = clock.nowMs()
  const [made] = await database.rows<{ expires_at: string }>(sql`
    with cleared as (
      delete from docket_system.access_key where sys_id in (
        select sys_id from docket_system.access_key
        where expires_at < ${momentOf(nowMs)} - interval '1 day' and kind = 'session'
        order by expires_at limit 20 for update skip locked)
    ), life as (
      select ${minutesProperty('auth.token.life_minutes', defaultLifeMinutes)} as minutes
    )
    insert into docket_system.access_key (key_hash, kind, user_id, generation, created_at, created_by, expires_at)
    select ${hashAccessKey(key)}, 'session', u.sys_id, ${user.generation}::bigint, ${momentOf(nowMs)}, u.sys_id,
           date_trunc('second', ${momentOf(nowMs)}) + life.minutes * interval '1 minute'
    from life, docket."user" u where u.sys_id = ${user.userId}::bigint
    returning to_char(expires_at, 'YYYY-MM-DD HH24:MI:SS') as expires_at`)
  return made === undefined ? undefined : { key, expiresAt: made.expires_at }
}
