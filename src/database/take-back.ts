import type { Database, Session } from './database.ts'

/** Ends the transaction without a trace of it; its outcome is the value. */
export type TakeBack<T> = (outcome: T) => never

class TakenBack<T> extends Error {
  readonly outcome: T
  constructor(outcome: T) {
    super('the transaction was taken back')
    this.outcome = outcome
  }
}

/** A transaction that commits with the outcome that `work` returns, and leaves nothing when `takeBack` gave another. */
export async function commitOrTakeBack<T>(
  database: Database,
  work: (session: Session, takeBack: TakeBack<T>) => Promise<T>,
): Promise<T> {
  const takeBack: TakeBack<T> = (outcome) => {
    throw new TakenBack(outcome)
  }
  try {
    return await database.inTransaction((session) => work(session, takeBack))
  } catch (error) {
    if (error instanceof TakenBack) return (error as TakenBack<T>).outcome
    throw error
  }
}
