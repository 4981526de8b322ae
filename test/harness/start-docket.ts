import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServer } from '../../src/app.ts'
import { readSettings } from '../../src/config/settings.ts'
import { type Database, openDatabase } from '../../src/database/database.ts'
import { type Clock, systemClock } from '../../src/kernel/clock.ts'
import { createMetrics } from '../../src/telemetry/metrics.ts'
import type { Observation, Observe } from '../../src/telemetry/observation.ts'
import { type FreshDatabase, freshDatabase, type Template } from './fresh-database.ts'
import { useSearchProcess, usesSearchProcess } from './search-process.ts'
import { type ReceivedResponse, type RequestOptions, sendTo } from './send-request.ts'
import { stillRunning } from './still-running.ts'

export interface StartDocketOptions {
  readonly template?: Template
  /** The database to use instead of a new one. The caller drops it. */
  readonly fresh?: FreshDatabase
  /** `DOCKET_…` variables. */
  readonly environment?: Readonly<Record<string, string>>
  readonly clock?: Clock
  /** The test sends requests while collections are still being indexed. */
  readonly isIndexPending?: true
}

export interface RunningDocket {
  readonly baseUrl: string
  /** The test's own connections to the database of the server. */
  readonly database: Database
  readonly connectionString: string
  /** Removed with the server. */
  readonly dataDir: string
  /** All observations of the server so far. */
  readonly observations: readonly Observation[]
  /** `path` is sent unchanged. */
  request(method: string, path: string, options?: RequestOptions): Promise<ReceivedResponse>
  /** Stops the server and drops its database. Fails if something was left running. */
  close(): Promise<void>
}

/** The whole server in this process, on a free port, with a new database. Close it in `afterAll`. */
export async function startDocket(options: StartDocketOptions = {}): Promise<RunningDocket> {
  const dataDir = mkdtempSync(join(tmpdir(), 'docket-data-'))
  const settings = readSettings({
    DOCKET_PORT: '0',
    DOCKET_DATA_DIR: dataDir,
    // A slow machine must not add observations of slow requests.
    DOCKET_SLOW_REQUEST_MS: '3600000',
    ...options.environment,
  })
  const fresh = options.fresh ?? (await freshDatabase(options.template))
  const database = openDatabase({
    connectionString: fresh.connectionString,
    maxConnections: settings.databasePool,
    statementTimeoutMs: settings.statementTimeoutMs,
  })
  const observations: Observation[] = []
  const metrics = createMetrics()
  const observe: Observe = (seen) => {
    observations.push(seen)
    metrics.observe(seen)
  }
  const onError = (error: unknown): void => observe({ kind: 'documents-failed', error })
  const search = usesSearchProcess() ? await useSearchProcess(fresh.connectionString, database, onError) : null
  const server = await startServer({
    settings,
    database,
    observe,
    metrics,
    clock: options.clock ?? systemClock,
    searchProcess: search?.address ?? null,
  })
  if (options.isIndexPending !== true) await server.whenSearchable()
  const client = sendTo(server.address)
  stillRunning.add(`server ${server.address}`)
  return {
    baseUrl: server.address,
    database: fresh.database,
    connectionString: fresh.connectionString,
    dataDir,
    observations,
    request: client.send,
    async close() {
      client.close()
      await server.close()
      await search?.close()
      await database.close()
      rmSync(dataDir, { recursive: true, force: true })
      stillRunning.delete(`server ${server.address}`)
      if (options.fresh === undefined) await fresh.drop()
    },
  }
}
