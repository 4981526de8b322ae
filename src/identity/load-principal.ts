import type { Session } from '../database/database.ts'
import { selectRows, selectStatement } from '../database/select-statement.ts'
import { isTimeZone } from '../kernel/time-zone.ts'
import { isNarrowedKey } from './narrowed-key.ts'
import type { Principal } from './principal.ts'

/** A principal with the data that its caches depend on, all read in one snapshot. */
export interface LoadedPrincipal {
  readonly principal: Principal
  /** `docket_system.epoch.identity` of the same snapshot: while it is unchanged, so are the roles and groups. */
  readonly identityEpoch: string
  /** A key or a verified password of another generation is void. */
  readonly generation: string
  readonly isActive: boolean
}

/** The key of the principal. */
export interface LoadedKey {
  readonly id: string
  readonly kind: 'session' | 'api_key' | 'cookie'
  readonly generation: string
  readonly expiresAtMs: number
  readonly isRevoked: boolean
  /** `Principal.roles` are those that both the user and this subset have. */
  readonly hasRoleSubset: boolean
  /** See narrowed-key.ts; `Principal.isNarrowed` says the same. */
  readonly isNarrowed: boolean
  /** It is an access token of an OAuth client. */
  readonly isOfClient: boolean
  /** 0: never. */
  readonly lastUsedMs: number
  /** For a cookie: it ends this long after its last use. */
  readonly idleMs: number | null
}

/** @returns undefined if there is no such user; a disabled one is returned as such */
export async function loadPrincipal(session: Session, userId: string): Promise<LoadedPrincipal | undefined> {
  const [row] = await selectRows(session, PRINCIPAL, [userId, null])
  return row === undefined ? undefined : readRow(row)
}

/** @returns undefined if there is no such key, or its user is gone; an expired key is returned as such */
export async function loadKeyOwner(
  session: Session,
  keyHash: Buffer,
): Promise<{ readonly owner: LoadedPrincipal; readonly key: LoadedKey } | undefined> {
  const [row] = await selectRows(session, PRINCIPAL, [null, keyHash])
  if (row === undefined) return undefined
  const key = readKey(row)
  const owner = readRow(row)
  if (!key.isNarrowed) return { owner, key }
  return { owner: { ...owner, principal: { ...owner.principal, isNarrowed: true } }, key }
}

interface PrincipalRow {
  readonly userId: string
  readonly userName: string
  readonly displayName: string
  readonly language: string | null
  readonly timeZone: string
  readonly companyId: string | null
  readonly isActive: boolean
  readonly roles: readonly string[]
  readonly groupIds: readonly string[]
  readonly identityEpoch: string
  readonly generation: string
  readonly keyId: string
  readonly keyKind: 'session' | 'api_key' | 'cookie'
  readonly keyGeneration: string
  readonly keyExpiresAtMs: string
  readonly isKeyRevoked: boolean
  readonly hasRoleSubset: boolean
  readonly keyLastUsedMs: string
  readonly keyCreatedAtMs: string
  readonly keyIdleMinutes: number | null
  readonly isOfClient: boolean
}

/**
 * `union` without `all` drops roles that were reached before, so cycles of roles end. Names of roles are sorted by JavaScript, since the
 * database's collation differs between servers.
 */
const PRINCIPAL = selectStatement<PrincipalRow>({
  name: 'load-principal',
  before: `
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
  )`,
  columns: {
    userId: 'u.sys_id',
    userName: 'u.user_name',
    displayName: `coalesce(nullif(u.display_name, ''), u.user_name)`,
    language: 'u.language',
    timeZone: 'docket_system.known_time_zone(u.time_zone)',
    companyId: 'u.company',
    isActive: 'coalesce(u.active, false)',
    roles: `array(select r.name from held join docket.sys_role r on r.sys_id = held.role_id
                  where caller.subset is null or held.role_id in (select role_id from allowed))`,
    groupIds: 'array(select group_id::text from membership order by group_id)',
    identityEpoch: '(select identity from docket_system.epoch)',
    generation: 'coalesce(g.generation, 0)',
    keyId: 'caller.key_id',
    keyKind: 'caller.kind',
    keyGeneration: 'caller.generation',
    keyExpiresAtMs: '(extract(epoch from caller.expires_at) * 1000)::bigint',
    isKeyRevoked: `caller.revoked_at is not null
           or (caller.oauth_client is not null
               and not exists (select from docket.oauth_entity e where e.sys_id = caller.oauth_client and e.active))`,
    hasRoleSubset: 'caller.subset is not null',
    keyLastUsedMs: 'coalesce((extract(epoch from caller.last_used_at) * 1000)::bigint, 0)',
    keyCreatedAtMs: '(extract(epoch from caller.created_at) * 1000)::bigint',
    keyIdleMinutes: 'caller.idle_minutes',
    isOfClient: 'caller.oauth_client is not null',
  },
  from: `
  from caller
  join docket."user" u on u.sys_id = caller.user_id
  left join docket_system.user_generation g on g.user_id = u.sys_id`,
})

function readRow(row: PrincipalRow): LoadedPrincipal {
  const { userId, userName, displayName, companyId, groupIds, identityEpoch, generation, isActive } = row
  const principal: Principal = {
    userId,
    userName,
    displayName,
    roles: new Set(row.roles),
    roleKey: roleKeyOf(row.roles),
    groupIds,
    companyId,
    language: row.language === 'ru' ? 'ru' : 'en',
    timeZone: isTimeZone(row.timeZone) ? row.timeZone : 'UTC',
  }
  return { principal, identityEpoch, generation, isActive }
}

function readKey(row: PrincipalRow): LoadedKey {
  const { keyKind: kind, hasRoleSubset, keyIdleMinutes } = row
  const [expiresAtMs, createdAtMs] = [Number(row.keyExpiresAtMs), Number(row.keyCreatedAtMs)]
  return {
    id: row.keyId,
    kind,
    generation: row.keyGeneration,
    expiresAtMs,
    isRevoked: row.isKeyRevoked,
    hasRoleSubset,
    isNarrowed: isNarrowedKey({ kind, hasRoleSubset, createdAtMs, expiresAtMs }),
    isOfClient: row.isOfClient,
    lastUsedMs: Number(row.keyLastUsedMs),
    idleMs: keyIdleMinutes === null ? null : keyIdleMinutes * 60_000,
  }
}

/** JSON, because a role's name may contain any character: two different sets must never share a plan. */
export function roleKeyOf(roles: Iterable<string>): string {
  return JSON.stringify([...roles].sort())
}
