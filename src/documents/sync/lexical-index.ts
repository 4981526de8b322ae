import { randomUUID } from 'node:crypto'
import type { Database } from '../../database/database.ts'
import { beginHistory } from '../../database/database-history.ts'
import type { FileProblem } from '../../extraction/refusal.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { IndexProgress } from '../../kernel/progress.ts'
import type { Result } from '../../kernel/result.ts'
import { startThread, type Thread } from '../../processes/worker-thread.ts'
import type { QueryTerm } from '../../search-engine/ranking/query-term.ts'
import type { Ranking, RankOptions } from '../../search-engine/ranking/rank-chunks.ts'
import type { NewHistory, NewSegment, VisibleIds } from '../../search-engine/segments/live-segments.ts'
import { isSaved } from '../../search-engine/segments/saved-index.ts'
import { IndexThreads } from '../../search-engine/threads/index-threads.ts'
import type { BuildWork, PreparedText, TextToIndex } from './build-thread.ts'
import { compareDocuments } from './compare-documents.ts'
import { type AddedDocument, type Changes, readChanges, readHistoryIds, readTexts } from './read-changes.ts'
import { batchesOf, readCollectionIds } from './read-collection.ts'
import { rebuildCollection } from './rebuild-collection.ts'
import { type ComparedIndex, type IndexCheck, verifyIndex } from './verify-index.ts'

/** This process's copy of the lexical index. It follows the database's change log; every search says how far. */
export interface LexicalIndex {
  /**
   * Holds what a question needs: while `work` runs, every state of the index that the database can name to it stays
   * searchable. So the database is asked for the position inside of it.
   */
  whileReading<T>(work: (reading: Reading) => Promise<T>): Promise<T>
  /** Cuts a text and makes its terms, off this thread. */
  prepare(text: TextToIndex): Promise<Result<PreparedText, FileProblem>>
  /** What `prepare` made of a document that is now published: spares making it again when the change is followed. */
  offer(documentId: number, prepared: Pick<PreparedText, 'buffer'>): void
  /** Of the change log: a state that can be searched. */
  position(): number
  /** Resolves when all that was committed before this call can be searched. */
  catchUp(): Promise<void>
  counts(): Promise<IndexCounts>
  /** Compares what searches find with the database, document by document and term by term; they go on meanwhile. */
  verify(onProgress?: (progress: IndexProgress) => void): Promise<IndexCheck>
  /**
   * Makes the index of a collection (null: of each in turn) anew from the database, while the old one answers, and keeps it
   * in the folder. For every process at once: `askReindex`.
   */
  rebuild(collectionId: number | null, onProgress?: (progress: IndexProgress) => void): Promise<void>
  close(): Promise<void>
}

export interface Reading {
  /** The best chunks of the state at a position of the change log. */
  search(position: number, search: IndexSearch): Promise<Ranking>
}

export interface IndexSearch {
  readonly collectionIds: readonly number[]
  readonly terms: readonly QueryTerm[]
  readonly options: RankOptions
  /** Absent: every document of the collections exists for this search. */
  readonly visible?: VisibleIds
}

export interface IndexCounts {
  readonly position: number
  readonly segments: number
  readonly documents: number
  readonly chunks: number
  readonly bytes: number
}

export interface LexicalIndexOptions {
  readonly database: Database
  /** Where the index is kept between starts; null: it is built from the database at each start. */
  readonly folder: string | null
  readonly clock: Clock
  readonly onTrouble: (error: unknown) => void
  /** Is told how a rebuild goes that the change log asked for. */
  readonly onRebuild?: (progress: IndexProgress) => void
  /** Tests end threads that they started themselves. */
  readonly startThread?: typeof startThread
}

/** Chunks whose texts are in memory at once while changes are followed. */
const chunksOfBatch = 2_000
/** Changes are saved to the folder when so many chunks are new; a crash costs reading those anew from the database. */
const chunksBetweenSaves = 20_000
/** Prepared documents that were offered and not yet followed: they wait for milliseconds. */
const mostOffers = 1_000

/** @returns when the index has everything that the database has */
export async function openLexicalIndex(options: LexicalIndexOptions): Promise<LexicalIndex> {
  const index = new FollowingIndex(options)
  try {
    await index.start()
  } catch (error) {
    await index.close()
    throw error
  }
  return index
}

class FollowingIndex implements LexicalIndex {
  readonly #options: LexicalIndexOptions
  readonly #threads: IndexThreads
  readonly #building: Thread<BuildWork>
  readonly #readings = new Set<Begun>()
  readonly #offers = new Map<number, SharedArrayBuffer>()
  /** The history of the database that the position belongs to. */
  #historyId = ''
  #running: Promise<void> | undefined
  #next: Promise<void> | undefined
  #upkeep: Promise<unknown> = Promise.resolve()
  #segmentWork: Promise<unknown> = Promise.resolve()
  #isUpkeepAsked = false
  #unsavedChunks = 0
  /** Collections that are to be made anew. */
  readonly #toRebuild = new Set<number>()
  #isSearched = false
  #isClosing = false

