import cluster from 'node:cluster'
import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { AppParts, StartedServer } from './app.ts'
import { openAttachmentStore } from './attachments/open-attachments.ts'
import { addColumnTypes } from './catalog/add-column-types.ts'
import { objectStoreOf } from './config/object-store-of.ts'
import { readSettings, type Settings } from './config/settings.ts'
import { isStartedByNpm } from './config/started-by-npm.ts'
import { openDataDirectory } from './database/data-directory.ts'
import { type Database, openDatabase } from './database/database.ts'
import { migrate } from './database/migrations.ts'
import { startDatabase } from './database/start-database.ts'
import { findDemoUsers, findPublicPasswords } from './demo/public-passwords.ts'
import { ensureAdministrator } from './identity/administrator.ts'
import { systemClock } from './kernel/clock.ts'
import { StartFailure } from './kernel/start-failure.ts'
import type { SocketAddress } from './processes/serve-socket.ts'
import { buildConsole } from './start/build-console.ts'
import { explainStartError } from './start/explain-start-error.ts'
import { type Fill, fillOnFirstStart, isDemoUndecided } from './start/first-start.ts'
import { explainListenError, rejectUnusableAddress } from './start/listen-error.ts'
import { isBeyondLoopback, reachableAddress, rejectPublicDemo } from './start/network-exposure.ts'
import { openServerDatabase } from './start/open-server-database.ts'
import { administratorMessage, readyMessage } from './start/ready-message.ts'
import { serveSearch } from './start/serve-search.ts'
import {
  type FromWorker,
  type Serving,
  serveWithWorkers,
  type ToWorker,
  type WorkerRole,
} from './start/serve-with-workers.ts'
import { sharedWrites } from './start/share-news.ts'
import { listenForStop, type StopRequest } from './start/stop-request.ts'
import { logObservations } from './telemetry/logger.ts'
import { createMetrics } from './telemetry/metrics.ts'
import type { Observe } from './telemetry/observation.ts'

/**
 * Docket from nothing to serving, and back to nothing. Read this function first; what was started is ended in the reverse
 * order, also when a later step fails.
 *
 * @returns when a stop was requested and everything has ended
 * @throws StartFailure when it cannot start
 */
export async function start(): Promise<void> {
  const settings = readSettings()
  if (cluster.isWorker) return startWorker(settings)
  const deps = createServerDeps(settings)
  const stop = listenForStop({ clock: deps.clock, watchParent: isStartedByNpm(), stopAtOnce: exitAtOnce })
  const started = new AsyncDisposableStack()
  try {
    await startParts(deps, stop, started)
  } catch (error) {
    throw explainStartError(error)
  } finally {
    const beganMs = deps.clock.nowMs()
    await started.disposeAsync()
    // A start that failed says why in one sentence.
    if (stop.isRequested()) deps.observe({ kind: 'stopped', tookMs: deps.clock.nowMs() - beganMs })
  }
}

async function startParts(deps: ServerDeps, stop: StopRequest, started: AsyncDisposableStack): Promise<void> {
  const { settings } = deps
  const beganMs = deps.clock.nowMs()
  await rejectUnusableAddress(settings)
  openDataDirectory(settings.dataDir, deps.observe)
  const starting = startDatabase(settings, deps.observe, stop.fail)
  if (settings.workers === 1) loadServerMeanwhile()
  const server = await starting
  started.defer(server.stop)
  const reportStop = async (): Promise<void> => deps.observe({ kind: 'stopping', reason: await stop.requested })
  if (stop.isRequested()) return reportStop()
  await migrate({ connectionString: server.connectionString, observe: deps.observe })
  const database = openDatabase({ connectionString: server.connectionString, maxConnections: 2, statementTimeoutMs: 0 })
  started.defer(() => closeDatabase(database))
  await addColumnTypes(database)
  await guardDemo(settings, database)
  await fillOnFirstStart(database, { settings, observe: deps.observe, fillDemo: fillDemo(deps, database) })
  if (stop.isRequested()) return reportStop()
  const administrator = await ensureAdministrator(database, { password: settings.adminPassword })
  const serving = await startServing(deps, server.connectionString).catch((error: unknown) => {
    // The password is known to nobody yet, and the next start will not create another.
    process.stdout.write(administratorMessage(administrator, settings))
    throw error
  })
  started.defer(serving.stop)
  if (settings.console === 'on') started.defer(buildConsole(deps))

  deps.observe({ kind: 'listening', address: serving.address, tookMs: deps.clock.nowMs() - beganMs })
  const address = reachableAddress(serving.address, settings.host)
  process.stdout.write(readyMessage({ address, administrator, demoUsers: await findDemoUsers(database) }, settings))
  await reportStop()
}

/** Published passwords are for this machine only, unless DOCKET_DEMO=on says otherwise. */
async function guardDemo(settings: Settings, database: Database): Promise<void> {
  if (settings.demo === 'on' || !(await isBeyondLoopback(settings.host))) return
  const [usersWithPublicPasswords, undecided] = await Promise.all([
    findPublicPasswords(database),
    isDemoUndecided(database),
  ])
  rejectPublicDemo({ settings, usersWithPublicPasswords, isDemoUndecided: undecided })
}

