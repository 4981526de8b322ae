import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, renameSync, statSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { Cluster } from './cluster.ts'
import { explainPostgresOutput } from './explain-postgres-output.ts'
import type { OperatingAccount } from './operating-account.ts'
import { dataDirectoryArgument, postgresSpawnOptions } from './postgres-environment.ts'
import { type PostgresPrograms, postgresProgram } from './postgres-programs.ts'
import { readPostmasterFile } from './postmaster-file.ts'
import { isAlive } from './processes.ts'

export interface PostgresRun {
  readonly programs: PostgresPrograms
  readonly account: OperatingAccount | undefined
  readonly settings: readonly string[]
  /**
   * The process id in a stale postmaster.pid. Another program may have it by now, or the dead server itself while nobody read its exit
   * code; PostgreSQL would mistake either for a running server.
   */
  readonly staleProcessId?: number
}

export interface PostgresExit {
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
}

export interface RunningPostgres {
  readonly processId: number
  /** Resolves when the server has ended, for any reason. */
  readonly ended: Promise<PostgresExit>
}

/** Time limit for the recovery after a crash, in milliseconds. */
const startBudgetMs = 600_000
const pollMs = 10
/** Time limit for the child processes of a killed server to release its shared memory. */
const orphansBudgetMs = 20_000

/**
 * Starts the server and waits until it accepts connections; after a crash this includes its recovery.
 *
 * @throws StartFailure with PostgreSQL's reason if it ends instead
 */
export async function runPostgres(cluster: Cluster, run: PostgresRun): Promise<RunningPostgres> {
  for (let waitedMs = 0; ; waitedMs += 200) {
    const logged = spawnPostgres(cluster, run)
    const outcome = await readyOrEnded(cluster, logged.child)
    if (outcome === 'ready') return { processId: logged.child.pid ?? 0, ended: ended(logged.child) }
    const output = logged.outputSoFar()
    // The child processes of a killed server notice it within moments, and release its memory.
    if (!/pre-existing shared memory block/.test(output) || waitedMs > orphansBudgetMs)
      throw explainPostgresOutput(output, { doing: 'PostgreSQL did not start', ...cluster })
    await delay(200)
  }
}

function spawnPostgres(cluster: Cluster, run: PostgresRun) {
  const log = openLog(cluster.logFile)
  const options = postgresSpawnOptions(cluster, run.account)
  const child = spawn(
    postgresProgram(run.programs, 'postgres'),
    ['-D', dataDirectoryArgument(cluster, run.account), ...run.settings],
    {
      ...options,
      // PostgreSQL's own way to name a process that is not a running server (utils/init/miscinit.c, CreateLockFile).
      env: { ...options.env, ...(run.staleProcessId && { PG_GRANDPARENT_PID: String(run.staleProcessId) }) },
      stdio: ['ignore', log.descriptor, log.descriptor],
    },
  )
  closeSync(log.descriptor)
  return { child, outputSoFar: () => readFileSync(cluster.logFile, 'utf8').slice(log.lengthBefore) }
}

const keptLogBytes = 1_000_000

/** A file instead of a pipe: the server must be able to write after Docket was killed. */
function openLog(path: string): { readonly descriptor: number; readonly lengthBefore: number } {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size > keptLogBytes) renameSync(path, `${path}.1`)
  const descriptor = openSync(path, 'a', 0o600)
  return { descriptor, lengthBefore: size > keptLogBytes ? 0 : size }
}

async function readyOrEnded(cluster: Cluster, child: ChildProcess): Promise<'ready' | 'ended'> {
  const exit = ended(child).then(() => 'ended' as const)
  for (let waitedMs = 0; waitedMs < startBudgetMs; waitedMs += pollMs) {
    const state = await Promise.race([exit, delay(pollMs)])
    if (state === 'ended') return 'ended'
    const file = readPostmasterFile(cluster)
    if (file?.isReady && file.processId === child.pid) return 'ready'
  }
  child.kill('SIGQUIT')
  return exit
}

function ended(child: ChildProcess): Promise<PostgresExit> {
  if (child.exitCode !== null || child.signalCode !== null)
    return Promise.resolve({ exitCode: child.exitCode, signal: child.signalCode })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }))
  })
}

/** Time limit for a fast shutdown to write its checkpoint. */
const fastStopBudgetMs = 60_000

/**
 * Stops a server, ours or one that was left behind: open transactions are rolled back and everything is written. A server that does not end
 * in time is killed; its write-ahead log contains everything that was acknowledged.
 */
export async function stopPostgres(processId: number): Promise<void> {
  requestStop(processId)
  if (await endsWithin(processId, fastStopBudgetMs)) return
  signal(processId, 'SIGQUIT')
  if (await endsWithin(processId, 5_000)) return
  signal(processId, 'SIGKILL')
  await endsWithin(processId, 5_000)
}

/** Requests a fast shutdown of a server without waiting for it. */
export function requestStop(processId: number): void {
  signal(processId, 'SIGINT')
}

function signal(processId: number, name: NodeJS.Signals): void {
  try {
    process.kill(processId, name)
  } catch {
    // It ended meanwhile.
  }
}

async function endsWithin(processId: number, budgetMs: number): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < budgetMs; waitedMs += pollMs) {
    if (!isAlive(processId)) return true
    await delay(pollMs)
  }
  return !isAlive(processId)
}
