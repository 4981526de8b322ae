import { mkdir } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { ReadableRecords } from '../acl/readable-records.ts'
import type { Database } from '../database/database.ts'
import { addressEmbedder, type EmbeddingsAddress } from '../embeddings/embed-texts.ts'
import type { Embedder } from '../embeddings/embedder.ts'
import { type LocalModelOptions, openLocalModel } from '../embeddings/local/local-model.ts'
import { type CallerVectors, callerVectors, type Embeddings, openEmbeddings } from '../embeddings/open-embeddings.ts'
import { type VectorEnginesOptions, vectorEngines } from '../embeddings/open-vector-engines.ts'
import type { RerankAddress } from '../embeddings/rerank-texts.ts'
import { clearModels } from '../embeddings/store/models.ts'
import { defaultExtractionLimits } from '../extraction/extraction-limits.ts'
import { defaultExtractorPoolOptions, openExtractorPool } from '../extraction/process/extractor-pool.ts'
import { type ConverterOptions, extractorWithConverter } from '../extraction/remote-converter.ts'
import { openWorker, type Worker } from '../jobs/worker-number.ts'
import type { Clock } from '../kernel/clock.ts'
import type { BuildProgress } from '../kernel/index-building.ts'
import { startLoop } from '../kernel/loop.ts'
import type { IndexProgress } from '../kernel/progress.ts'
import type { SocketAddress } from '../processes/serve-socket.ts'
import type { TablePlace } from '../search-engine/lancedb/connect-lance.ts'
import { requireLance } from '../search-engine/lancedb/import-lancedb.ts'
import type { DocumentDeps } from './document-deps.ts'
import { documentFolders } from './document-folders.ts'
import { type IndexChecks, runIndexChecks } from './maintenance/run-index-checks.ts'
import { startLoadWorker } from './queue-loads.ts'
import { FilterSets } from './rank/filter-sets.ts'
import { RareFilters } from './rank/rare-filters.ts'
import { startRechunker } from './rechunk/rechunk-documents.ts'
import { VisibleStates } from './rights/visible-state.ts'
import { openRemoteIndex } from './shared-index/remote-index.ts'
import { dropAbandonedFiles } from './store/blob-store.ts'
import { clearBlobs } from './store/blobs.ts'
import { clearCollections, clearDocuments, clearLoads, deletePending } from './store/clear-away.ts'
import { ExpectedCollections } from './store/expected-collections.ts'
import { type FileStores, fileStoreIdentity, recordFileStore } from './store/file-stores.ts'
import { openBlobStore } from './store/open-blob-store.ts'
import type { S3Options } from './store/s3-blob-store.ts'
import { followLog } from './sync/follow-log.ts'
import { followedVectors } from './sync/follow-vectors.ts'
import { TableKeeper } from './sync/keep-tables.ts'
import type { LexicalIndex } from './sync/lexical-index.ts'
import { openLexicalIndex } from './sync/open-lexical-index.ts'
import { writeSegments } from './sync/publish-segments.ts'

export interface DocumentsOptions {
  /** Addresses of models, from the settings; null: none. */
  readonly embeddings: EmbeddingsAddress | null
  /** A local model instead. */
  readonly localModel?: LocalModelOptions | null
  readonly reranker: RerankAddress | null
  /** Models that collections may choose by name, besides the default one. */
  readonly namedModels?: ReadonlyMap<string, EmbeddingsAddress>
  /** The engine that ranks by vectors; built-in by default. */
  readonly vectors?: Pick<
    VectorEnginesOptions,
    'kind' | 'minGraphChunks' | 'minApproximate' | 'place' | 'minOwnChunks' | 'minIndexedRows' | 'maxNewer'
  > & {
    /** Bytes of memory that the built-in engine takes for rounded vectors of a model, before it writes more of them to a file; absent: all. */
    readonly memoryBytes?: number
  }
  readonly database: Database
  readonly clock: Clock
  /** Files and the index are stored below it. */
  readonly dataDir: string
  readonly readableRecords: ReadableRecords
  /** How long a search waits for changes of other processes; null or absent: without a limit. */
  readonly searchWaitMs?: () => Promise<number | null>
  /** Reads formats that Docket does not; null: such files are rejected. */
  readonly converter?: ConverterOptions | null
  /** Stores original files; null: they are stored below `dataDir`. */
  readonly objectStore?: S3Options | null
  /** false: only other processes write segments of the index to the file store. For tests that decide who does. */
  readonly writesSegments?: boolean
  /** The search process of this machine, which has the index for all workers; null or absent: this process has its own. */
  readonly searchProcess?: SocketAddress | null
  /** Tables of LanceDB for large segments of open collections; null or absent: none. */
  readonly segmentTables?: SegmentTables | null
  /** Receives errors outside of requests; the work is retried. */
  readonly onError: (error: unknown) => void
}

export interface SegmentTables extends TablePlace {
  /** Segments with fewer chunks stay in memory. */
  readonly minChunks: number
}

