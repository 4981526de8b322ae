import { spawn } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { StartFailure } from '../../kernel/start-failure.ts'
import { utf8CharacterTypes } from './character-type.ts'
import { bootstrapUser, type Cluster, clusterIn } from './cluster.ts'
import { makeRolePassword } from './cluster-roles.ts'
import { explainPostgresOutput } from './explain-postgres-output.ts'
import type { OperatingAccount } from './operating-account.ts'
import { dataDirectoryArgument, postgresSpawnOptions } from './postgres-environment.ts'
import { type PostgresPrograms, postgresProgram } from './postgres-programs.ts'
import { isAlive } from './processes.ts'

export interface NewCluster {
  readonly programs: PostgresPrograms
  readonly account: OperatingAccount | undefined
  /** Off only for tests, whose data are disposable. */
  readonly isDurable: boolean
}

/**
 * Creates the cluster in a temporary folder and renames it, so that the next start simply repeats a first start that was killed.
 *
 * @throws StartFailure if the folder cannot be written or initdb fails
 */
export async function createCluster(cluster: Cluster, { programs, account, isDurable }: NewCluster): Promise<void> {
  removeAbandoned(cluster)
  const aside = clusterIn(`${cluster.directory}.new-${process.pid}`)
  try {
    makeFolders(aside, account)
    await runInitdb(aside, cluster.directory, { programs, account, isDurable })
    moveIntoPlace(aside, cluster)
  } finally {
    rmSync(aside.directory, { recursive: true, force: true })
  }
}

/** Folders of starts that were killed while they created a cluster. */
function removeAbandoned(cluster: Cluster): void {
  const parent = dirname(cluster.directory)
  const prefix = `${basename(cluster.directory)}.new-`
  for (const name of readdirSync(parent).filter((entry) => entry.startsWith(prefix))) {
    const maker = Number(name.slice(prefix.length))
    if (maker === process.pid || !isAlive(maker)) rmSync(join(parent, name), { recursive: true, force: true })
  }
}

function makeFolders(cluster: Cluster, account: OperatingAccount | undefined): void {
  mkdirSync(cluster.directory, { mode: 0o700 })
  mkdirSync(cluster.dataDirectory, { mode: 0o700 })
  const passwordFiles = [cluster.passwordFile, cluster.bootstrapPasswordFile]
  for (const file of passwordFiles) writeFileSync(file, makeRolePassword(), { mode: 0o600 })
  if (account === undefined) return
  for (const path of [cluster.directory, cluster.dataDirectory, ...passwordFiles]) give(path, account)
}

function give(path: string, account: OperatingAccount): void {
  try {
    chownSync(path, account.uid, account.gid)
  } catch (error) {
    throw new StartFailure(
      `The file system of ${path} does not let root give files to the account ${account.name}, which PostgreSQL needs: set DOCKET_DATA_DIR to a folder on a local disk, start Docket as another user than root, or set DOCKET_DATABASE_URL.`,
      { cause: error },
    )
  }
}

/** Tries the character types one by one: a machine may not have the first one. */
async function runInitdb(cluster: Cluster, wanted: string, made: NewCluster): Promise<void> {
  let output = ''
  for (const characterType of [...utf8CharacterTypes, 'C']) {
    const outcome = await runInitdbWith(characterType, cluster, made)
    if (outcome.code === 0) return
    output = outcome.output
    if (!/invalid locale (name|settings)/.test(output)) break
  }
  throw explainPostgresOutput(output, { doing: 'PostgreSQL could not create its data directory', directory: wanted })
}

function runInitdbWith(characterType: string, cluster: Cluster, { programs, account, isDurable }: NewCluster) {
  const dataDirectory = dataDirectoryArgument(cluster, account)
  const settings = [
    `--pgdata=${dataDirectory}`,
    `--pwfile=${dataDirectory}/../${basename(cluster.bootstrapPasswordFile)}`,
    `--username=${bootstrapUser}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    `--lc-ctype=${characterType}`,
    ...(isDurable ? [] : ['--no-sync']),
  ]
  return runToEnd(postgresProgram(programs, 'initdb'), settings, cluster, account)
}

function runToEnd(
  program: string,
  settings: readonly string[],
  cluster: Cluster,
  account: OperatingAccount | undefined,
): Promise<{ readonly code: number | null; readonly output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, settings, {
      ...postgresSpawnOptions(cluster, account),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, output }))
  })
}

/** If two first starts run at once, the second one to finish uses the cluster of the other. */
function moveIntoPlace(aside: Cluster, cluster: Cluster): void {
  try {
    renameSync(aside.directory, cluster.directory)
  } catch (error) {
    if (!existsSync(cluster.dataDirectory)) throw error
  }
}
