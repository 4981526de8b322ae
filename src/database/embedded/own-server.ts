import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { Clock } from '../../kernel/clock.ts'
import { StartFailure } from '../../kernel/start-failure.ts'
import type { Observe } from '../../telemetry/observation.ts'
import { moveCharacterType } from './character-type.ts'
import { type Cluster, clusterDatabase, clusterPort } from './cluster.ts'
import { bootstrapConnectionString, type ClusterAddress, loginString } from './cluster-address.ts'
import { becomeOwner, type ClusterOwner, type OwnerOutcome } from './cluster-owner.ts'
import { prepareRoles, superuserLogins } from './cluster-roles.ts'
import { readPostmasterFile } from './postmaster-file.ts'
import { mayWorkIn } from './processes.ts'
import { type PostgresRun, type RunningPostgres, runPostgres, stopPostgres } from './run-postgres.ts'

export interface ServerParts {
  readonly cluster: Cluster
  readonly address: ClusterAddress
  readonly run: PostgresRun
  readonly observe: Observe
  readonly clock: Clock
}

export interface OwnServer {
  readonly server: RunningPostgres
  readonly owner: ClusterOwner
}

/** Two simultaneous first starts may stop each other's server once; more often there is another problem. */
const attempts = 3

/**
 * Starts the cluster's server for this process only. A server that a killed Docket left behind is stopped first: it has written everything
 * that it acknowledged, and a new one has the settings of this version and is a child process.
 *
 * @throws StartFailure if another Docket owns the cluster, or the server does not start
 */
export async function startOwnServer(parts: ServerParts): Promise<OwnServer> {
  const startedMs = parts.clock.nowMs()
  for (let attempt = 1; ; attempt++) {
    const staleProcessId = await endLeftBehind(parts)
    removeStaleSocketLock(parts.cluster)
    const server = await tryRun(parts, { ...parts.run, ...(staleProcessId && { staleProcessId }) }, attempt)
    if (server === undefined) continue
    const outcome = await becomeOwnerAsSuperuser(parts.cluster, parts.address)
    if (outcome.kind === 'taken') throw alreadyRunning(parts.cluster, outcome.ownerProcessId)
    if (outcome.kind === 'owned') {
      await prepareRoles(parts.cluster, parts.address, outcome.owner.client)
      await giveCharacterType(parts, outcome.owner)
      const version = await readVersion(outcome.owner.client)
      const tookMs = parts.clock.nowMs() - startedMs
      parts.observe({ kind: 'database-started', version, processId: server.processId, tookMs })
      return { server, owner: outcome.owner }
    }
    if (attempt >= attempts) throw outcome.error
  }
}

async function giveCharacterType({ cluster, address, observe }: ServerParts, { client }: ClusterOwner): Promise<void> {
  const move = await moveCharacterType(client, bootstrapConnectionString(cluster, address, clusterDatabase))
  if (move.kind === 'moved') observe({ kind: 'character-type-changed', characterType: move.characterType })
  if (move.kind === 'not-possible') observe({ kind: 'character-type-kept', reason: move.reason })
}

/**
 * A killed server leaves a second file with its process id beside its socket. Only postmaster.pid decides which server may use the
 * directory, and the socket is in this directory, so the second file only causes errors if the process id is in use again.
 */
function removeStaleSocketLock(cluster: Cluster): void {
  rmSync(join(cluster.dataDirectory, `.s.PGSQL.${clusterPort}.lock`), { force: true })
}

/** @returns undefined if a server of another start was faster; the next attempt finds it */
async function tryRun(parts: ServerParts, run: PostgresRun, attempt: number): Promise<RunningPostgres | undefined> {
  try {
    return await runPostgres(parts.cluster, run)
  } catch (error) {
    const rival = readPostmasterFile(parts.cluster)
    const isRivals = rival !== undefined && mayWorkIn(rival.processId, parts.cluster.dataDirectory)
    if (isRivals && attempt < attempts) return undefined
    throw error
  }
}

/** How long a server that accepts no connections may recover or end before we give up, in milliseconds. */
const patienceMs = 60_000
/** Time for a Docket that is ending, as in a restart, to release the server. */
const restartPatienceMs = 2_000
const pollMs = 100

/** @returns the process id in a stale postmaster.pid */
async function endLeftBehind(parts: ServerParts): Promise<number | undefined> {
  const { cluster } = parts
  for (let waitedMs = 0; ; waitedMs += pollMs) {
    const file = readPostmasterFile(cluster)
    if (file === undefined) return undefined
    const outcome = await becomeOwnerAsSuperuser(cluster, addressNow(parts.address, file.port))
    if (outcome.kind === 'owned') return stopLeftBehind(parts, file.processId, outcome.owner)
    if (outcome.kind === 'taken') {
      if (waitedMs >= restartPatienceMs) throw alreadyRunning(cluster, outcome.ownerProcessId)
      await delay(pollMs)
      continue
    }
    if (!mayWorkIn(file.processId, cluster.dataDirectory)) return file.processId
    if (isWrongPassword(outcome.error) || waitedMs >= patienceMs) throw wedged(cluster, file.processId, outcome.error)
    await delay(pollMs)
  }
}

function addressNow(address: ClusterAddress, port: number): ClusterAddress {
  return 'loopbackPort' in address ? { loopbackPort: port } : address
}

async function stopLeftBehind(parts: ServerParts, processId: number, owner: ClusterOwner): Promise<undefined> {
  const startedMs = parts.clock.nowMs()
  if (!mayWorkIn(processId, parts.cluster.dataDirectory)) {
    await owner.release()
    throw new StartFailure(
      `A PostgreSQL outside of this container works in ${parts.cluster.directory}: stop it first, or set DOCKET_DATA_DIR to another folder.`,
    )
  }
  await stopPostgres(processId)
  parts.observe({ kind: 'left-behind-database-stopped', processId, tookMs: parts.clock.nowMs() - startedMs })
}

function alreadyRunning(cluster: Cluster, ownerProcessId: number | undefined): StartFailure {
  const who = ownerProcessId === undefined ? '' : ` (process ${ownerProcessId})`
  return new StartFailure(
    `Another Docket${who} already uses ${cluster.directory}: stop it first, or set DOCKET_DATA_DIR to another folder.`,
  )
}

function wedged(cluster: Cluster, processId: number, error: unknown): StartFailure {
  const reason = error instanceof Error ? error.message : String(error)
  return new StartFailure(
    `A PostgreSQL (process ${processId}) still works in ${cluster.directory} and lets nobody in (${reason}): wait until it has ended, or end it with: kill -INT ${processId}`,
    { cause: error },
  )
}

function isWrongPassword(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code?.startsWith('28') === true
}

async function readVersion(client: pg.Client): Promise<string> {
  const version = await client.query('show server_version')
  return String(version.rows[0]?.server_version)
}

async function becomeOwnerAsSuperuser(cluster: Cluster, address: ClusterAddress): Promise<OwnerOutcome> {
  let outcome: OwnerOutcome = { kind: 'unreachable', error: new Error('no login of the superuser is known') }
  for (const login of superuserLogins(cluster)) {
    outcome = await becomeOwner(loginString(address, 'postgres', login))
    if (outcome.kind !== 'unreachable' || !isWrongPassword(outcome.error)) return outcome
  }
  return outcome
}
