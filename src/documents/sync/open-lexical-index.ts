import { beginHistory } from '../../database/database-history.ts'
import type { FileProblem } from '../../extraction/rejection.ts'
import { type BuildProgress, IndexBuilding } from '../../kernel/index-building.ts'
import { createMutex } from '../../kernel/mutex.ts'
import type { IndexProgress } from '../../kernel/progress.ts'
import type { Result } from '../../kernel/result.ts'
import { createRuns } from '../../kernel/runs.ts'
import { startThread, type Thread } from '../../processes/worker-thread.ts'
import type { MoveProgress, SearchEngine } from '../../search-engine/search-engine.ts'
import type { NewHistory } from '../../search-engine/segments/index-change.ts'
import type { CollectionSize, CollectionTables } from '../../search-engine/segments/writer-index.ts'
import { BuiltInEngine } from '../../search-engine/threads/built-in-engine.ts'
import { BegunSearches } from './begun-searches.ts'
import { buildStep, restartBuild } from './build-step.ts'
import type { BuildWork } from './build-thread.ts'
import { compareDocuments } from './compare-documents.ts'
import type { PreparedText, TextToIndex } from './index-texts.ts'
import { InitialBuild, type UnbuiltCollection } from './initial-build.ts'
import type {
  ExportedIndex,
  IndexCounts,
  IndexExport,
  IndexView,
  LexicalIndex,
  LexicalIndexOptions,
  ReachOptions,
} from './lexical-index.ts'
import { loadSaved } from './load-saved.ts'
import { type MoveWork, moveSegments, replaceWhenUnused, searchOrRestart, type TableParts } from './move-segments.ts'
import { PreparedDocuments } from './prepared-documents.ts'
import { reachState } from './reach-state.ts'
import { readBuildStart, readCollectionIds } from './read-collection.ts'
import { type Changes, readChanges } from './read-document-changes.ts'
import { rebuildCollection } from './rebuild-collection.ts'
import { startBuildThread } from './start-build-thread.ts'
import { StoredSegments } from './stored-segments.ts'
import { type IndexCheck, verifyIndex } from './verify-index.ts'

/** Changes are saved to the folder after this many new chunks; after a crash these are read again from the database. */
const chunksBetweenSaves = 20_000

/** Returns at once: the database is indexed afterwards, collection by collection (`whenReady`). A saved index is loaded first. */
export function openLexicalIndex(options: LexicalIndexOptions): LexicalIndex {
  return new FollowingIndex(options)
}

class FollowingIndex implements LexicalIndex {
  readonly #options: LexicalIndexOptions
  readonly #engine: SearchEngine
  readonly #building: Thread<BuildWork>
  readonly #searches = new BegunSearches()
  readonly #prepared = new PreparedDocuments()
  /** The history of the database to which the sequence number belongs. */
  #historyId = ''
  readonly #following = createRuns(() => this.#follow())
  /** Building, merging, comparing, rebuilding and saving, in the background. */
  readonly #maintenance = createMutex()
  /** A merge, a replacement of segments, or a comparison of their contents. */
  readonly #segmentWork = createMutex()
  #isMaintenanceRequested = false
  #unsavedChunks = 0
  /** Collections to rebuild. */
  readonly #toRebuild = new Set<number>()
  readonly #initial: InitialBuild
  readonly #stored: StoredSegments
  readonly #lastMover = { worker: null }
  /** Whether the index reached the database's state at least once since the start. */
  #isOpen = false
  #isClosing = false

