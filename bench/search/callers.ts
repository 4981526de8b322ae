import type { Database, Session } from '../../src/database/database.ts'
import { administratorId } from '../../src/identity/administrator.ts'
import { makeApiKey } from '../../src/identity/api-keys.ts'
import { createUser } from '../../src/identity/manage-users.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { sql } from '../../src/kernel/sql.ts'

/** API keys. */
export interface Keys {
  readonly admin: string
  readonly reader: string
}

export async function makeCallers(database: Database): Promise<Keys> {
  const about = { displayName: null, email: null, language: 'en' as const, timeZone: 'UTC', password: null }
  const reader = await createUser(database, { ...about, userName: 'reader', roles: ['document_reader', 'user'] })
  if (!reader.ok) throw new Error(reader.error.kind)
  return { admin: await keyFor(administratorId), reader: await keyFor(reader.value) }

  async function keyFor(userId: string): Promise<string> {
    const expiresAtMs = systemClock.nowMs() + 86_400_000
    const made = await makeApiKey(
      { database, clock: systemClock },
      { userId, name: 'bench', expiresAtMs, roles: null },
      userId,
    )
    if (!made.ok) throw new Error(made.error.kind)
    return made.value.key
  }
}

/** Id of the record of the first document; the next ones follow it. */
export const firstRecordId = 500_000_000_000

/** A record for each document; a rule makes every other one visible to the reader. */
export async function seedRecords(session: Session, count: number): Promise<void> {
  await session.rows(sql`
    insert into docket.task (sys_id, sys_db_table_id, subject, active)
    select ${firstRecordId}::bigint + n, (select sys_id from docket.sys_db_table where name = 'task'), 'bench', n % 2 = 0
    from generate_series(0, ${count - 1}::integer) as n`)
  await session.rows(sql`delete from docket.sys_security_acl where table_name = 'task'`)
  await session.rows(sql`
    insert into docket.sys_security_acl (operation, table_name, roles, condition, admin_overrides)
    values ('read', 'task', '{}', 'active=true', true)`)
}
