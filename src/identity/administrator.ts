import type { Database } from '../database/database.ts'
import { sql } from '../kernel/sql.ts'
import { StartFailure } from '../kernel/start-failure.ts'
import { hashPassword, makePassword, passwordProblem } from './passwords.ts'

/** The built-in administrator, `admin`. */
export const administratorId = '155931135900000001'

/**
 * The first start sets the administrator's password: the given one, or a generated one. Later starts, and the other processes of this one,
 * find it set and change nothing, whatever password is given.
 *
 * @returns `password` only if it was generated: it is displayed once and not stored
 * @throws StartFailure if the given password is not strong enough
 */
export async function ensureAdministrator(
  database: Database,
  given: { readonly password?: string | undefined } = {},
): Promise<{ readonly created: boolean; readonly password?: string }> {
  if (!(await lacksPassword(database))) return { created: false }
  const problem = given.password === undefined ? undefined : passwordProblem(given.password, 'admin')
  if (problem !== undefined)
    throw new StartFailure(`DOCKET_ADMIN_PASSWORD cannot be used: ${problem.detail}.`, { exitCode: 2 })

  const password = given.password ?? makePassword()
  const stored = await hashPassword(password)
  const set = await database.rows(sql`
    update docket."user" set password = ${stored}
    where sys_id = ${administratorId}::bigint and coalesce(password, '') = '' returning sys_id`)
  if (set.length === 0) return { created: false }
  return given.password === undefined ? { created: true, password } : { created: true }
}

async function lacksPassword(database: Database): Promise<boolean> {
  const found = await database.rows(sql`
    select from docket."user" where sys_id = ${administratorId}::bigint and coalesce(password, '') = ''`)
  return found.length > 0
}
