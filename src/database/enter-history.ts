import type pg from 'pg'
import { databaseFailureOf } from './database-failure.ts'

/**
 * Run first on each connection that writes: records that another server is the primary now, and skips the numbers that the previous one may
 * have used (`migrations/functions/docket_system.begin_database_history.sql`).
 */
export const enterHistory = 'docket_system.enter_database_history()'

/** Undefined function, invalid schema name: the database has not been migrated yet. */
const notMigrated = new Set(['42883', '3F000'])

/**
 * @returns id of the history; null: the database has none yet
 * @throws Error if the server is a standby
 */
export async function enterDatabaseHistory(client: pg.ClientBase): Promise<string | null> {
  try {
    const { rows } = await client.query<{ id: string }>(`select ${enterHistory} as id`)
    return rows[0]?.id ?? null
  } catch (error) {
    if (!notMigrated.has(databaseFailureOf(error)?.code ?? '')) throw error
    return null
  }
}
