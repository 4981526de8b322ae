import { commitOrRollback } from '../database/commit-or-rollback.ts'
import type { Database, Session } from '../database/database.ts'

/** A database that runs and checks every statement and transaction, and rolls it back. */
export function dryRunDatabase(database: Database): Database {
  return {
    ...database,
    run: (statement, values) => rolledBack(database, (session) => session.run(statement, values)),
    inTransaction: (work, isolation) => rolledBack(database, work, isolation),
  }
}

function rolledBack<T>(
  database: Database,
  work: (session: Session) => Promise<T>,
  isolation?: Parameters<Database['inTransaction']>[1],
): Promise<T> {
  return commitOrRollback<T>(database, async (session, rollback) => rollback(await work(session)), isolation)
}
