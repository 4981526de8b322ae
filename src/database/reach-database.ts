import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { Settings } from '../config/settings.ts'
import type { Observe } from '../telemetry/observation.ts'
import { type Cluster, clusterDatabase, clusterIn } from './embedded/cluster.ts'
import { addressOf, connectionString } from './embedded/cluster-address.ts'
import { readPostmasterFile } from './embedded/postmaster-file.ts'
import { mayWorkIn } from './embedded/processes.ts'
import { type StartedDatabase, startDatabase } from './start-database.ts'

/**
 * The database for a short command: the one in the settings, the embedded one of a running Docket, or the embedded one, started for the
 * duration of the command.
 */
export async function reachDatabase(settings: Settings, observe: Observe): Promise<StartedDatabase> {
  const running = settings.databaseUrl === undefined ? await findRunning(settings.dataDir) : undefined
  if (running !== undefined) return { connectionString: running, stop: () => Promise.resolve() }
  return startDatabase(settings, observe, (failure) => {
    throw failure
  })
}

/**
 * The database in the settings, or the embedded one of a running Docket. Starts nothing.
 *
 * @returns `at-rest`: an embedded server could be started; `none`: the first start creates one
 */
export async function findDatabase(settings: Settings): Promise<FoundDatabase> {
  const url = settings.databaseDirectUrl ?? settings.databaseUrl
  if (url !== undefined) return { kind: 'serving', connectionString: url }
  const connectionString = await findRunning(settings.dataDir)
  if (connectionString !== undefined) return { kind: 'serving', connectionString }
  return { kind: existsSync(clusterIn(join(settings.dataDir, 'postgres')).dataDirectory) ? 'at-rest' : 'none' }
}

export type FoundDatabase =
  | { readonly kind: 'serving'; readonly connectionString: string }
  | { readonly kind: 'at-rest' | 'none' }

/** @returns the address of the embedded server if it accepts connections */
async function findRunning(dataDirectory: string): Promise<string | undefined> {
  if (!existsSync(dataDirectory)) return undefined
  const cluster = clusterIn(join(realpathSync(dataDirectory), 'postgres'))
  const server = readPostmasterFile(cluster)
  if (!server?.isReady || !mayWorkIn(server.processId, cluster.dataDirectory)) return undefined
  return addressOfRunning(cluster, server.port)
}

async function addressOfRunning(cluster: Cluster, port: number): Promise<string> {
  const address = await addressOf(cluster)
  return connectionString(cluster, 'loopbackPort' in address ? { loopbackPort: port } : address, clusterDatabase)
}
