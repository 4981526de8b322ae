import { resolve } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { AttachmentServiceDeps } from './attachments/attachment-deps.ts'
import { clearAttachments } from './attachments/clear-attachments.ts'
import { openAttachments } from './attachments/open-attachments.ts'
import { dryRunDatabase } from './bulk/dry-run.ts'
import { exclusiveImports } from './bulk/exclusive-imports.ts'
import { FILL_UPDATE_ORDER, fillUpdateOrders, notifyOfUpdateOrders } from './catalog/change/fill-update-order.ts'
import { INDEX_SERVED_IDS, indexServedIds, notifyOfServedIds } from './catalog/change/index-served-ids.ts'
import { BUILD_INDEXES, buildWaitingIndexes, notifyOfWaitingIndexes } from './catalog/change/make-index.ts'
import { objectStoreOf } from './config/object-store-of.ts'
import { segmentTablesOf, vectorTablesOf } from './config/segment-tables-of.ts'
import type { Settings } from './config/settings.ts'
import type { Database } from './database/database.ts'
import { hasSchema } from './database/has-schema.ts'
import { openReadReplicas } from './database/read-replicas.ts'
import { demoSignIns } from './demo/public-passwords.ts'
import { diskSpaceOf, freeBytesOf } from './doctor/disk-space.ts'
import { Examination } from './doctor/examination.ts'
import { type Documents, openDocuments } from './documents/open-documents.ts'
import { searchWaitMs } from './documents/search-wait.ts'
import { LOAD_WAITING_DOCUMENTS } from './documents/store/loads.ts'
import { declaredLimits, type ServerDeps, serverEndpoints } from './endpoints/all-endpoints.ts'
import { OpenStreams } from './endpoints/changes/event-endpoint.ts'
import { documentEndpoints } from './endpoints/documents/document-endpoints.ts'
import { loadServiceNowNames } from './endpoints/now/load-servicenow-names.ts'
import { nowEndpoints } from './endpoints/now/now-endpoints.ts'
import { ROOT as NOW_ROOT, nowErrors, nowIsOff } from './endpoints/now/now-errors.ts'
import { oauthEndpoints } from './endpoints/now/oauth-endpoints.ts'
import { oauthErrors } from './endpoints/now/oauth-errors.ts'
import { clearTinyAddresses } from './endpoints/now/tiny-addresses.ts'
import { OPEN_ROUTES } from './endpoints/open-routes.ts'
import { painterLoader } from './endpoints/pages/list-painter.ts'
import { PaintPauses } from './endpoints/pages/paint-pauses.ts'
import { respondWithRecords } from './endpoints/records/respond-with-records.ts'
import type { OpenApiDocuments } from './endpoints/server/openapi-documents.ts'
import type { ConverterOptions } from './extraction/remote-converter.ts'
import type { FollowSyncDeps } from './follow/follow-settings.ts'
import { runFollows } from './follow/run-follows.ts'
import { closeGently } from './http/close-gently.ts'
import { addEndpoints } from './http/endpoint/add-endpoints.ts'
import type { HttpParts } from './http/http-parts.ts'
import { makeHttpServer } from './http/http-server.ts'
import { dispatcher } from './http/request/dispatch.ts'
import { recordWrites } from './http/request/record-writes.ts'
import { gateLimitsFor, statementGate } from './http/request/statement-gate.ts'
import { authenticator } from './identity/authenticate.ts'
import { loginCheck } from './identity/check-login.ts'
import { DenialCounter } from './identity/denial-counter.ts'
import { runDenialStore } from './identity/denial-store.ts'
import { CLAIMED_CLIENT } from './identity/oauth-clients.ts'
import { type RunningJobs, runJobs } from './jobs/run-queued-jobs.ts'
import type { Clock } from './kernel/clock.ts'
import { startLoop } from './kernel/loop.ts'
import { createMutex } from './kernel/mutex.ts'
import { type RecentWrites, recentWrites } from './kernel/recent-writes.ts'
import { createSemaphore } from './kernel/semaphore.ts'
import type { SocketAddress } from './processes/serve-socket.ts'
import { clearChanges } from './records/changes/clear-changes.ts'
import { type ChangeWatch, watchChanges } from './records/changes/watch-changes.ts'
import { CREATE_QUEUED_RECORDS, createQueuedRecords, notifyQueuedRecords } from './records/create-queued-records.ts'
import type { LaggingReads } from './records/lagging-reads.ts'
import { createRecordDeps, type RecordDeps } from './records/record-deps.ts'
import { readableRecords } from './records/rights/readable-records.ts'
import { makeSeal } from './records/run/encrypt-text.ts'
import { runSlowRequests } from './records/slow/run-slow-requests.ts'
import { clearViewers } from './records/viewers.ts'
import { type RetentionDeps, removeOldHistory } from './retention/remove-history.ts'
import { modelsOf } from './start/models-of-settings.ts'
import { describeObservation } from './telemetry/describe-observation.ts'
import type { Metrics } from './telemetry/metrics.ts'
import type { Observe } from './telemetry/observation.ts'
import { clearDelivered } from './webhooks/deliver-with-retries.ts'
import { runWebhooks } from './webhooks/run-webhooks.ts'

