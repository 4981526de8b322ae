import { accessSync, constants, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, systemClock } from '../../kernel/clock.ts'
import { StartFailure } from '../../kernel/start-failure.ts'
import type { Observe } from '../../telemetry/observation.ts'
import { openDataDirectory } from '../data-directory.ts'
import { type Cluster, clusterDatabase, clusterIn } from './cluster.ts'
import { addressOf, bootstrapConnectionString, connectionString } from './cluster-address.ts'
import { createCluster } from './create-cluster.ts'
import { wrongVersionSentence } from './explain-postgres-output.ts'
import { keepServerRunning } from './keep-server-running.ts'
import { chooseOperatingAccount } from './operating-account.ts'
import { startOwnServer } from './own-server.ts'
import { findPostgresPrograms, postgresMajor } from './postgres-programs.ts'
import { postgresSettings } from './postgres-settings.ts'
import { makeProgramsReachable } from './reachable-programs.ts'

export interface EmbeddedOptions {
  /** The cluster is in its folder `postgres`. Created if missing. */
  readonly dataDirectory: string
  readonly maxConnections: number
  /** Off only for tests: a machine that stops may then lose all data. */
  readonly isDurable?: boolean
  /** Account for PostgreSQL if Docket is root. */
  readonly accountName?: string
  readonly observe: Observe
  readonly clock?: Clock
  /** Called if the server ended unexpectedly and cannot be started again. */
  readonly onLost: (failure: unknown) => void
}

export interface EmbeddedPostgres {
  /** Of the database `docket`, as its owner. */
  connectionString(): string
  /** Of any database of this server, as superuser: for tests and measurements that create databases. */
  bootstrapConnectionString(database: string): string
  /** Shuts the server down cleanly. Open connections are closed. */
  stop(): Promise<void>
}

/**
 * Starts a private PostgreSQL, created if needed, until it accepts connections. Read this file first.
 *
 * @throws StartFailure if it cannot start and the person at the terminal can fix it
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const clock = options.clock ?? systemClock
  const isDurable = options.isDurable ?? true
  const cluster = clusterIn(join(openDataDirectory(options.dataDirectory, options.observe), 'postgres'))
  rejectUnreadable(cluster)
  const account = chooseOperatingAccount(cluster.dataDirectory, options.accountName)
  const programs = makeProgramsReachable(await findPostgresPrograms(), account)
  if (!existsSync(cluster.dataDirectory)) {
    const beganMs = clock.nowMs()
    await createCluster(cluster, { programs, account, isDurable })
    options.observe({ kind: 'database-created', directory: cluster.directory, tookMs: clock.nowMs() - beganMs })
  }
  rejectOtherVersion(cluster)
  const address = await addressOf(cluster)
  const settings = postgresSettings({ ...address, maxConnections: options.maxConnections, isDurable })
  const parts = { cluster, address, run: { programs, account, settings }, observe: options.observe, clock }
  const kept = keepServerRunning(parts, await startOwnServer(parts), options.onLost)
  return {
    connectionString: () => connectionString(cluster, address, clusterDatabase),
    bootstrapConnectionString: (database) => bootstrapConnectionString(cluster, address, database),
    stop: kept.stop,
  }
}

function rejectUnreadable(cluster: Cluster): void {
  if (!existsSync(cluster.directory)) return
  try {
    accessSync(cluster.directory, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new StartFailure(
      `${cluster.directory} belongs to another account (a Docket that ran as root or as another user made it): start Docket as that one, or set DOCKET_DATA_DIR to another folder.`,
      { cause: error },
    )
  }
}

function rejectOtherVersion(cluster: Cluster): void {
  const version = readFileSync(join(cluster.dataDirectory, 'PG_VERSION'), 'utf8').trim()
  if (Number(version) !== postgresMajor) throw new StartFailure(wrongVersionSentence(cluster.directory, version))
}
