import { StartFailure } from '../kernel/start-failure.ts'
import { LOCKS } from './advisory-locks.ts'

/**
 * A restore writes the database in one transaction, but files of records and documents are outside it. So it first commits a row in a
 * schema of its own, and deletes it in that transaction: while the row exists, a restore is running or was killed.
 */
export const restoreSchema = 'docket_restore'

interface QueryClient {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: readonly Record<string, unknown>[] }>
}

/** @throws StartFailure if a restore of the database is running or has to be repeated */
export async function rejectUnfinishedRestore(client: QueryClient): Promise<void> {
  const found = await client.query(`select to_regclass('${restoreSchema}.state') is not null as is_marked`)
  if (found.rows[0]?.['is_marked'] !== true) return
  const { rows } = await client.query(
    `select source, to_char(started_at, 'YYYY-MM-DD HH24:MI') as started_at from ${restoreSchema}.state`,
  )
  const [state] = rows
  if (state === undefined) return
  const running = await client.query(
    `select exists (select from pg_locks where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())
       and (classid::int8 << 32) + objid::int8 = $1) as is_running`,
    [LOCKS.restore],
  )
  const what = `A restore of ${String(state['source'])} into this database`
  throw new StartFailure(
    running.rows[0]?.['is_running'] === true
      ? `${what} is running since ${String(state['started_at'])} UTC: wait until it has ended.`
      : `${what} was interrupted (it began at ${String(state['started_at'])} UTC): repeat docket restore with the same file, or run docket restore --cancel to go on with what the database held before.`,
  )
}
