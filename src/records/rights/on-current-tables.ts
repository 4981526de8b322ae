import { databaseFailureOf } from '../../database/database-failure.ts'

/** SQLSTATEs: undefined table, undefined column, wrong type, undefined operator. */
const CHANGED: ReadonlySet<string> = new Set(['42P01', '42703', '42804', '42883'])
const MAX_ATTEMPTS = 3

/**
 * Runs work whose statements contain rights on records (`authorizedRecords`). Such a statement fails if the table, or a
 * column that a rule compares, was dropped since the rights were read: the work then runs again, with the rights of the new dictionary.
 *
 * @param work has changed nothing when it throws
 */
export async function onCurrentTables<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      const failure = databaseFailureOf(error)
      if (failure === null || !CHANGED.has(failure.code) || attempt === MAX_ATTEMPTS) throw error
    }
  }
}
