import type { Database } from '../database/database.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Problem } from '../kernel/problem.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'
import { sql } from '../kernel/sql.ts'
import { hashAccessKey, makeAccessKey } from './access-key.ts'
import { isId } from './api-keys.ts'
import type { CheckLogin, LoginClaim, VerifiedUser } from './check-login.ts'
import { minutesProperty } from './minutes-property.ts'
import { momentOf } from './moment.ts'

export interface BrowserSessionDeps {
  readonly database: Database
  readonly clock: Clock
  readonly checkLogin: CheckLogin
}

export interface BrowserClaim extends LoginClaim {
  readonly userAgent: string
  /** Key of the browser's previous cookie: its session ends. */
  readonly replaces: string | undefined
}

const defaultIdleMinutes = 120
const defaultMaxMinutes = 720
const storedAgentUnits = 300

/** User name and password → the key of a cookie. Only its hash is stored. */
export async function logInBrowser(deps: BrowserSessionDeps, claim: BrowserClaim): Promise<Result<string, Problem>> {
  const verified = await deps.checkLogin(claim)
  if (!verified.ok) return verified
  const key = await makeBrowserSession(deps, verified.value, claim)
  return key === undefined ? fail({ kind: 'unauthenticated', reason: 'wrong' }) : succeed(key)
}

/**
 * The generation is the one of the password check, as for other sessions. Each login deletes a few cookies that ended more than a day ago.
 *
 * @returns undefined if the user was removed since the check
 */
async function makeBrowserSession(
  { database, clock }: BrowserSessionDeps,
  user: VerifiedUser,
  { userAgent, address, replaces }: BrowserClaim,
): Promise<string | undefined> {
  const key = makeAccessKey()
  const now = momentOf(clock.nowMs())
  const agent = userAgent.replaceAll('\0', '').slice(0, storedAgentUnits).toWellFormed()
  const [made] = await database.rows(sql`
    with cleared as (
      delete from docket_system.access_key where sys_id in (
        select sys_id from docket_system.access_key where expires_at < ${now} - interval '1 day' and kind = 'cookie'
        order by expires_at limit 20 for update skip locked)
    ), replaced as (
      update docket_system.access_key set revoked_at = ${now}
      where key_hash = ${replaces === undefined ? null : hashAccessKey(replaces)}::bytea and kind = 'cookie' and revoked_at is null
    )
    insert into docket_system.access_key
      (key_hash, kind, user_id, generation, created_at, created_by, last_used_at, expires_at, idle_minutes, user_agent, address)
    select ${hashAccessKey(key)}, 'cookie', u.sys_id, ${user.generation}::bigint, ${now}, u.sys_id, ${now},
           date_trunc('second', ${now}) + ${minutesProperty('auth.cookie.max_minutes', defaultMaxMinutes)} * interval '1 minute',
           ${minutesProperty('auth.cookie.idle_minutes', defaultIdleMinutes)}, ${agent}, ${address}
    from docket."user" u where u.sys_id = ${user.userId}::bigint
    returning sys_id`)
  return made === undefined ? undefined : key
}

/** A session as its user sees it. */
export interface ListedSession {
  readonly id: string
  readonly kind: 'session' | 'cookie'
  /** All times in UTC, `YYYY-MM-DD HH:MM:SS`. */
  readonly createdAt: string
  /** For a cookie accurate to a minute, for a key to ten; null: never. */
  readonly lastUsedAt: string | null
  readonly expiresAt: string
  /** null: not recorded. */
  readonly userAgent: string | null
  readonly address: string | null
}

export const maxListedSessions = 200

/** Valid sessions of a user, the latest use first. */
export function listSessions(
  { database, clock }: Pick<BrowserSessionDeps, 'database' | 'clock'>,
  userId: string,
): Promise<readonly ListedSession[]> {
  return database.rows<ListedSession>(sql`
    select k.sys_id as id, k.kind, ${written(sql`k.created_at`)} as "createdAt", ${written(sql`k.last_used_at`)} as "lastUsedAt",
           ${written(endOf)} as "expiresAt", k.user_agent as "userAgent", k.address
    from docket_system.access_key k left join docket_system.user_generation g on g.user_id = k.user_id
    where k.user_id = ${userId}::bigint and ${isValid(clock)}
    order by coalesce(k.last_used_at, k.created_at) desc, k.sys_id desc limit ${maxListedSessions}::integer`)
}

/** Ends a session of the user at once, in every process. One that a refresh token gave ends with that token and all that it gave. */
export async function endSession(
  { database, clock }: Pick<BrowserSessionDeps, 'database' | 'clock'>,
  userId: string,
  id: string,
): Promise<Result<void, Problem>> {
  const ended = isId(id)
    ? await database.rows(sql`
        with named as (
          select sys_id, refreshed_by from docket_system.access_key
          where sys_id = ${id}::bigint and user_id = ${userId}::bigint and kind in ('session', 'cookie'))
        update docket_system.access_key k set revoked_at = coalesce(k.revoked_at, ${momentOf(clock.nowMs())}) from named
        where k.sys_id in (named.sys_id, named.refreshed_by) or k.refreshed_by = named.refreshed_by returning k.sys_id`)
    : []
  return ended.length === 0 ? fail({ kind: 'thing-not-found', thing: 'session', name: id }) : succeed(undefined)
}

/**
 * Ends all sessions of the user but `keptId`, and the refresh tokens, which would give new ones, but that of `keptId`.
 *
 * @returns how many sessions ended
 */
export async function endOtherSessions(
  { database, clock }: Pick<BrowserSessionDeps, 'database' | 'clock'>,
  userId: string,
  keptId: string | null,
): Promise<number> {
  const ended = await database.rows<{ kind: string }>(sql`
    update docket_system.access_key set revoked_at = ${momentOf(clock.nowMs())} where sys_id in (
      select k.sys_id from docket_system.access_key k left join docket_system.user_generation g on g.user_id = k.user_id
      where k.user_id = ${userId}::bigint and ${isValid(clock)} and k.sys_id is distinct from ${keptId}::bigint)
    or (user_id = ${userId}::bigint and kind = 'refresh' and revoked_at is null and sys_id is distinct from (
      select kept.refreshed_by from docket_system.access_key kept where kept.sys_id = ${keptId}::bigint))
    returning kind`)
  return ended.filter(({ kind }) => kind !== 'refresh').length
}

const endOf = sql`least(k.expires_at, k.last_used_at + k.idle_minutes * interval '1 minute')`
const isValid = (clock: Clock) => sql`
  k.kind in ('session', 'cookie') and k.revoked_at is null and k.generation = coalesce(g.generation, 0)
  and (case when k.kind = 'cookie' then ${endOf} else k.expires_at end) > ${momentOf(clock.nowMs())}`
const written = (moment: ReturnType<typeof sql>) => sql`to_char(${moment}, 'YYYY-MM-DD HH24:MI:SS')`
