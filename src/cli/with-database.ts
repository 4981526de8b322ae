import { readSettings } from '../config/settings.ts'
import { type Database, openDatabase } from '../database/database.ts'
import { migrate } from '../database/migrations.ts'
import { reachDatabase } from '../database/reach-database.ts'
import { observeNothing } from '../telemetry/observation.ts'

/** Runs a command on the database of the settings, whether a server runs there or not, and leaves nothing running. */
export async function withDatabase<T>(
  work: (database: Database) => Promise<T>,
  { statementTimeoutMs = 60_000 }: { readonly statementTimeoutMs?: number } = {},
): Promise<T> {
  const reached = await reachDatabase(readSettings(), observeNothing)
  try {
    await migrate({ connectionString: reached.connectionString, observe: observeNothing })
    const database = openDatabase({
      connectionString: reached.connectionString,
      maxConnections: 2,
      statementTimeoutMs,
      applicationName: 'docket command',
    })
    try {
      return await work(database)
    } finally {
      await database.close()
    }
  } finally {
    await reached.stop()
  }
}