  constructor(options: LexicalIndexOptions) {
    this.#options = options
    const start = options.startThread ?? startThread
    this.#initial = new InitialBuild(options.clock)
    this.#stored = new StoredSegments({ ...options, store: options.segments ?? null })
    this.#engine = new BuiltInEngine({
      onError: options.onError,
      start,
      searchThreads: options.searchThreads ?? 1,
      tables: options.tables ?? null,
      onForgotten: () => this.#initial.forget(),
    })
    this.#building = startBuildThread(start)
  }

  async whenReady(): Promise<void> {
    await this.refresh()
    while (this.buildProgress() !== null) {
      await this.#maintenance.run(() => this.#build())
      await this.refresh()
    }
  }

  buildProgress(): BuildProgress | null {
    const isReady = this.#isOpen && this.#initial.isBegun && this.#initial.left.length === 0
    return isReady ? null : this.#initial.progress()
  }

  /** Starts the searching thread early, for the first search. The building thread costs 80 ms of CPU and begins with the first document. */
  #warmUp(): void {
    const nothing = { position: this.#engine.sequence, collectionIds: [], terms: [], options: { k: 1 } }
    this.#inBackground(() => this.#engine.search(nothing).then(() => undefined))
  }

  async withSnapshot<T>(work: (view: IndexView) => Promise<T>): Promise<T> {
    const begun = this.#searches.begin(this.#engine.sequence)
    try {
      return await work({
        reach: (sequence, collectionIds, waitMs) => this.#reach({ sequence, collectionIds, from: begun.from, waitMs }),
        search: async (position, search) => {
          this.#requireReady(search.collectionIds, position)
          while (!this.#engine.canSearch(position)) await this.refresh()
          // Threads that died lost their state.
          this.#requireReady(search.collectionIds, position)
          const requireReady = (): void => this.#requireReady(search.collectionIds, position)
          return searchOrRestart(this.#parts(), { position, ...search }, requireReady)
        },
      })
    } finally {
      begun.end()
    }
  }

  async #reach(options: ReachOptions): Promise<number> {
    this.#requireReady(options.collectionIds)
    return reachState(this.#engine, options, () => this.refresh())
  }

  #requireReady(collectionIds: readonly number[], sequence?: number): void {
    if (!this.#isOpen || !this.#initial.areReady(collectionIds, sequence))
      throw new IndexBuilding(this.#initial.progress())
  }

  prepare(text: TextToIndex): Promise<Result<PreparedText, FileProblem>> {
    return this.#building.call('prepare', text)
  }

  offer(documentId: number, { buffer }: Pick<PreparedText, 'buffer'>): void {
    this.#prepared.keep(documentId, buffer)
  }

  /** A caller during a run may have committed after the run read the log, so a second run follows. */
  refresh(): Promise<void> {
    return this.#following.next()
  }

  position(): number {
    return this.#engine.sequence
  }

  async counts(): Promise<IndexCounts> {
    return { position: this.#engine.sequence, ...(await this.#engine.counts()) }
  }

  verify(onProgress: (progress: IndexProgress) => void = () => undefined): Promise<IndexCheck> {
    return this.#maintenance.run(() => verifyIndex(this.#parts(), onProgress))
  }

  rebuild(collectionId: number | null, onProgress: (progress: IndexProgress) => void = () => undefined): Promise<void> {
    return this.#maintenance.run(async () => {
      await this.refresh()
      const ids = collectionId === null ? await readCollectionIds(this.#options.database) : [collectionId]
      for (const id of ids) await this.#rebuildNow(id, onProgress)
      await this.#save()
    })
  }

  tables(): Promise<readonly CollectionTables[]> {
    return this.#engine.tables()
  }

  moveSegments(work: MoveWork): Promise<MoveProgress> {
    return moveSegments(this.#parts(), work)
  }

  sizes(): Promise<readonly CollectionSize[]> {
    return this.#engine.sizes()
  }

  async exportSegments({ mayLink, ...place }: IndexExport): Promise<ExportedIndex | null> {
    const historyId = this.#historyId
    const isUnbuilt = this.#initial.left.some(({ collectionId }) => collectionId === place.collectionId)
    if (!this.#isOpen || isUnbuilt || this.#toRebuild.has(place.collectionId)) return null
    const { folder } = this.#options
    const exported = await this.#engine.exportSegments({ ...place, savedFolder: mayLink ? folder : null })
    // If the database lost data meanwhile, its newest history is another one.
    return { ...exported, historyId }
  }

  async close(): Promise<void> {
    this.#isClosing = true
    await this.#following.idle()
    await this.#maintenance.idle()
    if (this.#unsavedChunks > 0) await this.#save().catch(this.#options.onError)
    await Promise.all([this.#engine.close(), this.#building.close()])
  }

  // ── following the database ──

  async #follow(): Promise<void> {
    if (!this.#isOpen && !this.#initial.isBegun) await this.#takeSaved()
    await this.#readLog()
    if (!this.#isOpen) this.#warmUp()
    this.#isOpen = true
    if (this.#initial.left.length > 0) this.#requestMaintenance()
  }

  async #readLog(): Promise<void> {
    for (;;) {
      this.#throwIfClosing()
      await this.#engine.recover()
      if (!this.#initial.isBegun) await this.#beginBuild()
      const position = this.#engine.sequence
      const changes = await readChanges(this.#options.database, position, this.#isOpen)
      const isOtherHistory = changes.historyId !== this.#historyId
      if (position > 0 && changes.position < position && !isOtherHistory) {
        // A server that crashed and lost commits (synchronous_commit = off) keeps its timeline.
        await beginHistory(this.#options.database)
        continue
      }
      if (position > 0 && (isOtherHistory || changes.clearedPosition > position)) await this.#compare(changes)
      else if (changes.position > position) await this.#take(changes)
      if (!changes.isMore) return
    }
  }

  /** Compares everything with the database: the log does not say what changed. */
  async #compare(followed: Changes): Promise<void> {
    const { database } = this.#options
    const isNewHistory = followed.historyId !== this.#historyId
    if (isNewHistory) this.#prepared.clear()
    await this.#segmentWork.run(async () => {
      const unbuilt = new Set(this.#initial.left.map(({ collectionId }) => collectionId))
      const { restored, ...compared } = await compareDocuments(database, this.#engine, unbuilt)
      await restartBuild(this.#engine, this.#initial, compared.position)
      if (isNewHistory) await this.#stored.begin(compared.historyId)
      const changes = { ...followed, ...compared, isMore: false, dropped: [] }
      await this.#take(changes, isNewHistory ? { restored } : undefined)
    })
  }

  async #take(changes: Changes, newHistory?: NewHistory): Promise<void> {
    const segments = await this.#prepared.segmentsOf(this.#parts(), changes.added)
    this.#engine.apply({
      position: changes.position,
      keepFrom: this.#keepFrom(),
      segments,
      added: changes.added.map(({ id, collectionId, position }) => ({ documentId: id, collectionId, position })),
      removed: changes.removed,
      dropped: changes.dropped,
      ...(newHistory !== undefined && { newHistory }),
    })
    this.#historyId = changes.historyId
    this.#unsavedChunks += changes.added.reduce((sum, { chunkCount }) => sum + chunkCount, 0) + changes.removed.length
    for (const { collectionId } of changes.dropped) this.#initial.replace(collectionId, null)
    for (const collectionId of changes.reindexed) this.#toRebuild.add(collectionId)
    this.#requestMaintenance()
  }

  #keepFrom(): number {
    return this.#searches.oldest(this.#engine.sequence)
  }

  // ── building collections that no saved index contains ──

  /** The index is empty: changes are followed from now on, and existing documents are indexed in the background. */
  async #beginBuild(): Promise<void> {
    const { historyId, position, collections } = await readBuildStart(this.#options.database)
    this.#engine.apply({ position, keepFrom: position, segments: [], added: [], removed: [], dropped: [] })
    this.#historyId = historyId
    await this.#stored.begin(historyId)
    const whole = { upTo: position, afterId: 0, done: 0 }
    this.#initial.begin(collections.map(({ id, documents }) => ({ ...whole, collectionId: id, of: documents })))
  }

  async #build(): Promise<void> {
    let isBuilt = false
    for (let unbuilt = this.#initial.next(); unbuilt !== undefined; unbuilt = this.#initial.next()) {
      this.#throwIfClosing()
      await this.#buildSome(unbuilt)
      while (await this.#segmentWork.run(() => this.#engine.compact(this.#keepFrom()))) {
        // There may be more work.
      }
      if (this.#unsavedChunks >= chunksBetweenSaves) await this.#save()
      isBuilt = true
    }
    if (isBuilt) await this.#save()
  }

  async #buildSome(unbuilt: UnbuiltCollection): Promise<void> {
    const own = this.#searches.begin(this.#engine.sequence)
    const { recoveries } = this.#engine
    try {
      const { swap, page, chunks } = await buildStep(this.#parts(), unbuilt, own.from)
      await this.#segmentWork.run(async () => {
        // The collection was removed, or the engine or the database lost data.
        if (!this.#initial.isUnderWay(unbuilt) || recoveries !== this.#engine.recoveries) return
        const swapped = this.#engine.replace(swap)
        this.#initial.advance(unbuilt, page, own.from)
        this.#unsavedChunks += chunks
        await swapped
      })
    } finally {
      own.end()
    }
  }

  // ── maintenance ──

  #requestMaintenance(): void {
    if (this.#isMaintenanceRequested || this.#isClosing) return
    this.#isMaintenanceRequested = true
    this.#inBackground(() => this.#maintenance.run(() => this.#maintain()))
  }

  #inBackground(work: () => Promise<void>): void {
    work().catch((error: unknown) => {
      if (!this.#isClosing) this.#options.onError(error)
    })
  }

  async #maintain(): Promise<void> {
    this.#isMaintenanceRequested = false
    await this.#build()
    await this.#rebuildRequested()
    while (!this.#isClosing && (await this.#segmentWork.run(() => this.#engine.compact(this.#keepFrom())))) {
      // There may be more work.
    }
    if (this.#unsavedChunks >= chunksBetweenSaves) await this.#save()
  }

  async #rebuildRequested(): Promise<void> {
    if (this.#toRebuild.size === 0) return
    for (const collectionId of this.#toRebuild) {
      if (this.#isClosing) return
      await this.#rebuildNow(collectionId, (progress) => this.#options.onRebuild?.(progress))
      this.#toRebuild.delete(collectionId)
    }
    await this.#save()
  }

  #rebuildNow(collectionId: number, onProgress: (progress: IndexProgress) => void): Promise<void> {
    return replaceWhenUnused(this.#parts(), () => rebuildCollection(this.#parts(), collectionId, onProgress))
  }

  async #save(): Promise<void> {
    const { folder, clock } = this.#options
    // A saved index must not claim a rebuild of a collection before it is done.
    if (folder === null || this.#toRebuild.size > 0) return
    this.#unsavedChunks = 0
    const unbuilt = this.#initial.left
    await this.#engine.save({ folder, historyId: this.#historyId, unbuilt, nowMs: clock.nowMs() })
  }

  async #takeSaved(): Promise<void> {
    const loaded = await loadSaved(this.#engine, this.#options)
    if (loaded === null) return
    this.#historyId = loaded.historyId
    if (loaded.unbuilt.length > 0) await this.#stored.begin(loaded.historyId)
    this.#initial.begin(loaded.unbuilt)
  }

  #throwIfClosing(): void {
    if (this.#isClosing) throw new Error('the index is closed')
  }

  #parts(): TableParts {
    const { database, onError } = this.#options
    return {
      initial: this.#initial,
      searches: this.#searches,
      lastMover: this.#lastMover,
      isBuilding: () => this.buildProgress() !== null,
      alone: (work) => this.#maintenance.run(work),
      save: () => this.#save(),
      historyId: () => this.#historyId,
      exclusively: (work) => this.#segmentWork.run(work),
      maintain: () => this.#requestMaintenance(),
      inBackground: (work) => this.#inBackground(work),
      database,
      onError,
      engine: this.#engine,
      stored: this.#stored,
      building: this.#building,
      refresh: () => this.refresh(),
      next: () => this.#throwIfClosing(),
    }
  }
}