function fillDemo({ settings, clock }: ServerDeps, database: Database): Fill {
  return async (session) => {
    // Most starts fill nothing, and the texts of the demo are large.
    const { fillDemoDesk } = await import('./demo/fill-demo-desk.ts')
    const places = { dataDir: resolve(settings.dataDir), objectStore: objectStoreOf(settings), clock }
    await fillDemoDesk(session, { database, store: await openAttachmentStore(places), nowMs: clock.nowMs() })
  }
}

/** What every process of ours has, whatever it does. */
type ServerDeps = Omit<AppParts, 'database'>

function createServerDeps(settings: Settings): ServerDeps {
  const metrics = createMetrics()
  const clock = systemClock
  const format = settings.logFormat === 'auto' ? (process.stderr.isTTY ? 'text' : 'json') : settings.logFormat
  const log = logObservations({ level: settings.logLevel, format, clock, write: (line) => process.stderr.write(line) })
  const observe: Observe = (seen) => {
    metrics.observe(seen)
    log(seen)
  }
  return { settings, metrics, clock, observe }
}

/** Nothing listens before this: who connects finds the schema, the administrator and the demo. */
function startServing(deps: ServerDeps, connectionString: string): Promise<Serving> {
  return deps.settings.workers === 1 ? serve(deps, connectionString, null) : serveTogether(deps, connectionString)
}

/** The modules of the server need about as much time as PostgreSQL. If they cannot be loaded, `serve` says so. */
function loadServerMeanwhile(): void {
  import('./app.ts').catch(() => undefined)
}

/** The server in this process. */
async function serve(
  deps: ServerDeps,
  connectionString: string,
  searchProcess: SocketAddress | null,
): Promise<Serving> {
  const { settings } = deps
  // The first process of several, and the search process, serve no requests: their memory need not hold all modules.
  const { startServer } = await import('./app.ts')
  const maxConnections = settings.databasePool
  const database = openServerDatabase({ ...deps, connectionString, maxConnections })
  try {
    const server = await startServer({ ...deps, database, searchProcess })
    return { address: server.address, stop: () => stopServing(deps, server, database) }
  } catch (error) {
    await closeDatabase(database)
    throw explainListenError(error, settings)
  }
}

function serveTogether({ settings, observe, clock }: ServerDeps, connectionString: string): Promise<Serving> {
  const stopTimeoutMs = settings.stopTimeoutSeconds * 1_000 + cutGraceMs + closeGraceMs
  const hasSearchProcess = settings.searchProcess === 'on'
  return serveWithWorkers({
    count: settings.workers,
    connectionString,
    hasSearchProcess,
    stopTimeoutMs,
    observe,
    clock,
  })
}

/** How long cut requests and their statements get to notice it. */
const cutGraceMs = 2_000
const closeGraceMs = 5_000

async function stopServing(
  { settings, observe }: ServerDeps,
  server: StartedServer,
  database: Database,
): Promise<void> {
  const afterMs = settings.stopTimeoutSeconds * 1_000
  const closed = server.close().then(() => 'closed')
  if ((await Promise.race([closed, delay(afterMs, 'late', { ref: false })])) === 'late') {
    observe({ kind: 'requests-cut', afterMs })
    server.cut()
    await Promise.race([closed, delay(cutGraceMs)])
  }
  await closeDatabase(database)
}

/** A statement that PostgreSQL does not end must not keep us; the server's own stop cuts its connection. */
async function closeDatabase(database: Database): Promise<void> {
  await Promise.race([database.close(), delay(closeGraceMs, undefined, { ref: false })])
}

function exitAtOnce(signal: NodeJS.Signals): void {
  process.exit(signal === 'SIGINT' ? 130 : signal === 'SIGHUP' ? 129 : 143)
}

/**
 * The first process takes the connections and hands them out. One that is on its way while a worker closes is sent back by
 * it and given to another; had the worker ended by then, the caller would wait for as long as the others still work.
 */
const handOverMs = 250

/** One of several processes: of one port, or with the search index. It obeys the first process, not the signals that the whole group gets. */
async function startWorker(settings: Settings): Promise<void> {
  const deps = createServerDeps(settings)
  const stop = Promise.withResolvers<void>()
  const shared = sharedWrites(sendToFirst)
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined)
  process.once('disconnect', stop.resolve)
  const role = await new Promise<WorkerRole>((resolve) => {
    process.on('message', (message: ToWorker) => {
      if (message.kind === 'stop') stop.resolve()
      else if (message.kind === 'serve' || message.kind === 'search') resolve(message)
      else shared.receive(message)
    })
  })
  try {
    const serving = await serveAs({ ...deps, writes: shared.writes }, role)
    sendToFirst({ kind: 'serving', address: serving.address })
    await stop.promise
    await serving.stop()
    if (role.kind === 'serve') await delay(handOverMs)
  } catch (error) {
    if (!(error instanceof StartFailure)) throw error
    sendToFirst({ kind: 'failed', sentence: error.message, exitCode: error.exitCode })
  }
}

function serveAs(deps: ServerDeps, role: WorkerRole): Promise<Serving> {
  const { connectionString } = role
  return role.kind === 'serve'
    ? serve(deps, connectionString, role.searchProcess)
    : serveSearch(deps, connectionString, role.address)
}

function sendToFirst(message: FromWorker): void {
  process.send?.(message, undefined, undefined, () => undefined)
}
