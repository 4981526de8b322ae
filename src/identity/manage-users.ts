import { countUpdate } from '../database/count-update.ts'
import type { Database, Session } from '../database/database.ts'
import type { Problem } from '../kernel/problem.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'
import { type Sql, sql } from '../kernel/sql.ts'
import { administratorId } from './administrator.ts'
import { loadPrincipal } from './load-principal.ts'
import { momentOf } from './moment.ts'
import { hashPassword, passwordProblem } from './passwords.ts'

// Commands for users on the server's machine (docket user …). There is no caller whose rights could be checked: everybody who can read the
// database's password can do all of it anyway. The author of the changes is the administrator, and the change log has them like every write
// of a record.

export interface NewUser {
  readonly userName: string
  readonly displayName: string | null
  readonly email: string | null
  readonly language: 'en' | 'ru'
  readonly timeZone: string
  /** null: nobody can log in as this user until a password is set; API keys work. */
  readonly password: string | null
  readonly roles: readonly string[]
}

/** @returns the new user's sys_id; all or nothing is written */
export async function createUser(database: Database, user: NewUser): Promise<Result<string, Problem>> {
  const problem = userNameProblem(user.userName) ?? maybePasswordProblem(user)
  if (problem !== undefined) return fail(problem)
  const stored = user.password === null ? null : await hashPassword(user.password)
  return database.inTransaction(async (session) => {
    const missing = await unknownRoles(session, user.roles)
    if (missing !== undefined) return fail(missing)
    const [made] = await session.rows<{ sys_id: string }>(sql`
      with made as (insert into docket."user" (user_name, display_name, email, language, time_zone, password, sys_created_by, sys_updated_by)
      values (${user.userName}, ${user.displayName ?? user.userName}, ${user.email}, ${user.language}, ${user.timeZone}, ${stored},
              ${administratorId}::bigint, ${administratorId}::bigint)
      on conflict do nothing returning *)
      select made.sys_id, ${logged(sql`null`, sql`to_jsonb(made.*)`)} from made`)
    if (made === undefined) return fail({ kind: 'not-unique', table: 'user', field: 'user_name' })
    await giveRoles(session, made.sys_id, user.roles)
    return succeed(made.sys_id)
  })
}

/** Ends every session and key of the user (a trigger does it for every change of a password). */
export async function setUserPassword(
  database: Database,
  userName: string,
  password: string,
): Promise<Result<void, Problem>> {
  const problem = passwordProblem(password, userName)
  if (problem !== undefined) return fail(problem)
  return updateUser(database, userName, sql`password = ${await hashPassword(password)}`)
}

/** A disabled user cannot sign in, and all their sessions and keys end. */
export function setUserActive(database: Database, userName: string, isActive: boolean): Promise<Result<void, Problem>> {
  return updateUser(database, userName, sql`active = ${isActive}`)
}

/** Removes the locks that failed logins of this user name caused, in every process: of the name and of the networks. */
export async function unlockUser(database: Database, userName: string): Promise<Result<void, Problem>> {
  if ((await findUserId(database, userName)) === undefined) return noSuchUser(userName)
  await database.rows(sql`select docket_system.unlock_login(${userName})`)
  return succeed(undefined)
}

export interface RolesOfUser {
  /** Granted to the user directly, by name. */
  readonly direct: readonly string[]
  /** Including those of groups, and those that roles contain. */
  readonly all: readonly string[]
}

/** Grants and revokes direct roles; with neither, only reports. All or nothing is written. */
export async function changeRoles(
  database: Database,
  userName: string,
  { give, take }: { readonly give: readonly string[]; readonly take: readonly string[] },
): Promise<Result<RolesOfUser, Problem>> {
  return database.inTransaction(async (session) => {
    const userId = await findUserId(session, userName)
    if (userId === undefined) return noSuchUser(userName)
    const missing = await unknownRoles(session, [...give, ...take])
    if (missing !== undefined) return fail(missing)
    if (give.length > 0) await giveRoles(session, userId, give)
    if (take.length > 0) await takeRoles(session, userId, take)
    return succeed(await rolesOf(session, userId))
  })
}

export interface ListedUser {
  readonly id: string
  readonly userName: string
  readonly displayName: string | null
  readonly email: string | null
  readonly active: boolean
  readonly hasPassword: boolean
  /** Granted to the user directly, by name. */
  readonly roles: readonly string[]
}

