import { LOCKS } from '../../database/advisory-locks.ts'
import type { Database, Session } from '../../database/database.ts'
import { sql } from '../../kernel/sql.ts'

/**
 * Creates the tables of an engine for vectors, in one process at a time. No migration makes them: most servers do not use the engine. Their schema
 * is their own, because backups contain only what cannot be computed from the rest.
 */
export async function createVectorTables(
  database: Database,
  create: (session: Session) => Promise<void>,
): Promise<void> {
  await database.inTransaction(async (session) => {
    await session.rows(sql`select pg_advisory_xact_lock(${LOCKS.vectorTables})`)
    await session.rows(sql`create schema if not exists docket_vectors`)
    await create(session)
  })
}
