import type { Settings } from '../config/settings.ts'
import type { Observe } from '../telemetry/observation.ts'
import { startEmbeddedPostgres } from './embedded/start-embedded-postgres.ts'

export interface StartedDatabase {
  /** Keeps its session: bypasses a pooler. */
  readonly connectionString: string
  /** Stops the embedded server; an external one keeps running. */
  stop(): Promise<void>
}

/** Beside the pool, each process has a few connections for jobs, notifications and cancelling; and people use psql. */
const connectionsBesidePool = 10

/**
 * The PostgreSQL in the settings, or an embedded one in the data directory.
 *
 * @param onLost called if the embedded server ended and cannot be started again
 */
export async function startDatabase(
  settings: Settings,
  observe: Observe,
  onLost: (failure: unknown) => void,
): Promise<StartedDatabase> {
  const url = settings.databaseDirectUrl ?? settings.databaseUrl
  if (url !== undefined) return { connectionString: url, stop: () => Promise.resolve() }
  const server = await startEmbeddedPostgres({
    dataDirectory: settings.dataDir,
    maxConnections: settings.workers * (settings.databasePool + connectionsBesidePool) + connectionsBesidePool,
    ...(settings.postgresAccount !== undefined && { accountName: settings.postgresAccount }),
    observe,
    onLost,
  })
  return { connectionString: server.connectionString(), stop: server.stop }
}
