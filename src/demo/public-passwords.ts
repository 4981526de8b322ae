import type { Database } from '../database/database.ts'
import { verifyPassword } from '../identity/passwords.ts'
import { sql } from '../kernel/sql.ts'
import { demoUsers } from './demo-users.ts'

/** Existing user names of the demo, in the order of docs/demo-desk.md. Their passwords may have changed. */
export async function findDemoUsers(database: Database): Promise<readonly string[]> {
  return (await readDemoUsers(database)).map(({ userName }) => userName)
}

/** User names that still have the password that Docket publishes; a deactivated user counts, because one write activates it. */
export async function findPublicPasswords(database: Database): Promise<readonly string[]> {
  const checked = await Promise.all(
    (await readDemoUsers(database)).map(async ({ userName, published, stored }) =>
      (await verifyPassword(stored, published)) ? [userName] : [],
    ),
  )
  return checked.flat()
}

export interface DemoSignIn {
  readonly userName: string
  readonly password: string
}

/**
 * The users who can sign in with a published password, for the sign-in page. Checking a password takes tens of milliseconds, so
 * each stored hash is checked once.
 */
export function demoSignIns(database: Database): () => Promise<readonly DemoSignIn[]> {
  const checked = new Map<string, Promise<boolean>>()
  const isPublic = ({ stored, published }: StoredDemoUser): Promise<boolean> => {
    const known = checked.get(stored ?? '') ?? verifyPassword(stored, published)
    checked.set(stored ?? '', known)
    return known
  }
  return async () => {
    const users = (await readDemoUsers(database)).filter(({ isActive }) => isActive)
    const areOpen = await Promise.all(users.map(isPublic))
    return users
      .filter((_, at) => areOpen[at] === true)
      .map(({ userName, published }) => ({ userName, password: published }))
  }
}

interface StoredDemoUser {
  readonly isActive: boolean
  readonly userName: string
  readonly published: string
  readonly stored: string | null
}

async function readDemoUsers(database: Database): Promise<readonly StoredDemoUser[]> {
  const names = demoUsers.map(({ userName }) => userName)
  const rows = await database.rows<{
    readonly name: string
    readonly password: string | null
    readonly active: boolean
  }>(sql`
    select user_name as name, password, active is not false as active from docket."user" where user_name = any(${names}::text[])`)
  const found = new Map(rows.map((row) => [row.name, row]))
  return demoUsers.flatMap(({ userName, password }) => {
    const stored = found.get(userName)
    return stored === undefined
      ? []
      : [{ userName, published: password, stored: stored.password, isActive: stored.active }]
  })
}