export interface Documents {
  readonly deps: DocumentDeps
  /** Folder for files while they are received. */
  readonly uploadFolder: string
  /** Checks for waiting loads. */
  notifyLoads(): void
  /** Resolves when every collection can be searched; rejects when the index cannot be built. */
  whenSearchable(): Promise<void>
  /** null: every collection can be searched. */
  buildProgress(): BuildProgress | null
  /** Ends threads, processes and timers. Close the database afterwards. */
  close(): Promise<void>
}

const minuteMs = 60_000
/** Searches end within seconds; a client that reads a long text slowly has this long. */
const removedStaysMs = 10 * minuteMs
/** The longest upload takes ten minutes; its file may belong to a load in progress. */
const untouchedStaysMs = 60 * minuteMs
const finishedLoadStaysMs = 7 * 24 * 60 * minuteMs
const followEveryMs = 30_000
const retryBuildMs = 250
/** A small index is complete before the first request. */
const waitForIndexMs = 1_000
/** Vectors are expensive: a model that is changed for a day and back must not be computed twice. */
const unusedModelStaysMs = 24 * 60 * minuteMs

/** The document service of one process: its index follows the database, its worker does queued loads, its timer runs cleanup. */
export async function openDocuments(options: DocumentsOptions): Promise<Documents> {
  const { database, clock, dataDir, readableRecords, onError, converter = null, objectStore = null } = options
  const { fileFolder, uploadFolder, indexFolder, attachmentFolder } = documentFolders(dataDir)
  const { segmentTables: tables = null } = options
  if (tables !== null) requireLance(tables.packageFolder)
  // Processes that read files get access to folders that exist when they start.
  for (const folder of [fileFolder, uploadFolder]) await mkdir(folder, { recursive: true })
  const fileStore = await fileStoreIdentity({ objectStore, folders: [fileFolder, attachmentFolder] })
  const blobs = openBlobStore({ objectStore, fileFolder, scratchFolder: uploadFolder, clock })
  let checks: IndexChecks | undefined
  const { searchProcess: address = null } = options
  const onRebuild = (progress: IndexProgress): void => checks?.recordRebuild(progress)
  const segments = { blobs, fileStore, hasTables: tables !== null }
  const index =
    address === null
      ? openLexicalIndex({ database, folder: indexFolder, segments, tables, clock, onError, onRebuild })
      : openRemoteIndex({ address, onRebuild })
  const { worker, fileStores, embeddings, models, givenVectors } = await openWork(options, fileStore).catch(
    async (error) => {
      await index.close()
      throw error
    },
  )
  const limits = defaultExtractionLimits
  const readableDirectories = [fileFolder, uploadFolder]
  const pool = openExtractorPool({ ...defaultExtractorPoolOptions, limits, readableDirectories })
  const extractor =
    converter === null ? pool : extractorWithConverter(pool, { ...converter, limits, scratchFolder: uploadFolder })
  const deps: DocumentDeps = {
    database,
    index,
    fileStores,
    blobs,
    extractor,
    extractionLimits: limits,
    readableRecords,
    expectedCollections: new ExpectedCollections(),
    visibleStates: new VisibleStates(database),
    filterSets: new FilterSets(database),
    rareFilters: new RareFilters(),
    embeddings,
    models,
    givenVectors,
    reranker: options.reranker,
    clock,
    searchWaitMs: options.searchWaitMs ?? (async () => null),
    onError,
  }
  const checked = { words: index, vectors: [...models.values()], given: givenVectors.opened }
  checks = await runIndexChecks(database, checked, onError)
  const loads = startLoadWorker(deps, worker, onError)
  const rechunker = startRechunker(deps, worker, onError)
  const tidying = startLoop({ turn: () => cleanup(deps, uploadFolder), everyMs: minuteMs, onError })
  let isClosing = false
  const reportUnlessClosing = (error: unknown): void => {
    if (!isClosing) onError(error)
  }
  // The search process follows for its workers.
  const followed = address === null ? followLog(index, reportUnlessClosing) : null
  // Vectors are in each process.
  const openEngines = async () => {
    const given = await givenVectors.opened()
    return [...[...models.values()].map((model) => model.index), ...(given === null ? [] : [given])]
  }
  const followedEngines = followLog(followedVectors(database, openEngines), reportUnlessClosing)
  // Removed vectors are dropped, and the models are marked as used.
  const following = startLoop({
    async turn() {
      for (const model of models.values()) await model.follow()
      await givenVectors.follow()
    },
    everyMs: followEveryMs,
    onError,
  })
  const segmentWriter = { database, index, blobs, fileStore, worker, clock, uploadFolder }
  const keeper = tables && new TableKeeper({ ...segmentWriter, place: tables, minChunks: tables.minChunks })
  const writing = startLoop({
    turn: async (stopping) => {
      if (options.writesSegments === false) return
      await (keeper === null ? writeSegments(segmentWriter, stopping) : keeper.run(stopping))
    },
    everyMs: minuteMs,
    onError,
  })
  const whenSearchable = async (): Promise<void> => {
    await Promise.all([index.whenReady(), ...[...models.values()].map((model) => model.index.whenReady())])
  }
  const building = startLoop({
    turn: whenSearchable,
    pauseMs: (failures) => Math.min(retryBuildMs * 2 ** failures, followEveryMs),
    onError: reportUnlessClosing,
  })
  building.notify()
  void building.idle().then(() => writing.notify())
  await Promise.race([building.idle(), delay(waitForIndexMs, undefined, { ref: false })])
  return {
    deps,
    uploadFolder,
    whenSearchable,
    buildProgress: () => furthestBack([index, ...[...models.values()].map((model) => model.index)]),
    notifyLoads: loads.notify,
    async close() {
      isClosing = true
      // Building ends when the indexes close.
      const buildingStopped = building.stop()
      await Promise.all([tidying.stop(), followed?.stop(), followedEngines.stop(), following.stop(), writing.stop()])
      // In this order: work that is interrupted by the shutdown is put back.
      const loadsClosed = Promise.all([loads.close(), rechunker.close()])
      await extractor.close()
      await loadsClosed
      // Closing the compared index ends a check in progress.
      const checksClosed = checks?.close()
      for (const model of models.values()) await model.close()
      await givenVectors.close()
      await index.close()
      await Promise.all([checksClosed, buildingStopped])
      // The connection may be closed already; the row counts only while the worker's lock is held.
      await fileStores.close().catch(onError)
      await worker.close()
    },
  }
}

