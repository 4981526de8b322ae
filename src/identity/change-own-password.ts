import { countUpdate } from '../database/count-update.ts'
import type { Problem } from '../kernel/problem.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'
import { sql } from '../kernel/sql.ts'
import type { Authenticated } from './authenticate.ts'
import type { BrowserSessionDeps } from './manage-sessions.ts'
import { hashPassword, passwordProblem } from './passwords.ts'

export interface PasswordChange {
  readonly oldPassword: string
  readonly newPassword: string
  /** Of the connection: wrong passwords count as failed logins. */
  readonly address: string
}

/**
 * Changes a user's own password. It ends every other session and every API key of the user, as each new password does (a trigger); the
 * session of the request stays valid.
 */
export async function changeOwnPassword(
  { database, checkLogin }: BrowserSessionDeps,
  { principal, means }: Authenticated,
  { oldPassword, newPassword, address }: PasswordChange,
): Promise<Result<void, Problem>> {
  const problem = newPasswordProblem(oldPassword, newPassword, principal.userName)
  if (problem !== undefined) return fail(problem)
  const verified = await checkLogin({ userName: principal.userName, password: oldPassword, address })
  if (!verified.ok) return verified.error.kind === 'unauthenticated' ? wrongPassword : verified
  if (verified.value.userId !== principal.userId) return wrongPassword
  const stored = await hashPassword(newPassword)
  const keptId = means.kind === 'session' || means.kind === 'cookie' ? means.keyId : null
  return database.inTransaction(async (session) => {
    // Only if the checked password is still set: the change of another request is not overwritten.
    const changed = await session.rows(sql`
      with before as (
        select u.* from docket."user" u left join docket_system.user_generation g on g.user_id = u.sys_id
        where u.sys_id = ${principal.userId}::bigint and coalesce(g.generation, 0) = ${verified.value.generation}::bigint for update of u
      ), after as (
        update docket."user" u
        set password = ${stored}, sys_updated_at = docket_system.now_utc(), sys_updated_by = before.sys_id,
          ${countUpdate('u')}
        from before where u.sys_id = before.sys_id returning u.*)
      select docket_system.log_change(to_jsonb(before.*), to_jsonb(after.*), after.sys_id)
      from after join before on before.sys_id = after.sys_id`)
    if (changed.length === 0) return wrongPassword
    if (keptId === null) return succeed(undefined)
    await session.rows(sql`
      update docket_system.access_key k set generation = g.generation
      from docket_system.user_generation g where g.user_id = k.user_id and k.sys_id = ${keptId}::bigint`)
    return succeed(undefined)
  })
}

const wrongPassword = fail<Problem>({
  kind: 'invalid-value',
  field: 'old',
  detail: 'it is not the password of the user',
})

function newPasswordProblem(old: string, password: string, userName: string): Problem | undefined {
  if (old === password) return { kind: 'invalid-value', field: 'new', detail: 'it is the current password' }
  const problem = passwordProblem(password, userName)
  return problem && { ...problem, field: 'new' }
}
