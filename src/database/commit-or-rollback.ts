import type { Database, Session } from './database.ts'

/** Rolls the transaction back and returns the given outcome. */
export type Rollback<T> = (outcome: T) => never

class RolledBack<T> extends Error {
  readonly outcome: T
  constructor(outcome: T) {
    super('the transaction is rolled back')
    this.outcome = outcome
  }
}

/** Runs a transaction. It commits when `work` returns an outcome, and rolls back when `work` calls `rollback` with one. */
export async function commitOrRollback<T>(
  database: Database,
  work: (session: Session, rollback: Rollback<T>) => Promise<T>,
  isolation?: Parameters<Database['inTransaction']>[1],
): Promise<T> {
  const rollback: Rollback<T> = (outcome) => {
    throw new RolledBack(outcome)
  }
  try {
    return await database.inTransaction((session) => work(session, rollback), isolation)
  } catch (error) {
    if (error instanceof RolledBack) return (error as RolledBack<T>).outcome
    throw error
  }
}
