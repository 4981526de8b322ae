import type { Database } from '../database/database.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Problem } from '../kernel/problem.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'
import { sql } from '../kernel/sql.ts'
import { hashAccessKey, isAccessKey, makeAccessKey } from './access-key.ts'
import type { CheckLogin } from './check-login.ts'
import { loadPrincipal } from './load-principal.ts'
import { momentOf } from './moment.ts'
import { CLIENT_NAME_PREFIX } from './oauth-clients.ts'

export interface OauthDeps {
  readonly database: Database
  readonly clock: Clock
  readonly checkLogin: CheckLogin
  /** The same for clients and their secrets. */
  readonly checkClient: CheckLogin
}

export interface ClientClaim {
  readonly clientId: string
  readonly clientSecret: string
  /** Of the connection. */
  readonly address: string
}

/** What a client sends for the user on whose behalf it acts. */
export type Grant =
  | { readonly kind: 'password'; readonly userName: string; readonly password: string }
  | { readonly kind: 'refresh_token'; readonly refreshToken: string }
  | { readonly kind: 'client_credentials' }

export interface IssuedTokens {
  readonly accessToken: string
  /** null: the client itself requests another access token. */
  readonly refreshToken: string | null
  readonly expiresInSeconds: number
}

/** `grant`: what the client presents is not valid any more, or not for this client. */
export type GrantFailure = { readonly kind: 'grant'; readonly detail: string } | Problem

/** Client, then user, then tokens. Only the hashes of tokens are stored. */
export async function grantTokens(
  deps: OauthDeps,
  client: ClientClaim,
  grant: Grant,
): Promise<Result<IssuedTokens, GrantFailure>> {
  const { clientId, clientSecret, address } = client
  const known = await deps.checkClient({ userName: CLIENT_NAME_PREFIX + clientId, password: clientSecret, address })
  if (!known.ok) return known
  const settings = await readClient(deps.database, known.value.userId)
  if (settings === undefined) return fail({ kind: 'unauthenticated', reason: 'wrong' })
  switch (grant.kind) {
    case 'password': {
      const user = await deps.checkLogin({ userName: grant.userName, password: grant.password, address })
      return user.ok ? issue(deps, settings, user.value) : user
    }
    case 'client_credentials':
      return issueToClient(deps, settings)
    case 'refresh_token':
      return refresh(deps, settings, grant.refreshToken)
  }
}

interface Client {
  readonly id: string
  readonly userId: string | null
  readonly accessSeconds: number
  readonly refreshSeconds: number
}

const longestSeconds = 5 * 365 * 86_400

async function readClient(database: Database, id: string): Promise<Client | undefined> {
  const [row] = await database.rows<Client>(sql`
    select sys_id as id, "user" as "userId",
           greatest(2, least(coalesce(access_token_lifespan, 1800), ${longestSeconds}::integer)) as "accessSeconds",
           greatest(2, least(coalesce(refresh_token_lifespan, 8640000), ${longestSeconds}::integer)) as "refreshSeconds"
    from docket.oauth_entity where sys_id = ${id}::bigint and active`)
  return row
}

interface TokenOwner {
  readonly userId: string
  /** From the check: a password change meanwhile ends what is issued here. */
  readonly generation: string
}

async function issue(
  { database, clock }: OauthDeps,
  client: Client,
  { userId, generation }: TokenOwner,
): Promise<Result<IssuedTokens, GrantFailure>> {
  const [accessToken, refreshToken] = [makeAccessKey(), makeAccessKey()]
  const nowMs = clock.nowMs()
  const made = await database.rows(sql`
    with cleared as (${clearedTokens(nowMs)}), refreshing as (
      insert into docket_system.access_key (key_hash, kind, user_id, generation, created_at, created_by, expires_at, oauth_client)
      select ${hashAccessKey(refreshToken)}, 'refresh', u.sys_id, ${generation}::bigint, ${momentOf(nowMs)}, u.sys_id,
             ${momentOf(nowMs)} + ${client.refreshSeconds}::integer * interval '1 second', ${client.id}::bigint
      from docket."user" u where u.sys_id = ${userId}::bigint
      returning sys_id, user_id
    )
    insert into docket_system.access_key (key_hash, kind, user_id, generation, created_at, created_by, expires_at, oauth_client, refreshed_by)
    select ${hashAccessKey(accessToken)}, 'session', r.user_id, ${generation}::bigint, ${momentOf(nowMs)}, r.user_id,
           ${momentOf(nowMs)} + ${client.accessSeconds}::integer * interval '1 second', ${client.id}::bigint, r.sys_id
    from refreshing r returning sys_id`)
  if (made.length === 0) return fail({ kind: 'unauthenticated', reason: 'wrong' })
  return succeed({ accessToken, refreshToken, expiresInSeconds: client.accessSeconds - 1 })
}

