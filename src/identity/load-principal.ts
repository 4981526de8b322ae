import type { PreparedStatement, Session } from '../database/database.ts'
import { isTimeZone } from '../kernel/time-zone.ts'
import { isNarrowedKey } from './narrowed-key.ts'
import type { Principal } from './principal.ts'

/** A principal with what its caches stand on, all read in one snapshot. */
export interface LoadedPrincipal {
  readonly principal: Principal
  /** `docket_system.epoch.identity` of the same snapshot: while it stands, so do the roles and groups. */
  readonly identityEpoch: string
  /** A key or a verified password of another generation is void. */
  readonly generation: string
  readonly isActive: boolean
}

/** The key that a principal was found by. */
export interface LoadedKey {
  readonly id: string
  readonly kind: 'session' | 'api_key' | 'cookie'
  readonly generation: string
  readonly expiresAtMs: number
  readonly isRevoked: boolean
  /** `Principal.roles` are those that the user and this subset both reach. */
  readonly hasRoleSubset: boolean
  /** See narrowed-key.ts; `Principal.isNarrowed` says the same. */
  readonly isNarrowed: boolean
  /** 0 when never. */
  readonly lastUsedMs: number
  /** Of a cookie: it ends so long after its last use. */
  readonly idleMs: number | null
}

/** @returns undefined when there is no such user; an inactive one is returned as such */
export async function loadPrincipal(session: Session, userId: string): Promise<LoadedPrincipal | undefined> {
  const [row] = await session.run(PRINCIPAL, [userId, null])
  return row === undefined ? undefined : readRow(row as unknown as PrincipalRow)
}

/** @returns undefined when there is no such key, or its user is gone; a key that is over is returned as such */
export async function loadKeyOwner(
  session: Session,
  keyHash: Buffer,
): Promise<{ readonly owner: LoadedPrincipal; readonly key: LoadedKey } | undefined> {
  const [row] = await session.run(PRINCIPAL, [null, keyHash])
  if (row === undefined) return undefined
  const known = row as unknown as PrincipalRow
  const key = readKey(known)
  const owner = readRow(known)
  if (!key.isNarrowed) return { owner, key }
  return { owner: { ...owner, principal: { ...owner.principal, isNarrowed: true } }, key }
}

/**
 * `union` without `all` drops what was already reached, so roles that contain each other end. Names of roles leave here
 * sorted by JavaScript, since the database's collation differs from server to server.
 */
const PRINCIPAL: PreparedStatement = {
  name: 'load-principal',
  text: `
  with recursive caller as (
    select $1::bigint as user_id, null::bigint as key_id, null::text as kind, null::text[] as subset,
           null::bigint as generation, null::timestamp as expires_at, null::timestamp as revoked_at, null::timestamp as last_used_at,
           null::timestamp as created_at, null::integer as idle_minutes, null::bigint as oauth_client
    where $1::bigint is not null
    union all
    select k.user_id, k.sys_id, k.kind, k.roles, k.generation, k.expires_at, k.revoked_at, k.last_used_at, k.created_at,
           k.idle_minutes, k.oauth_client
    from docket_system.access_key k where k.key_hash = $2::bytea and k.kind <> 'refresh'
  ), membership as (
    select g.sys_id as group_id
    from caller join docket.sys_user_group m on m.user_id = caller.user_id join docket.sys_group g on g.sys_id = m.group_id
    where g.active
  ), held (role_id) as (
    select r.role_id from caller join docket.sys_user_has_role r on r.user_id = caller.user_id
    union select r.role_id from membership join docket.sys_group_has_role r on r.group_id = membership.group_id
    union select c.contained_role_id from held join docket.sys_role_contains c on c.role_id = held.role_id
  ), allowed (role_id) as (
    select r.sys_id from caller join docket.sys_role r on r.name = any (caller.subset)
    union select c.contained_role_id from allowed join docket.sys_role_contains c on c.role_id = allowed.role_id
  )
  select u.sys_id, u.user_name, coalesce(nullif(u.display_name, ''), u.user_name), u.language,
         docket_system.known_time_zone(u.time_zone), coalesce(u.active, false),
         array(select r.name from held join docket.sys_role r on r.sys_id = held.role_id
               where caller.subset is null or held.role_id in (select role_id from allowed)),
         array(select group_id::text from membership order by group_id),
         (select identity from docket_system.epoch), coalesce(g.generation, 0),
         caller.key_id, caller.kind, caller.generation, (extract(epoch from caller.expires_at) * 1000)::bigint,
         caller.revoked_at is not null
           or (caller.oauth_client is not null
               and not exists (select from docket.oauth_entity e where e.sys_id = caller.oauth_client and e.active)), caller.subset is not null,
         coalesce((extract(epoch from caller.last_used_at) * 1000)::bigint, 0), (extract(epoch from caller.created_at) * 1000)::bigint,
         caller.idle_minutes, u.company
  from caller
  join docket."user" u on u.sys_id = caller.user_id
  left join docket_system.user_generation g on g.user_id = u.sys_id`,
}

/** As the statement above lists its columns. */
type PrincipalRow = readonly [
  userId: string,
  userName: string,
  displayName: string,
  language: string | null,
  timeZone: string,
  isActive: boolean,
  roles: readonly string[],
  groupIds: readonly string[],
  identityEpoch: string,
  generation: string,
  keyId: string,
  keyKind: 'session' | 'api_key' | 'cookie',
  keyGeneration: string,
  expiresAtMs: string,
  isRevoked: boolean,
  hasRoleSubset: boolean,
  lastUsedMs: string,
  createdAtMs: string,
  idleMinutes: number | null,
  companyId: string | null,
]

function readRow(row: PrincipalRow): LoadedPrincipal {
  const [userId, userName, displayName, language, timeZone, isActive, roles, groupIds, identityEpoch, generation] = row
  const companyId = row[19]
  const principal: Principal = {
    userId,
    userName,
    displayName,
    roles: new Set(roles),
    roleKey: roleKeyOf(roles),
    groupIds,
    companyId,
    language: language === 'ru' ? 'ru' : 'en',
    timeZone: isTimeZone(timeZone) ? timeZone : 'UTC',
  }
  return { principal, identityEpoch, generation, isActive }
}

function readKey(row: PrincipalRow): LoadedKey {
  const [, , , , , , , , , , id, kind, generation, expires, isRevoked, hasRoleSubset, lastUsedMs, created, idle] = row
  const [expiresAtMs, createdAtMs] = [Number(expires), Number(created)]
  return {
    id,
    kind,
    generation,
    expiresAtMs,
    isRevoked,
    hasRoleSubset,
    isNarrowed: isNarrowedKey({ kind, hasRoleSubset, createdAtMs, expiresAtMs }),
    lastUsedMs: Number(lastUsedMs),
    idleMs: idle === null ? null : idle * 60_000,
  }
}

/** JSON, because a role's name may hold any character: two different sets must never share a plan. */
export function roleKeyOf(roles: Iterable<string>): string {
  return JSON.stringify([...roles].sort())
}
