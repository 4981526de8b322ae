import { CHANGED_TABLE, databaseFailureOf } from '../../database/database-failure.ts'

const MAX_ATTEMPTS = 3

/**
 * Runs work whose statements contain rights on records (`authorizedRecords`). Such a statement fails if the table, or a
 * column that a rule compares, was dropped since the rights were read: the work then runs again, with the rights of the new dictionary.
 * Likewise a transaction with requests to records: a failed statement ends it, and the owner of an adopted table may have changed the
 * table back before `runPlan` has compared it.
 *
 * @param work has changed nothing when it throws
 */
export async function onCurrentTables<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      const failure = databaseFailureOf(error)
      if (failure === null || !CHANGED_TABLE.has(failure.code) || attempt === MAX_ATTEMPTS) throw error
    }
  }
}