  constructor(options: LexicalIndexOptions) {
    this.#options = options
    const start = options.startThread ?? startThread
    this.#threads = new IndexThreads(options.onTrouble, start)
    this.#building = start<BuildWork>(new URL('./build-thread.ts', import.meta.url))
  }

  async start(): Promise<void> {
    await this.#takeSaved()
    await this.catchUp()
    this.#isSearched = true
    this.#warmUp()
  }

  /** Starts the threads, so that the first load and the first search do not wait until they have read their modules. */
  #warmUp(): void {
    const nothing = { position: this.#threads.position, collectionIds: [], terms: [], options: { k: 1 } }
    for (const warming of [this.#building.ask('build', []), this.#threads.search(nothing)])
      warming.catch((error: unknown) => {
        if (!this.#isClosing) this.#options.onTrouble(error)
      })
  }

  async whileReading<T>(work: (reading: Reading) => Promise<T>): Promise<T> {
    const begun = this.#begin()
    try {
      return await work({
        search: async (position, search) => {
          while (!this.#threads.reaches(position)) await this.catchUp()
          return this.#threads.search({ position, ...search })
        },
      })
    } finally {
      begun.end()
    }
  }

  prepare(text: TextToIndex): Promise<Result<PreparedText, FileProblem>> {
    return this.#building.ask('prepare', text)
  }

  offer(documentId: number, { buffer }: Pick<PreparedText, 'buffer'>): void {
    if (this.#offers.size >= mostOffers) this.#offers.clear()
    this.#offers.set(documentId, buffer)
  }

  /** One run at a time. Who asks while one is running may have committed after it had read the log, so a second one follows. */
  catchUp(): Promise<void> {
    if (this.#running === undefined) {
      this.#running = this.#follow().finally(() => {
        this.#running = undefined
      })
      return this.#running
    }
    this.#next ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined
        return this.catchUp()
      })
    return this.#next
  }

  position(): number {
    return this.#threads.position
  }

  async counts(): Promise<IndexCounts> {
    return { position: this.#threads.position, ...(await this.#threads.keeping.ask('counts', null)) }
  }

  verify(onProgress: (progress: IndexProgress) => void = () => undefined): Promise<IndexCheck> {
    return this.#inTurn(() => verifyIndex(this.#parts(), onProgress))
  }

  rebuild(collectionId: number | null, onProgress: (progress: IndexProgress) => void = () => undefined): Promise<void> {
    return this.#inTurn(async () => {
      await this.catchUp()
      const ids = collectionId === null ? await readCollectionIds(this.#options.database) : [collectionId]
      for (const id of ids) await this.#rebuildNow(id, onProgress)
      await this.#save()
    })
  }

  async close(): Promise<void> {
    this.#isClosing = true
    await this.#running?.catch(() => undefined)
    await this.#upkeep
    if (this.#unsavedChunks > 0) await this.#save().catch(this.#options.onTrouble)
    await Promise.all([this.#threads.close(), this.#building.close()])
  }

  // ── following the database ──

  async #follow(): Promise<void> {
    for (;;) {
      await this.#threads.restore()
      const { position } = this.#threads
      const changes = await readChanges(this.#options.database, position, this.#isSearched)
      const isOtherHistory = changes.historyId !== this.#historyId
      if (position > 0 && changes.position < position && !isOtherHistory) {
        // A server that crashed and lost commits (synchronous_commit = off) has the timeline that it had.
        await beginHistory(this.#options.database)
        continue
      }
      if (position > 0 && (isOtherHistory || changes.clearedPosition > position)) await this.#compare(changes)
      else if (changes.position > position) await this.#take(changes)
      if (!changes.isMore) return
    }
  }

  /** The whole is compared with the database: the log does not say what changed. */
  async #compare(followed: Changes): Promise<void> {
    const { database } = this.#options
    const isNewHistory = followed.historyId !== this.#historyId
    if (isNewHistory) this.#offers.clear()
    await this.#exclusively(async () => {
      const { restored, ...compared } = await compareDocuments(database, this.#threads.keeping)
      const changes = { ...followed, ...compared, isMore: false, dropped: [] }
      await this.#take(changes, isNewHistory ? { restored } : undefined)
    })
  }

  async #take(changes: Changes, newHistory?: NewHistory): Promise<void> {
    // What is read anew from the beginning needs no second reading.
    const isNew = this.#threads.position === 0
    const segments = await this.#segmentsOf(changes.added)
    this.#threads.give({
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
    if (!isNew) for (const collectionId of changes.reindexed) this.#toRebuild.add(collectionId)
    this.#askForUpkeep()
  }

  #begin(): Begun {
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    const begun = {
      from: this.#threads.position,
      ended,
      end: () => {
        this.#readings.delete(begun)
        resolve()
      },
    }
    this.#readings.add(begun)
    return begun
  }

  #keepFrom(): number {
    return Math.min(this.#threads.position, ...[...this.#readings].map(({ from }) => from))
  }

  async #segmentsOf(added: readonly AddedDocument[]): Promise<readonly NewSegment[]> {
    const segments: NewSegment[] = []
    const toRead: AddedDocument[] = []
    for (const document of added) {
      const buffer = this.#offers.get(document.id)
      this.#offers.delete(document.id)
      if (buffer === undefined) toRead.push(document)
      else segments.push({ collectionId: document.collectionId, segmentId: randomUUID(), buffer })
    }
    for (const [collectionId, documents] of Map.groupBy(toRead, ({ collectionId }) => collectionId))
      for (const batch of batchesOf(documents, chunksOfBatch)) {
        const ids = batch.map(({ id }) => id)
        const buffer = await this.#building.ask('build', await readTexts(this.#options.database, ids))
        segments.push({ collectionId, segmentId: randomUUID(), buffer })
      }
    return segments
  }