/** What the start hands down; everything else is built here. */
export interface AppParts {
  readonly settings: Settings
  readonly database: Database
  readonly observe: Observe
  readonly metrics: Metrics
  readonly clock: Clock
  /** Has the search index for all workers of this machine; null or absent: this process has its own. */
  readonly searchProcess?: SocketAddress | null
  /** Shared with the other processes of this server; absent: there are none. */
  readonly writes?: RecentWrites
}

export interface StartedServer {
  /** Where callers on this machine find it, such as http://127.0.0.1:8080. */
  readonly address: string
  /** Resolves when every collection can be searched. */
  whenSearchable(): Promise<void>
  /** Takes no new connections and resolves when the running requests and jobs are done. */
  close(): Promise<void>
  /** Cuts what is still running, so that `close` resolves. */
  cut(): void
}

export type StartServer = (parts: AppParts) => Promise<StartedServer>

export const startServer: StartServer = async (parts) => {
  const { settings } = parts
  const { app, documents, records, watch, attachments, follow } = await buildApp(parts)
  const closeServer = closeGently(app)
  const jobs = await startJobs(parts, documents)
  const changes = startChangeWork(parts, { deps: records, watch, attachments, follow })
  const close = async (): Promise<void> => {
    await Promise.all([closeServer(), changes.stop()])
    await jobs.stop()
  }
  try {
    await app.listen({ host: settings.host, port: settings.port })
  } catch (error) {
    await changes.stop()
    await jobs.stop()
    await app.close()
    throw error
  }
  const bound = app.server.address()
  const port = typeof bound === 'object' && bound !== null ? bound.port : settings.port
  return {
    address: addressFor(settings.host, port),
    whenSearchable: documents.whenSearchable,
    close,
    cut: () => app.server.closeAllConnections(),
  }
}

export interface BuiltApp {
  /** Closing it closes the documents too. */
  readonly app: FastifyInstance
  readonly documents: Documents
  readonly records: RecordDeps
  readonly watch: ChangeWatch
  readonly attachments: AttachmentServiceDeps
  readonly follow: FollowSyncDeps
}

