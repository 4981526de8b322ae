import type { Database, Session } from '../database/database.ts'

/** The database as it is, of which nothing that is written stays: every statement runs, is checked, and is taken back. */
export function dryRunDatabase(database: Database): Database {
  return {
    ...database,
    run: (statement, values) => takenBack(database, (session) => session.run(statement, values)),
    inTransaction: (work, isolation) => takenBack(database, work, isolation),
  }
}

class TakenBack extends Error {
  readonly value: unknown
  constructor(value: unknown) {
    super('taken back')
    this.value = value
  }
}

async function takenBack<T>(
  database: Database,
  work: (session: Session) => Promise<T>,
  isolation?: Parameters<Database['inTransaction']>[1],
): Promise<T> {
  try {
    return await database.inTransaction<T>(async (session) => {
      throw new TakenBack(await work(session))
    }, isolation)
  } catch (error) {
    if (error instanceof TakenBack) return error.value as T
    throw error
  }
}
