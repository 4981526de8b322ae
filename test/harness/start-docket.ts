import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServer } from '../../src/app.ts'
import { readSettings } from '../../src/config/settings.ts'
import { type Database, openDatabase } from '../../src/database/database.ts'
import { type Clock, systemClock } from '../../src/kernel/clock.ts'
import { createMetrics } from '../../src/telemetry/metrics.ts'
import type { Observation } from '../../src/telemetry/observation.ts'
import { type FreshDatabase, freshDatabase, type Template } from './fresh-database.ts'
import { type Answer, type RequestOptions, sendTo } from './send-request.ts'
import { stillRunning } from './still-running.ts'

export interface StartDocketOptions {
  readonly template?: Template
  /** Instead of a database of its own; whoever made it drops it. */
  readonly fresh?: FreshDatabase
  /** `DOCKET_…` variables. */
  readonly environment?: Readonly<Record<string, string>>
  readonly clock?: Clock
  /** The test sends requests while collections are still being indexed. */
  readonly isIndexPending?: true
}

export interface RunningDocket {
  readonly baseUrl: string
  /** The test's own connections to the same database, beside the server's. */
  readonly database: Database
  readonly connectionString: string
  /** Goes with the server. */
  readonly dataDir: string
  /** Everything the server noticed so far. */
  readonly observations: readonly Observation[]
  /** `path` goes onto the wire letter by letter. */
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>
  /** Ends the server and drops its database. Fails when something was left running. */
  close(): Promise<void>
}

/** The whole server in this process, on a free port, over a database of its own. Close it in `afterAll`. */
export async function startDocket(options: StartDocketOptions = {}): Promise<RunningDocket> {
  const dataDir = mkdtempSync(join(tmpdir(), 'docket-data-'))
  const settings = readSettings({
    DOCKET_PORT: '0',
    DOCKET_DATA_DIR: dataDir,
    // What a slow machine records must be in no test.
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
  const server = await startServer({
    settings,
    database,
    observe: (seen) => {
      observations.push(seen)
      metrics.observe(seen)
    },
    metrics,
    clock: options.clock ?? systemClock,
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
      await database.close()
      rmSync(dataDir, { recursive: true, force: true })
      stillRunning.delete(`server ${server.address}`)
      if (options.fresh === undefined) await fresh.drop()
    },
  }
}