  // ── upkeep: merging, comparing, making anew and saving, one after the other, beside everything else ──

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#upkeep.then(work)
    this.#upkeep = turn.catch(() => undefined)
    return turn
  }

  #askForUpkeep(): void {
    if (this.#isUpkeepAsked || this.#isClosing) return
    this.#isUpkeepAsked = true
    const upkeep = this.#inTurn(async () => {
      this.#isUpkeepAsked = false
      await this.#rebuildAsked()
      while (!this.#isClosing && (await this.#mergeOnce())) {
        // There may be more.
      }
      if (this.#unsavedChunks >= chunksBetweenSaves) await this.#save()
    })
    upkeep.catch((error: unknown) => {
      if (!this.#isClosing) this.#options.onTrouble(error)
    })
  }

  async #rebuildAsked(): Promise<void> {
    if (this.#toRebuild.size === 0) return
    for (const collectionId of this.#toRebuild) {
      if (this.#isClosing) return
      await this.#rebuildNow(collectionId, (progress) => this.#options.onRebuild?.(progress))
      this.#toRebuild.delete(collectionId)
    }
    await this.#save()
  }

  async #rebuildNow(collectionId: number, onProgress: (progress: IndexProgress) => void): Promise<void> {
    const own = this.#begin()
    const historyId = this.#historyId
    const untilNobodyAsksBefore = async (position: number): Promise<void> => {
      const others = [...this.#readings].filter((reading) => reading !== own && reading.from < position)
      await Promise.all(others.map(({ ended }) => ended))
    }
    try {
      const swap = await rebuildCollection(this.#parts(), collectionId, onProgress)
      await untilNobodyAsksBefore(swap.at ?? 0)
      await this.#exclusively(async () => {
        if (historyId !== this.#historyId) throw new Error('the database lost what the index was being built from')
        await this.#threads.replace(swap)
      })
    } finally {
      own.end()
    }
  }

  #mergeOnce(): Promise<boolean> {
    return this.#exclusively(async () => {
      const swap = await this.#threads.keeping.ask('mergeOnce', { keepFrom: this.#keepFrom() })
      if (swap !== null) await this.#threads.swap(swap)
      return swap !== null
    })
  }

  /** One at a time: a merge, a replacement of segments, a comparison with what they hold. */
  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#segmentWork.then(work)
    this.#segmentWork = turn.catch(() => undefined)
    return turn
  }

  async #save(): Promise<void> {
    const { folder, clock } = this.#options
    // What is saved must not say that a collection was made anew before it was.
    if (folder === null || this.#toRebuild.size > 0) return
    this.#unsavedChunks = 0
    await this.#threads.keeping.ask('save', { folder, historyId: this.#historyId, nowMs: clock.nowMs() })
  }

  async #takeSaved(): Promise<void> {
    const { folder, database } = this.#options
    if (folder === null || !isSaved(folder)) return
    const historyIds = await readHistoryIds(database)
    const { position } = await readChanges(database, Number.MAX_SAFE_INTEGER, false)
    this.#historyId = (await this.#threads.load({ folder, historyIds, position })) ?? ''
  }

  #parts(): ComparedIndex {
    const { database } = this.#options
    return {
      database,
      threads: this.#threads,
      building: this.#building,
      catchUp: () => this.catchUp(),
      goOn: () => {
        if (this.#isClosing) throw new Error('the index is closed')
      },
    }
  }
}

/** A question that is being answered. */
interface Begun {
  /** The state of the index when it began: it may ask for any from here on. */
  readonly from: number
  readonly ended: Promise<void>
  end(): void
}