/** Every part, built once and handed to the routes that need it; not listening yet. */
export async function buildApp({
  settings,
  database,
  observe,
  metrics,
  clock,
  searchProcess = null,
  writes = recentWrites(),
}: AppParts): Promise<BuiltApp> {
  const checkLogin = loginCheck({ database, clock })
  const denials = new DenialCounter(clock)
  const parts: HttpParts = {
    settings,
    observe,
    onDenied: (denial) => denials.count(denial),
    authenticator: authenticator({ database, clock, checkLogin }),
    openRoutes: OPEN_ROUTES,
    unroutedErrors: unroutedErrorsOf(settings),
  }
  const seal = settings.secretKey === undefined ? null : makeSeal(Buffer.from(settings.secretKey, 'base64'))
  const lagging = laggingReads(settings, database, writes)
  const records = createRecordDeps({ database, clock, seal, lagging, slowMs: settings.slowRequestMs })
  // Before anything is opened that has to be closed: a dictionary that does not fit ends the start.
  const face = settings.servicenow === 'on' ? await loadServiceNowNames(records) : null
  const documents = await openDocuments({
    database,
    clock,
    dataDir: resolve(settings.dataDir),
    readableRecords: readableRecords(records),
    searchWaitMs: async () => searchWaitMs((await records.catalog.upToDate()).properties),
    converter: converterOf(settings),
    objectStore: objectStoreOf(settings),
    ...modelsOf(settings),
    vectors: {
      kind: settings.vectors,
      memoryBytes: settings.vectorsMemoryMb * 1_048_576,
      place: vectorTablesOf(settings),
    },
    segmentTables: segmentTablesOf(settings),
    searchProcess,
    onError: (error) => observe({ kind: 'documents-failed', error }),
  })
  const attachments = await openAttachments({
    records,
    dataDir: resolve(settings.dataDir),
    objectStore: objectStoreOf(settings),
    clock,
    maxBytes: settings.attachmentMaxBytes,
    onError: (error) => observe({ kind: 'attachments-failed', error }),
  })
  if (await documents.deps.fileStores.areSeveral()) observe({ kind: 'file-stores-differ' })
  const watch = watchChanges(database)
  const app = makeHttpServer(parts)
  const gateLimits = gateLimitsFor(settings.databasePool, settings.statementsPerUser)
  const gate = statementGate(gateLimits, app.unsent.isOver)
  app.unsent.onLeft(gate.startWaiting)
  app.addHook('preClose', async () => watch.close())
  app.addHook('onClose', () => documents.close())
  const examination = examinationOf({ settings, database, observe, clock })
  app.addHook('onClose', () => examination.stop())
  const denialStore = runDenialStore(denials, {
    database,
    onError: (error) => observe({ kind: 'denials-not-stored', error }),
  })
  app.addHook('onClose', () => denialStore.stop())
  if (lagging !== null) {
    app.addHook('onClose', () => lagging.replicas.close())
    app.addHook('preHandler', recordWrites(lagging.writes))
  }
  const follow: FollowSyncDeps = {
    documents: documents.deps,
    records,
    watch,
    settingsMutex: createMutex(),
    onRepaired: (collection, count) => observe({ kind: 'follow-repaired', collection, documents: count }),
  }
  let openApi: Promise<OpenApiDocuments> | undefined
  const deps: ServerDeps = {
    records,
    face,
    respondWithRecords: (received, caller) => respondWithRecords(records, received, caller),
    dryRecords: { ...records, database: dryRunDatabase(database) },
    runExclusive: exclusiveImports(database, createSemaphore({ atOnce: 1, waiting: Number.POSITIVE_INFINITY })),
    watch,
    streams: new OpenStreams(),
    follow,
    attachments,
    uploadFolder: documents.uploadFolder,
    login: { database, clock, checkLogin },
    keys: { database, clock },
    features: featuresOf(settings),
    isReady: () => hasSchema(database),
    readyWarnings: () => warningsOf(documents),
    searchProgress: documents.buildProgress,
    examination,
    diskSpace: () => diskSpaceOf(resolve(settings.dataDir)).catch(() => null),
    fileStore: objectStoreOf(settings) === null ? 'folder' : 'object_store',
    openApi: () => (openApi ??= describeOpenApi(face !== null)),
    currentCatalog: records.catalog.upToDate,
    declaredLimits,
    gateLimits,
    settings,
    baseUrl: settings.baseUrl,
    metrics,
    startedMs: clock.nowMs(),
    observe,
    isConsoleOn: settings.console === 'on',
    demoUsers: demoSignIns(database),
    dispatch: dispatcher(app),
    painter: painterLoader((error) => observe({ kind: 'list-not-painted', error })),
    pauses: new PaintPauses(),
  }
  const { uploadFolder } = documents
  addEndpoints(app, parts, { deps, uploadFolder, gate }, serverEndpoints)
  const documentDeps = { ...documents.deps, searchMode: settings.searchMode }
  addEndpoints(app, parts, { deps: documentDeps, uploadFolder, gate }, documentEndpoints)
  if (face !== null) {
    const checkClient = loginCheck({ database, clock, claimed: CLAIMED_CLIENT })
    const oauth = { database, clock, checkLogin, checkClient }
    const nowDeps = {
      records,
      runExclusive: deps.runExclusive,
      attachments,
      uploadFolder: documents.uploadFolder,
      face,
      oauth,
      dispatch: dispatcher(app),
      elapsedMs: () => performance.now(),
    }
    addEndpoints(app, parts, { deps: nowDeps, uploadFolder, gate }, nowEndpoints)
  }
  return { app, documents, records, watch, attachments, follow }
}

/** Loaded when a document is first requested: the schemas of all operations are made only for it. */
async function describeOpenApi(hasNow: boolean): Promise<OpenApiDocuments> {
  const { OpenApiDocuments } = await import('./endpoints/server/openapi-documents.ts')
  const { describedParts } = await import('./endpoints/described-parts.ts')
  const { nowDocument } = await import('./endpoints/now/now-document.ts')
  return new OpenApiDocuments(describedParts, hasNow ? nowDocument : null)
}

function unroutedErrorsOf({ servicenow }: Settings): NonNullable<HttpParts['unroutedErrors']> {
  if (servicenow === 'off') return [{ under: NOW_ROOT, format: nowIsOff }]
  const ofTokens = oauthEndpoints.map(({ path }) => ({ under: path, format: oauthErrors }))
  return [{ under: NOW_ROOT, format: nowErrors }, ...ofTokens]
}

function examinationOf({ settings, database, observe, clock }: Omit<AppParts, 'metrics'>): Examination {
  const examine = async (stopping: AbortSignal) => {
    // Few servers are examined while they run, and the checks are many modules.
    const { examineRunning } = await import('./doctor/examine.ts')
    const { defaultLimits } = await import('./doctor/check.ts')
    const { linesOf } = await import('./doctor/describe-reports.ts')
    const ground = { settings, limits: defaultLimits, clock, freeBytes: freeBytesOf, isThorough: false, stopping }
    return linesOf(await examineRunning(ground, database.connectionString))
  }
  return new Examination(examine, { clock, onError: (error) => observe({ kind: 'examination-failed', error }) })
}

