import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { ReadableRecords } from '../acl/readable-records.ts'
import type { Database } from '../database/database.ts'
import { addressEmbedder, type EmbeddingsAddress } from '../embeddings/embed-texts.ts'
import type { Embedder } from '../embeddings/embedder.ts'
import { type LocalModelOptions, openLocalModel } from '../embeddings/local/local-model.ts'
import { type CallerVectors, callerVectors, type Embeddings, openEmbeddings } from '../embeddings/open-embeddings.ts'
import type { RerankAddress } from '../embeddings/rerank-texts.ts'
import { clearModels } from '../embeddings/store/models.ts'
import { defaultExtractionLimits } from '../extraction/extraction-limits.ts'
import { defaultExtractorPoolOptions, openExtractorPool } from '../extraction/process/extractor-pool.ts'
import { type ConverterOptions, extractorWithConverter } from '../extraction/remote-converter.ts'
import { openWorker, type Worker } from '../jobs/worker.ts'
import type { Clock } from '../kernel/clock.ts'
import type { BuildProgress } from '../kernel/index-building.ts'
import { startLoop } from '../kernel/loop.ts'
import type { DocumentDeps } from './document-deps.ts'
import { startLoadWorker } from './queue-loads.ts'
import { startRechunker } from './rechunk/rechunk-documents.ts'
import { VisibleStates } from './rights/visible-state.ts'
import { dropAbandonedFiles } from './store/blob-store.ts'
import { clearBlobs } from './store/blobs.ts'
import { clearCollections, clearDocuments, clearLoads, deletePending } from './store/clear-away.ts'
import { type FileStores, fileStoreIdentity, noteFileStore } from './store/file-stores.ts'
import { openBlobStore } from './store/open-blob-store.ts'
import type { S3Options } from './store/s3-blob-store.ts'
import type { LexicalIndex } from './sync/lexical-index.ts'
import { openLexicalIndex } from './sync/open-lexical-index.ts'
import { answerIndexChecks, type IndexChecks } from './upkeep/answer-index-checks.ts'

export interface DocumentsOptions {
  /** Addresses of models, from the settings; null: none. */
  readonly embeddings: EmbeddingsAddress | null
  /** A model on this machine instead. */
  readonly localModel?: LocalModelOptions | null
  readonly reranker: RerankAddress | null
  /** Models that collections may choose by name, beside the default one. */
  readonly namedModels?: ReadonlyMap<string, EmbeddingsAddress>
  readonly database: Database
  readonly clock: Clock
  /** Files and the index lie below it. */
  readonly dataDir: string
  readonly readableRecords: ReadableRecords
  /** How long a search waits for what other processes loaded; null: as long as it takes. Absent: the latter. */
  readonly searchWaitMs?: () => Promise<number | null>
  /** Reads what Docket does not; null: such files are refused. */
  readonly converter?: ConverterOptions | null
  /** Keeps original files; null: they lie below `dataDir`. */
  readonly objectStore?: S3Options | null
  /** Something of ours failed beside the requests; it will be tried again. */
  readonly onError: (error: unknown) => void
}

export interface Documents {
  readonly deps: DocumentDeps
  /** Where files lie while they are received. */
  readonly uploadFolder: string
  /** Looks for loads that wait. */
  notifyLoads(): void
  /** Resolves when every collection can be searched; rejects when the index cannot be built. */
  whenSearchable(): Promise<void>
  /** null: every collection can be searched. */
  buildProgress(): BuildProgress | null
  /** Ends threads, processes and timers. Close the database afterwards. */
  close(): Promise<void>
}

const minuteMs = 60_000
/** Searches end within seconds; a caller who reads a long text slowly gets this long for it. */
const removedStaysMs = 10 * minuteMs
/** The longest upload takes ten minutes; its file may be named by a load that is just under way. */
const untouchedStaysMs = 60 * minuteMs
const finishedLoadStaysMs = 7 * 24 * 60 * minuteMs
const followEveryMs = 30_000
const retryBuildMs = 250
/** A small index is complete before anybody can ask for it. */
const waitForIndexMs = 1_000
/** Vectors are dear: a model that is changed for a day and back is not paid for twice. */
const unusedModelStaysMs = 24 * 60 * minuteMs

/** Where things of documents lie in the data directory. */
export function documentFolders(dataDir: string) {
  return {
    fileFolder: join(dataDir, 'files'),
    uploadFolder: join(dataDir, 'uploads'),
    indexFolder: join(dataDir, 'index'),
    attachmentFolder: join(dataDir, 'attachments'),
  }
}