/** The token acts as the client's user. */
async function issueToClient(
  { database, clock }: OauthDeps,
  client: Client,
): Promise<Result<IssuedTokens, GrantFailure>> {
  const user = client.userId === null ? undefined : await loadPrincipal(database, client.userId)
  if (!user?.isActive)
    return fail({ kind: 'grant', detail: 'The client has no active user to act as (oauth_entity.user).' })
  const accessToken = makeAccessKey()
  const nowMs = clock.nowMs()
  await database.rows(sql`
    with cleared as (${clearedTokens(nowMs)})
    insert into docket_system.access_key (key_hash, kind, user_id, generation, created_at, created_by, expires_at, oauth_client)
    select ${hashAccessKey(accessToken)}, 'session', u.sys_id, ${user.generation}::bigint, ${momentOf(nowMs)}, u.sys_id,
           ${momentOf(nowMs)} + ${client.accessSeconds}::integer * interval '1 second', ${client.id}::bigint
    from docket."user" u where u.sys_id = ${client.userId}::bigint`)
  return succeed({ accessToken, refreshToken: null, expiresInSeconds: client.accessSeconds - 1 })
}

/** The refresh token stays valid until its own end: clients keep it. */
async function refresh(
  { database, clock }: OauthDeps,
  client: Client,
  refreshToken: string,
): Promise<Result<IssuedTokens, GrantFailure>> {
  const accessToken = makeAccessKey()
  const nowMs = clock.nowMs()
  const made = isAccessKey(refreshToken)
    ? await database.rows(sql`
        insert into docket_system.access_key (key_hash, kind, user_id, generation, created_at, created_by, expires_at, oauth_client, refreshed_by)
        select ${hashAccessKey(accessToken)}, 'session', k.user_id, k.generation, ${momentOf(nowMs)}, k.user_id,
               ${momentOf(nowMs)} + ${client.accessSeconds}::integer * interval '1 second', k.oauth_client, k.sys_id
        from docket_system.access_key k
        join docket."user" u on u.sys_id = k.user_id and u.active
        left join docket_system.user_generation g on g.user_id = k.user_id
        where k.key_hash = ${hashAccessKey(refreshToken)} and k.kind = 'refresh' and k.oauth_client = ${client.id}::bigint
          and k.revoked_at is null and k.expires_at > ${momentOf(nowMs)} and k.generation = coalesce(g.generation, 0)
        returning sys_id`)
    : []
  if (made.length === 0)
    return fail({ kind: 'grant', detail: 'The refresh token has ended, or is none of this client.' })
  return succeed({ accessToken, refreshToken, expiresInSeconds: client.accessSeconds - 1 })
}

/** Each grant deletes a few tokens that ended more than a day ago. */
const clearedTokens = (nowMs: number) => sql`
  delete from docket_system.access_key where sys_id in (
    select sys_id from docket_system.access_key
    where expires_at < ${momentOf(nowMs)} - interval '1 day' and oauth_client is not null
    order by expires_at limit 20 for update skip locked)`

/** Ends a token at once, in every process; a refresh token together with its access tokens. An unknown token counts as ended. */
export async function revokeToken(
  { database, clock }: Pick<OauthDeps, 'database' | 'clock'>,
  token: string,
): Promise<void> {
  if (!isAccessKey(token)) return
  await database.rows(sql`
    with named as (
      select sys_id from docket_system.access_key where key_hash = ${hashAccessKey(token)} and oauth_client is not null)
    update docket_system.access_key k set revoked_at = ${momentOf(clock.nowMs())} from named
    where k.revoked_at is null and (k.sys_id = named.sys_id or k.refreshed_by = named.sys_id)`)
}
