import { randomBytes } from 'node:crypto'
import type { Database } from '../database/database.ts'
import { selectStatement } from '../database/select-statement.ts'
import type { Problem } from '../kernel/problem.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'
import { sql } from '../kernel/sql.ts'
import { administratorId } from './administrator.ts'
import { type ClaimedRow, FAILED_LOGINS } from './check-login.ts'
import { hashPassword } from './passwords.ts'

export interface NewOauthClient {
  readonly name: string
  /** sys_id of the user for client credentials; null: the grant is not allowed. */
  readonly userId: string | null
  readonly accessTokenSeconds: number
  readonly refreshTokenSeconds: number
}

export interface MadeOauthClient {
  readonly clientId: string
  /** Returned once; only its hash is stored. */
  readonly clientSecret: string
}

/** Makes a client with an id and a secret of its own. Rights are not checked (see manage-users.ts). */
export async function createOauthClient(
  database: Database,
  client: NewOauthClient,
): Promise<Result<MadeOauthClient, Problem>> {
  const { length } = client.name.trim()
  if (length === 0 || length > 100)
    return fail({ kind: 'invalid-value', field: 'name', detail: 'a client has a name of 1 to 100 characters' })
  const clientId = randomBytes(16).toString('hex')
  const clientSecret = randomBytes(24).toString('base64url')
  await database.rows(sql`
    insert into docket.oauth_entity (name, client_id, client_secret, "user", access_token_lifespan, refresh_token_lifespan, active,
      sys_created_by, sys_updated_by)
    values (${client.name.trim()}, ${clientId}, ${await hashPassword(clientSecret)}, ${client.userId}::bigint, ${client.accessTokenSeconds}::integer,
      ${client.refreshTokenSeconds}::integer, true, ${administratorId}::bigint, ${administratorId}::bigint)`)
  return succeed({ clientId, clientSecret })
}

/** Prefix of the id where failures are counted, so that a client and a user of the same name differ. */
export const CLIENT_NAME_PREFIX = 'oauth client '

/** Clients have no generation and no known networks. */
export const CLAIMED_CLIENT = selectStatement<ClaimedRow>({
  name: 'find-claimed-client',
  columns: {
    failed: 'f.counts',
    secret: '(select secret from docket_system.login_secret)',
    userId: 'e.sys_id',
    userName: 'e.client_id',
    password: 'e.client_secret',
    isActive: 'coalesce(e.active, false)',
    generation: '0::bigint',
    lastLoginMs: '0::bigint',
  },
  from: `
  from ${FAILED_LOGINS}
  left join docket.oauth_entity e on e.client_id = substr($1, ${CLIENT_NAME_PREFIX.length + 1}) and $1 <> ''`,
})
