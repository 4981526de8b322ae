import type { Session } from '../database/database.ts'
import type { Action, Problem } from '../kernel/problem.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'
import { sql } from '../kernel/sql.ts'

/** A rule of sys_security_acl that is requested together with the tables. */
export interface WantedGrant {
  readonly operation: Action
  readonly role: string
}

/** @returns how many rules were written: existing rules are not written again */
export async function grantRights(
  session: Session,
  tables: readonly string[],
  grants: readonly WantedGrant[],
): Promise<Result<number, Problem>> {
  let written = 0
  for (const { operation, role } of grants) {
    const [known] = await session.rows<{ id: string }>(
      sql`select sys_id::text as id from docket.sys_role where name = ${role}`,
    )
    if (known === undefined) return fail({ kind: 'thing-not-found', thing: 'role', name: role })
    const rows = await session.rows(sql`
      insert into docket.sys_security_acl (operation, table_name, roles, description)
      select ${operation}, t.name, array[${known.id}::text], 'docket adopt --grant ' || ${`${operation}:${role}`}::text
      from unnest(${[...tables]}::text[]) as t (name)
      where not exists (select from docket.sys_security_acl a where a.active and a.operation = ${operation} and a.table_name = t.name
        and coalesce(a.column_name, '') = '' and coalesce(a.condition, '') = '' and ${known.id}::text = any(a.roles))
      returning sys_id`)
    written += rows.length
  }
  return succeed(written)
}
