import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { clusterIn } from '../../src/database/embedded/cluster.ts'
import { readPostmasterFile } from '../../src/database/embedded/postmaster-file.ts'
import { mayWorkIn } from '../../src/database/embedded/processes.ts'
import { stopPostgres } from '../../src/database/embedded/run-postgres.ts'
import { usesSearchProcess } from './search-process.ts'
import { cleanUps } from './still-running.ts'

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface SpawnedDocket {
  readonly processId: number
  /** From the line `Docket is ready at`. */
  readonly address: string
  output(): string
  log(): string
  signal(name: NodeJS.Signals): void
  /** Resolves when the process has ended. */
  readonly exit: Promise<Exit>
  /** Sends SIGTERM and waits until the process has ended. */
  stop(): Promise<Exit>
}

/** A start that ended before it was ready. */
export interface FailedStart {
  readonly exit: Exit
  readonly output: string
  readonly log: string
}

export interface SpawnOptions {
  /** The folder of the Docket to start; by default this one. */
  readonly folder?: string
  /** Path of the Node to use; by default the one that runs the test. */
  readonly node?: string
  /** Starts with `npm start`; signals then go to the process of npm. */
  readonly throughNpm?: true
  /** Runs it as another account; needs root. */
  readonly account?: { readonly uid: number; readonly gid: number }
  /** The test sends requests while collections are still being indexed. */
  readonly isIndexPending?: boolean
}

const waitForIndexMs = 20_000

/** Waits until the server has built its search index. If the server does not respond, the test continues and handles that. */
async function untilSearchable(address: string): Promise<void> {
  const endMs = performance.now() + waitForIndexMs
  while (performance.now() < endMs) {
    const response = await fetch(`${address}/health`).catch(() => undefined)
    if (response === undefined || !(await response.text()).includes('"search_index"')) return
    await delay(50)
  }
}

/**
 * A copy of the parts of this work tree that a start needs, in a folder that other accounts can or cannot enter. The tests themselves may
 * run in a work tree of either kind.
 */
export function temporaryClone(mode: 0o700 | 0o755): Required<Pick<SpawnOptions, 'folder' | 'node'>> {
  const folder = join(temporaryFolder(mode), 'docket')
  mkdirSync(folder)
  for (const part of ['bin', 'src', 'migrations', 'package.json', 'node_modules']) {
    // Hard links, for speed. If the temporary folder is on another file system, files are copied.
    const from = join(thisFolder, part)
    if (spawnSync('cp', ['-al', from, folder], { stdio: 'ignore' }).status !== 0)
      execFileSync('cp', ['-a', from, folder])
  }
  return { folder, node: join(folder, 'node_modules', 'node', 'bin', 'node') }
}

const thisFolder = fileURLToPath(new URL('../..', import.meta.url))
const living = new Set<number>()

/** A real `docket start` in a separate process, on a free port unless `environment` names one. */
export async function spawnDocket(
  environment: Readonly<Record<string, string>>,
  options: SpawnOptions = {},
): Promise<SpawnedDocket> {
  const outcome = await tryToSpawn(environment, options)
  if ('address' in outcome) return outcome
  throw new Error(`Docket did not start (exit code ${outcome.exit.code}): ${outcome.log}${outcome.output}`)
}

/** A start that is expected to fail. */
export async function spawnFailing(
  environment: Readonly<Record<string, string>>,
  options: SpawnOptions = {},
): Promise<FailedStart> {
  const outcome = await tryToSpawn(environment, options)
  if (!('address' in outcome)) return outcome
  await outcome.stop()
  throw new Error(`Docket started, though it should have rejected: ${outcome.output()}`)
}

export function tryToSpawn(
  environment: Readonly<Record<string, string>>,
  { folder = thisFolder, node = process.execPath, throughNpm, account, isIndexPending = false }: SpawnOptions = {},
): Promise<SpawnedDocket | FailedStart> {
  const [program, words] = throughNpm ? ['npm', ['start']] : [node, [join(folder, 'bin', 'docket.js'), 'start']]
  const child = spawn(program, words, {
    cwd: folder,
    env: {
      PATH: process.env['PATH'] ?? '',
      DOCKET_PORT: '0',
      DOCKET_DEMO: 'off',
      DOCKET_SLOW_REQUEST_MS: '3600000',
      DOCKET_LOG_FORMAT: 'json',
      ...(usesSearchProcess() ? { DOCKET_WORKERS: '2', DOCKET_SEARCH_PROCESS: 'on' } : {}),
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...account,
  })
  let output = ''
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text
  })
  const exit = new Promise<Exit>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => {
      living.delete(child.pid ?? 0)
      resolve({ code, signal })
    })
  })
  return new Promise((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
      const address = output.match(/^Docket is ready at (\S+) [\s\S]*^Try: .*\n/m)?.[1]
      if (address === undefined || living.has(child.pid ?? 0)) return
      const spawned: SpawnedDocket = {
        processId: child.pid ?? 0,
        address,
        output: () => output,
        log: () => log,
        signal: (name) => child.kill(name),
        exit,
        stop: () => {
          child.kill('SIGTERM')
          return exit
        },
      }
      living.add(spawned.processId)
      if (isIndexPending) resolve(spawned)
      else void untilSearchable(address).then(() => resolve(spawned))
    })
    exit.then((ended) => resolve({ exit: ended, output, log }), reject)
  })
}

const folders = new Set<string>()

/** A new folder, which is removed after the test file. By default, every account may enter it. */
export function temporaryFolder(mode = 0o755): string {
  const folder = mkdtempSync(join(tmpdir(), 'docket-flow-'))
  chmodSync(folder, mode)
  folders.add(folder)
  return folder
}

cleanUps.add(async () => {
  const left = [...living].map((processId) => `docket start, process ${processId}`)
  for (const processId of living) process.kill(processId, 'SIGKILL')
  for (const folder of folders) {
    for (const dataDirectory of [folder, join(folder, 'data')]) {
      const server = runningServer(dataDirectory)
      if (server === undefined) continue
      left.push(`PostgreSQL in ${dataDirectory}`)
      await stopPostgres(server)
    }
    rmSync(folder, { recursive: true, force: true })
  }
  folders.clear()
  return left
})

/** Process id of the embedded PostgreSQL that runs in this data directory now; undefined: none runs. */
export function runningServer(dataDirectory: string): number | undefined {
  const cluster = clusterIn(join(dataDirectory, 'postgres'))
  const file = existsSync(cluster.dataDirectory) ? readPostmasterFile(cluster) : undefined
  return file !== undefined && mayWorkIn(file.processId, cluster.dataDirectory) ? file.processId : undefined
}
