import type { Database } from '../database/database.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Problem } from '../kernel/problem.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'
import { sql } from '../kernel/sql.ts'
import { hashAccessKey, makeAccessKey } from './access-key.ts'
import { loadPrincipal } from './load-principal.ts'
import { momentOf } from './moment.ts'

export interface ApiKeyDeps {
  readonly database: Database
  readonly clock: Clock
}

/** The data of a key for people, without the key itself. */
export interface ApiKey {
  readonly id: string
  readonly userId: string
  readonly userName: string
  readonly name: string
  /** Names of roles; null: all roles of the user. */
  readonly roles: readonly string[] | null
  /** All times in UTC, `YYYY-MM-DD HH:MM:SS`. */
  readonly createdAt: string
  readonly expiresAt: string
  /** Accurate to ten minutes; null: never. */
  readonly lastUsedAt: string | null
  /** `ended`: revoked, or made before the user's password was changed or all keys were ended. */
  readonly state: 'valid' | 'expired' | 'ended'
}

export interface MadeApiKey extends ApiKey {
  /** Returned once; only its hash is stored. */
  readonly key: string
}

export interface WantedApiKey {
  readonly userId: string
  readonly name: string
  readonly expiresAtMs: number
  readonly roles: readonly string[] | null
}

const dayMs = 86_400_000
/** Our choice. */
const longestLifeMs = 5 * 365 * dayMs
const longestName = 100
/** Our choice; a user with more is a program that makes keys and loses them. */
const validKeysOfUser = 100

/**
 * Makes a key. Rights are not checked here (keys-of-caller.ts does).
 *
 * @param createdBy sys_id of a user
 */
export async function makeApiKey(
  { database, clock }: ApiKeyDeps,
  wanted: WantedApiKey,
  createdBy: string,
): Promise<Result<MadeApiKey, Problem>> {
  const nowMs = clock.nowMs()
  const user = isId(wanted.userId) ? await loadPrincipal(database, wanted.userId) : undefined
  if (!user?.isActive) return fail({ kind: 'thing-not-found', thing: 'active user', name: wanted.userId })
  const problem =
    nameProblem(wanted.name) ??
    lifeProblem(wanted.expiresAtMs, nowMs) ??
    rolesProblem(wanted.roles, user.principal.roles)
  if (problem !== undefined) return fail(problem)

  const key = makeAccessKey()
  // The generation is the one read above: a password change meanwhile ends this key too.
  const [made] = await database.rows<{ sys_id: string }>(sql`
    with cleared as (
      delete from docket_system.access_key where sys_id in (
        select sys_id from docket_system.access_key
        where kind = 'api_key' and expires_at < ${momentOf(nowMs - 90 * dayMs)}
        order by expires_at limit 20 for update skip locked)
    )
    insert into docket_system.access_key (key_hash, kind, user_id, name, roles, generation, created_at, created_by, expires_at)
    select ${hashAccessKey(key)}, 'api_key', u.sys_id, ${wanted.name.trim()}, ${distinct(wanted.roles)}::text[], ${user.generation}::bigint,
           ${momentOf(nowMs)}, ${createdBy}::bigint, date_trunc('second', ${momentOf(wanted.expiresAtMs)})
    from docket."user" u
    where u.sys_id = ${wanted.userId}::bigint and ${validKeysOfUser}::integer > (
      select count(*) from docket_system.access_key k
      where k.user_id = u.sys_id and k.kind = 'api_key' and k.revoked_at is null and k.expires_at > ${momentOf(nowMs)}
        and k.generation = ${user.generation}::bigint)
    returning sys_id`)
  const [stored] = made === undefined ? [] : await findApiKeys({ database, clock }, { id: made.sys_id })
  if (stored === undefined)
    return fail({ kind: 'conflict', detail: `The user has ${validKeysOfUser} API keys already: revoke one first.` })
  return succeed({ ...stored, key })
}

/** Newest first; of one user, one key, or all. */
export async function findApiKeys(
  { database, clock }: ApiKeyDeps,
  wanted: { readonly userId?: string; readonly id?: string } = {},
): Promise<readonly ApiKey[]> {
  return database.rows<ApiKey>(sql`
    select k.sys_id as id, k.user_id as "userId", u.user_name as "userName", k.name, k.roles,
           ${displayed('created_at')} as "createdAt", ${displayed('expires_at')} as "expiresAt", ${displayed('last_used_at')} as "lastUsedAt",
           case when k.revoked_at is not null or k.generation <> coalesce(g.generation, 0) then 'ended'
                when k.expires_at <= ${momentOf(clock.nowMs())} then 'expired' else 'valid' end as state
    from docket_system.access_key k
    join docket."user" u on u.sys_id = k.user_id
    left join docket_system.user_generation g on g.user_id = k.user_id
    where k.kind = 'api_key' and (${wanted.userId ?? null}::bigint is null or k.user_id = ${wanted.userId ?? null}::bigint)
      and (${wanted.id ?? null}::bigint is null or k.sys_id = ${wanted.id ?? null}::bigint)
    order by k.created_at desc, k.sys_id desc`)
}

/**
 * Ends a key at once, in every process. Ending a key again is not an error.
 *
 * @param ofUser if given, only a key of this user
 */
export async function revokeApiKey(
  { database, clock }: ApiKeyDeps,
  id: string,
  ofUser: string | null,
): Promise<Result<void, Problem>> {
  const found = isId(id)
    ? await database.rows(sql`
        update docket_system.access_key set revoked_at = coalesce(revoked_at, ${momentOf(clock.nowMs())})
        where sys_id = ${id}::bigint and kind = 'api_key' and (${ofUser}::bigint is null or user_id = ${ofUser}::bigint)
        returning sys_id`)
    : []
  return found.length === 0 ? fail({ kind: 'thing-not-found', thing: 'API key', name: id }) : succeed(undefined)
}

/** A text that PostgreSQL parses as a bigint. */
/** Whether a text of a caller can be the sys_id of a key, a session or a user. */
export const isId = (text: string): boolean => /^[1-9]\d{0,17}$/.test(text)

const displayed = (column: string) => sql`to_char(${sql.ref(`k.${column}`)}, 'YYYY-MM-DD HH24:MI:SS')`

const distinct = (roles: readonly string[] | null): readonly string[] | null => roles && [...new Set(roles)]

function nameProblem(name: string): Problem | undefined {
  const { length } = name.trim()
  if (length > 0 && length <= longestName && !name.includes('\0')) return undefined
  return { kind: 'invalid-value', field: 'name', detail: `a key has a name of 1 to ${longestName} characters` }
}

function lifeProblem(expiresAtMs: number, nowMs: number): Problem | undefined {
  // A key that ends within the current second would be over before it is returned.
  if (expiresAtMs >= nowMs + 1_000 && expiresAtMs <= nowMs + longestLifeMs) return undefined
  return { kind: 'invalid-value', field: 'life', detail: 'a key ends in the future, after five years at most' }
}

/** A role that the user does not have would have no effect, so it is an error. */
function rolesProblem(wanted: readonly string[] | null, held: ReadonlySet<string>): Problem | undefined {
  if (wanted === null) return undefined
  if (wanted.length === 0)
    return { kind: 'invalid-value', field: 'roles', detail: 'name a role at least, or leave roles out for all of them' }
  const missing = wanted.filter((role) => !held.has(role))
  if (missing.length === 0) return undefined
  const known = held.size === 0 ? 'the user has no roles' : `the user has ${[...held].sort().join(', ')}`
  return { kind: 'invalid-value', field: 'roles', detail: `the user does not have ${missing.join(', ')}; ${known}` }
}