/** All of the document service of one process: its index follows the database, its worker takes queued loads, its timer tidies up. */
export async function openDocuments(options: DocumentsOptions): Promise<Documents> {
  const { database, clock, dataDir, readableRecords, onError, converter = null, objectStore = null } = options
  const { fileFolder, uploadFolder, indexFolder, attachmentFolder } = documentFolders(dataDir)
  // Processes that read files are let into folders that are there when they start.
  for (const folder of [fileFolder, uploadFolder]) await mkdir(folder, { recursive: true })
  const fileStore = await fileStoreIdentity({ objectStore, folders: [fileFolder, attachmentFolder] })
  let checks: IndexChecks | undefined
  const index = openLexicalIndex({
    database,
    folder: indexFolder,
    clock,
    onError,
    onRebuild: (progress) => checks?.noteRebuild(progress),
  })
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
    blobs: openBlobStore({ objectStore, fileFolder, scratchFolder: uploadFolder, clock }),
    extractor,
    extractionLimits: limits,
    readableRecords,
    visibleStates: new VisibleStates(database),
    embeddings,
    models,
    givenVectors,
    reranker: options.reranker,
    clock,
    searchWaitMs: options.searchWaitMs ?? (async () => null),
    onError,
  }
  const checked = { words: index, vectors: [...models.values()], given: givenVectors.opened }
  checks = await answerIndexChecks(database, checked, onError)
  const loads = startLoadWorker(deps, worker, onError)
  const rechunker = startRechunker(deps, worker, onError)
  const tidying = startLoop({ turn: () => cleanup(deps, uploadFolder), everyMs: minuteMs, onError })
  // An index that is not asked for long would have much to catch up with when it is.
  const following = startLoop({
    async turn() {
      await index.refresh()
      for (const model of models.values()) await model.follow()
      await givenVectors.follow()
    },
    everyMs: followEveryMs,
    onError,
  })
  const whenSearchable = async (): Promise<void> => {
    await Promise.all([index.whenReady(), ...[...models.values()].map((model) => model.index.whenReady())])
  }
  let isClosing = false
  const building = startLoop({
    turn: whenSearchable,
    pauseMs: (failures) => Math.min(retryBuildMs * 2 ** failures, followEveryMs),
    onError: (error) => {
      if (!isClosing) onError(error)
    },
  })
  building.notify()
  await Promise.race([building.idle(), delay(waitForIndexMs, undefined, { ref: false })])
  return {
    deps,
    uploadFolder,
    whenSearchable,
    buildProgress: () => furthestBack([index, ...[...models.values()].map((model) => model.index)]),
    notifyLoads: loads.notify,
    async close() {
      isClosing = true
      // It ends with the indexes.
      const buildingStopped = building.stop()
      await Promise.all([tidying.stop(), following.stop()])
      // In this order: what breaks off because of the end is put back.
      const loadsClosed = Promise.all([loads.close(), rechunker.close()])
      await extractor.close()
      await loadsClosed
      // A check that is under way is broken off by the index that it compares.
      const checksClosed = checks?.close()
      for (const model of models.values()) await model.close()
      await givenVectors.close()
      await index.close()
      await Promise.all([checksClosed, buildingStopped])
      // The connection may be gone already; the row counts only while the worker's lock is held.
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
  /** All of them, by the names of the configuration. */
  readonly models: ReadonlyMap<string, Embeddings>
  readonly givenVectors: CallerVectors
}

/** This process as a worker, the file store that it uses, and the vectors that it makes. */
async function openWork(options: DocumentsOptions, fileStore: string): Promise<Work> {
  const { database, clock, onError } = options
  // Before anything is begun: a folder without a model ends the start.
  const embedders = await openEmbedders(options)
  const worker = await openWorker(database, onError)
  const models = new Map<string, Embeddings>()
  try {
    const fileStores = await noteFileStore(database, worker.ownNumber, fileStore)
    for (const { embedder, ...use } of embedders)
      models.set(use.configName, await openEmbeddings({ database, clock, embedder, use, worker, onError }))
    const { configName } = embedders.find(({ isDefault }) => isDefault) ?? {}
    const embeddings = configName === undefined ? null : (models.get(configName) ?? null)
    return { worker, fileStores, embeddings, models, givenVectors: callerVectors({ database, clock, onError }) }
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

/** The default model goes by its own name. */
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
    // There may be more.
  }
  await clearCollections(database, before(removedStaysMs))
  await clearLoads(database, before(finishedLoadStaysMs))
  await deletePending(database, before(untouchedStaysMs))
  await clearModels(database, before(unusedModelStaysMs))
  while ((await clearBlobs(database, blobs, before(untouchedStaysMs))) > 0) {
    // There may be more.
  }
  await dropAbandonedFiles(uploadFolder, clock.nowMs() - untouchedStaysMs)
  await blobs.dropUnfinished(clock.nowMs() - untouchedStaysMs)
}
