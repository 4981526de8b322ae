import { type ChildProcess, fork } from 'node:child_process'
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Database, openDatabase } from '../../src/database/database.ts'
import { startEmbeddedPostgres } from '../../src/database/embedded/start-embedded-postgres.ts'
import { migrate } from '../../src/database/migrations.ts'
import { ensureAdministrator } from '../../src/identity/administrator.ts'
import { sql } from '../../src/kernel/sql.ts'
import { runningServer, spawnDocket, temporaryFolder } from '../../test/harness/spawn-docket.ts'
import type { BareOptions } from '../bare-server.ts'

/** Connections of each server to PostgreSQL: Docket's default. */
export const poolSize = 10

export interface BenchDatabase {
  readonly database: Database
  readonly connectionString: string
  /** Process id of PostgreSQL; its child processes do the work. */
  readonly processId: number
  readonly version: string
}

/** A server under load. */
export interface Target {
  readonly name: string
  readonly host: string
  readonly port: number
  readonly processId: number
}

const observeNothing = (): void => undefined

/** Makes a database of the cluster. @param template the name of one that it is a copy of; its connections are closed */
type MakeDatabase = (name: string, template?: string) => Promise<BenchDatabase>

/** The product's own PostgreSQL, with fsync, in a temporary folder. */
export async function startPostgres(started: AsyncDisposableStack, maxConnections = 60): Promise<MakeDatabase> {
  const folder = temporaryFolder()
  started.defer(() => rmSync(folder, { recursive: true, force: true }))
  // A bench that is interrupted must not leave a database behind.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void started.disposeAsync().finally(() => process.exit(1)))
  }
  const lost = (failure: unknown): never => {
    throw failure
  }
  const server = await startEmbeddedPostgres({
    dataDirectory: folder,
    maxConnections,
    observe: observeNothing,
    onLost: lost,
  })
  started.defer(server.stop)
  return async (name, template = 'template1') => {
    const rootUrl = server.bootstrapConnectionString('postgres')
    const root = openDatabase({ connectionString: rootUrl, maxConnections: 1, statementTimeoutMs: 0 })
    await root.rows(sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${template}`)
    await root.rows(sql`create database ${sql.id(name)} template ${sql.id(template)}`)
    await root.close()
    const connectionString = server.bootstrapConnectionString(name)
    await migrate({ connectionString, observe: observeNothing })
    const database = openDatabase({ connectionString, maxConnections: 2, statementTimeoutMs: 0 })
    started.defer(() => database.close())
    await ensureAdministrator(database, { password: 'a password for the load test' })
    const [described] = await database.rows<{ version: string }>(
      sql`select current_setting('server_version') as version`,
    )
    return { database, connectionString, processId: runningServer(folder) ?? 0, version: described?.version ?? '' }
  }
}

/** A real `docket start`, one process. */
export async function startDocket(
  { connectionString }: BenchDatabase,
  started: AsyncDisposableStack,
  environment: Readonly<Record<string, string>> = {},
): Promise<Target> {
  const docket = await spawnDocket({
    DOCKET_DATABASE_URL: connectionString,
    DOCKET_DATABASE_POOL: String(poolSize),
    DOCKET_WORKERS: '1',
    ...environment,
  })
  started.defer(async () => {
    await docket.stop()
  })
  const { hostname, port } = new URL(docket.address)
  return { name: 'Docket', host: hostname, port: Number(port), processId: docket.processId }
}

export async function startBare(options: BareOptions, started: AsyncDisposableStack): Promise<Target> {
  const child: ChildProcess = fork(fileURLToPath(new URL('../bare-server.ts', import.meta.url)), [
    JSON.stringify(options),
  ])
  const ended = new Promise((resolve) => child.once('exit', resolve))
  started.defer(async () => {
    if (child.connected) child.disconnect()
    await ended
  })
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (message) => resolve(Number(message)))
    child.once('exit', (code) => reject(new Error(`the bare server ended (exit code ${code})`)))
  })
  return { name: 'bare', host: '127.0.0.1', port, processId: child.pid ?? 0 }
}
