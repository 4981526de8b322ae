import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import { verifyPassword } from '../identity/passwords.ts'
import { demoUsers } from './demo-users.ts'

/** User names of the demo that exist, in the order of docs/demo-desk.md. Their passwords may have changed. */
export async function findDemoUsers(database: Database): Promise<readonly string[]> {
  return (await readDemoUsers(database)).map(({ userName }) => userName)
}

/** User names that have the password that Docket publishes for them; a deactivated user counts, because activation is one write. */
export async function findPublicPasswords(database: Database): Promise<readonly string[]> {
  const checked = await Promise.all(
    (await readDemoUsers(database)).map(async ({ userName, published, stored }) =>
      (await verifyPassword(stored, published)) ? [userName] : [],
    ),
  )
  return checked.flat()
}

interface StoredDemoUser {
  readonly userName: string
  readonly published: string
  readonly stored: string | null
}

async function readDemoUsers(database: Database): Promise<readonly StoredDemoUser[]> {
  const names = demoUsers.map(({ userName }) => userName)
  const rows = await database.rows<{ readonly name: string; readonly password: string | null }>(sql`
    select user_name as name, password from docket."user" where user_name = any(${names}::text[])`)
  const found = new Map(rows.map(({ name, password }) => [name, password]))
  return demoUsers.flatMap(({ userName, password }) => {
    const stored = found.get(userName)
    return stored === undefined ? [] : [{ userName, published: password, stored }]
  })
}