/** What the operator should know though the server is ready. */
async function warningsOf({ deps }: Documents): Promise<readonly string[]> {
  return (await deps.fileStores.areSeveral()) ? [describeObservation({ kind: 'file-stores-differ' }).message] : []
}

function featuresOf(settings: Settings): ServerDeps['features'] {
  const { embeddingsUrl, embeddingsFolder, embeddingsModels, converterUrl } = settings
  const hybrid = embeddingsUrl !== undefined || embeddingsFolder !== undefined || embeddingsModels !== undefined
  return { hybrid, converter: converterUrl !== undefined }
}

function laggingReads(settings: Settings, primary: Database, writes: RecentWrites): LaggingReads | null {
  const { databaseReadUrls: connectionStrings, databasePool: maxConnections, statementTimeoutMs } = settings
  if (connectionStrings === undefined) return null
  return {
    replicas: openReadReplicas({ primary, connectionStrings, maxConnections, statementTimeoutMs }),
    writes,
  }
}

function converterOf({ converterUrl, converterTimeoutSeconds }: Settings): ConverterOptions | null {
  return converterUrl === undefined ? null : { address: converterUrl, maxSeconds: converterTimeoutSeconds }
}

/** Enough for short jobs; long ones (extraction) limit themselves. */
const jobsAtOnce = 2

/** The jobs that every process does its share of. */
async function startJobs({ database, observe }: AppParts, documents: Documents): Promise<RunningJobs> {
  const jobs = await runJobs(
    {
      [CREATE_QUEUED_RECORDS]: async () => void (await createQueuedRecords(database)),
      [BUILD_INDEXES]: async () => void (await buildWaitingIndexes(database)),
      [FILL_UPDATE_ORDER]: () => fillUpdateOrders(database),
      [INDEX_SERVED_IDS]: () => indexServedIds(database),
      [LOAD_WAITING_DOCUMENTS]: async () => documents.notifyLoads(),
    },
    { connectionString: database.connectionString, concurrency: jobsAtOnce, observe },
  )
  await notifyQueuedRecords(database)
  await notifyOfWaitingIndexes(database)
  await notifyOfUpdateOrders(database)
  await notifyOfServedIds(database)
  return jobs
}

const housekeepingEveryMs = 3_600_000

interface ChangeParts extends Pick<BuiltApp, 'watch' | 'attachments' | 'follow'> {
  readonly deps: RecordDeps
}

/** What follows the log of changes, in every process: webhooks, followed collections, and clearing away what is kept no longer. */
function startChangeWork(
  { settings, observe, database, clock }: AppParts,
  { deps, watch, attachments, follow }: ChangeParts,
): { stop(): Promise<void> } {
  const onError = (error: unknown): void => observe({ kind: 'webhooks-failed', error })
  const onMissed = (webhook: string): void => observe({ kind: 'webhook-missed-changes', webhook })
  const webhooks = runWebhooks({ deps, watch, allowedNetworks: settings.webhookNetworks, onError, onMissed })
  const follows = runFollows(follow, (error) => observe({ kind: 'documents-failed', error }))
  const cleanup = async (): Promise<void> => {
    await clearChanges(deps)
    await clearDelivered({ database, clock })
    await clearAttachments(attachments)
    await clearTinyAddresses(database)
    await clearViewers(database)
  }
  const slowRequests = runSlowRequests(deps.slow, { database, clock, onError })
  const housekeeping = startLoop({ turn: cleanup, everyMs: housekeepingEveryMs, onError })
  const retention = startLoop({
    turn: (stopping) =>
      removeOldHistory(retentionDeps({ settings, observe, database }, { deps, attachments }), stopping),
    everyMs: housekeepingEveryMs,
    onError: (error) => observe({ kind: 'history-removal-failed', error }),
  })
  return {
    async stop() {
      await Promise.all([slowRequests.stop(), housekeeping.stop(), retention.stop(), webhooks.stop(), follows.stop()])
    },
  }
}

function retentionDeps(
  { settings, observe, database }: Pick<AppParts, 'settings' | 'observe' | 'database'>,
  { deps, attachments }: Pick<ChangeParts, 'deps' | 'attachments'>,
): RetentionDeps {
  const { historyExportDir: folder } = settings
  return {
    records: deps,
    places: { database, attachments, folder: folder === undefined ? null : resolve(folder) },
    onRemoved: (removed) => observe({ kind: 'history-removed', ...removed }),
  }
}

/** A wildcard is no address that a client can name. */
function addressFor(host: string, port: number): string {
  const name = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? (host.includes(':') ? `[${host}]` : host)
  return `http://${name}:${port}`
}