function furthestBack(indexes: readonly Pick<LexicalIndex, 'buildProgress'>[]): BuildProgress | null {
  const [first = null] = indexes
    .flatMap((index) => index.buildProgress() ?? [])
    .sort((one, other) => one.percent - other.percent)
  return first
}

interface Work {
  readonly worker: Worker
  readonly fileStores: FileStores
  /** The default model. */
  readonly embeddings: Embeddings | null
  /** All models, by their configured names. */
  readonly models: ReadonlyMap<string, Embeddings>
  readonly givenVectors: CallerVectors
}

/** The worker of this process, the file store that it uses, and the vectors that it makes. */
async function openWork(options: DocumentsOptions, fileStore: string): Promise<Work> {
  const { database, clock, onError, vectors: { memoryBytes, ...vectors } = { kind: 'built-in' } } = options
  const { indexFolder: folder } = documentFolders(options.dataDir)
  const inFile = memoryBytes === undefined ? {} : { inFile: { folder, memoryBytes } }
  // First of all: a database without pgvector, or a folder without a model, must abort the start.
  const openEngine = await vectorEngines({ database, clock, onError, ...vectors, ...inFile })
  const embedders = await openEmbedders(options)
  const worker = await openWorker(database, onError)
  const models = new Map<string, Embeddings>()
  try {
    const fileStores = await recordFileStore(database, worker.ownNumber, fileStore)
    for (const { embedder, ...use } of embedders)
      models.set(use.configName, await openEmbeddings({ database, clock, embedder, openEngine, use, worker, onError }))
    const { configName } = embedders.find(({ isDefault }) => isDefault) ?? {}
    const embeddings = configName === undefined ? null : (models.get(configName) ?? null)
    return { worker, fileStores, embeddings, models, givenVectors: callerVectors({ database, openEngine, onError }) }
  } catch (error) {
    for (const model of models.values()) await model.close()
    for (const { embedder, configName } of embedders) if (!models.has(configName)) await embedder.close()
    await worker.close()
    throw error
  }
}

interface NamedEmbedder {
  readonly configName: string
  readonly isDefault: boolean
  readonly embedder: Embedder
}

/** The default model is listed under its own name. */
async function openEmbedders({
  embeddings: address,
  localModel = null,
  namedModels = new Map(),
}: DocumentsOptions): Promise<readonly NamedEmbedder[]> {
  const byDefault = localModel !== null ? await openLocalModel(localModel) : address && addressEmbedder(address)
  const others = [...namedModels].map(([configName, each]) => ({
    configName,
    isDefault: false,
    embedder: addressEmbedder(each),
  }))
  if (byDefault === null) return others
  return [{ configName: byDefault.model.name, isDefault: true, embedder: byDefault }, ...others]
}

async function cleanup({ database, blobs, clock }: DocumentDeps, uploadFolder: string): Promise<void> {
  const before = (ms: number): Date => new Date(clock.nowMs() - ms)
  while ((await clearDocuments(database, before(removedStaysMs))) > 0) {
    // There may be more work.
  }
  await clearCollections(database, before(removedStaysMs))
  await clearLoads(database, before(finishedLoadStaysMs))
  await deletePending(database, before(untouchedStaysMs))
  await clearModels(database, before(unusedModelStaysMs))
  while ((await clearBlobs(database, blobs, before(untouchedStaysMs))) > 0) {
    // There may be more work.
  }
  await dropAbandonedFiles(uploadFolder, clock.nowMs() - untouchedStaysMs)
  await blobs.dropUnfinished(clock.nowMs() - untouchedStaysMs)
}