/** By user name. */
export function listUsers(session: Session): Promise<readonly ListedUser[]> {
  return session.rows<ListedUser>(sql`
    select u.sys_id as id, u.user_name as "userName", u.display_name as "displayName", u.email, u.active,
           u.password is not null as "hasPassword",
           array(select r.name from docket.sys_user_has_role h join docket.sys_role r on r.sys_id = h.role_id
                 where h.user_id = u.sys_id order by r.name collate "C") as roles
    from docket."user" u order by docket_system.fold(u.user_name) collate "C"`)
}

/** How many sessions and API keys of a user are valid at this moment. */
export async function countValidKeys(session: Session, userId: string, nowMs: number): Promise<number> {
  const [row] = await session.rows<{ keys: number }>(sql`
    select count(*)::integer as keys from docket_system.access_key k
    left join docket_system.user_generation g on g.user_id = k.user_id
    where k.user_id = ${userId}::bigint and k.revoked_at is null and k.generation = coalesce(g.generation, 0)
      and k.expires_at > ${momentOf(nowMs)}`)
  return row?.keys ?? 0
}

/** @param userName in any case */
export async function findUserId(session: Session, userName: string): Promise<string | undefined> {
  const [found] = await session.rows<{ sys_id: string }>(sql`
    select sys_id from docket."user" where docket_system.fold(user_name) = docket_system.fold(${userName})`)
  return found?.sys_id
}

async function updateUser(
  database: Database,
  userName: string,
  assignment: Sql<unknown>,
): Promise<Result<void, Problem>> {
  const updated = await database.rows(sql`
    with before as (select * from docket."user" where docket_system.fold(user_name) = docket_system.fold(${userName}) for update),
      after as (update docket."user" u set ${assignment}, sys_updated_at = docket_system.now_utc(), sys_updated_by = ${administratorId}::bigint,
          ${countUpdate('u')}
        from before where u.sys_id = before.sys_id returning u.*)
    select after.sys_id, ${logged(sql`to_jsonb(before.*)`, sql`to_jsonb(after.*)`)} from after join before on before.sys_id = after.sys_id`)
  return updated.length === 0 ? noSuchUser(userName) : succeed(undefined)
}

/** Without secrets (migration 000009). */
const logged = (before: Sql<unknown>, after: Sql<unknown>): Sql<unknown> =>
  sql`docket_system.log_change(${before}, ${after}, ${administratorId}::bigint)`

const noSuchUser = (userName: string) => fail<Problem>({ kind: 'thing-not-found', thing: 'user', name: userName })

/** Basic authentication ends a user name at the first colon. */
function userNameProblem(userName: string): Problem | undefined {
  if (/^[^:\p{Cc}\s](?:[^:\p{Cc}]{0,98}[^:\p{Cc}\s])?$/u.test(userName)) return undefined
  const detail = 'a user name has 1 to 100 characters, no colon, and no space at its ends'
  return { kind: 'invalid-value', field: 'user_name', detail }
}

function maybePasswordProblem({ password, userName }: NewUser): Problem | undefined {
  return password === null ? undefined : passwordProblem(password, userName)
}

async function unknownRoles(session: Session, names: readonly string[]): Promise<Problem | undefined> {
  const [missing] = await session.rows<{ name: string }>(sql`
    select w.name from unnest(${names}::text[]) as w (name)
    where not exists (select from docket.sys_role r where r.name = w.name) limit 1`)
  return missing === undefined ? undefined : { kind: 'thing-not-found', thing: 'role', name: missing.name }
}

async function giveRoles(session: Session, userId: string, names: readonly string[]): Promise<void> {
  await session.rows(sql`
    with made as (insert into docket.sys_user_has_role (user_id, role_id, sys_created_by, sys_updated_by)
      select ${userId}::bigint, r.sys_id, ${administratorId}::bigint, ${administratorId}::bigint
      from docket.sys_role r where r.name = any (${names}) on conflict do nothing returning *)
    select ${logged(sql`null`, sql`to_jsonb(made.*)`)} from made`)
}

async function takeRoles(session: Session, userId: string, names: readonly string[]): Promise<void> {
  await session.rows(sql`
    with gone as (delete from docket.sys_user_has_role h using docket.sys_role r
      where h.user_id = ${userId}::bigint and r.sys_id = h.role_id and r.name = any (${names}) returning h.*)
    select ${logged(sql`to_jsonb(gone.*)`, sql`null`)} from gone`)
}

async function rolesOf(session: Session, userId: string): Promise<RolesOfUser> {
  const direct = await session.rows<{ name: string }>(sql`
    select r.name from docket.sys_user_has_role h join docket.sys_role r on r.sys_id = h.role_id
    where h.user_id = ${userId}::bigint`)
  const loaded = await loadPrincipal(session, userId)
  return { direct: direct.map(({ name }) => name).sort(), all: [...(loaded?.principal.roles ?? [])].sort() }
}
