import { sql } from '../kernel/sql.ts'
import type { Session } from './database.ts'

/** The database was found in an earlier state, on the same server. */
export async function beginHistory(session: Session): Promise<void> {
  await session.rows(sql`select docket_system.begin_database_history(docket_system.server_history(), true)`)
}

/** Identifies the history to which sequence numbers belong; stored with every sequence number outside the database. */
export async function readHistoryId(session: Session): Promise<string> {
  const [row] = await session.rows(
    sql<{ id: string }>`select id from docket_system.database_history order by number desc limit 1`,
  )
  return row?.id ?? ''
}
