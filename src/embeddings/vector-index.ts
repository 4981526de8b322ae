import type { Database } from '../database/database.ts'
import { readHistoryId } from '../database/database-history.ts'
import type { Clock } from '../kernel/clock.ts'
import { type BuildProgress, IndexBuilding, progressOf } from '../kernel/index-building.ts'
import type { IndexProgress } from '../kernel/progress.ts'
import { startThread, type Thread } from '../processes/worker-thread.ts'
import { forgetCleared } from './forget-cleared.ts'
import { nearestInMemory } from './in-memory/nearest-in-memory.ts'
import { unpackCandidates } from './in-memory/pack-candidates.ts'
import type { VectorsInFile } from './in-memory/rounded-blocks.ts'
import type { VectorWork } from './in-memory/vector-thread.ts'
import type { FoundCandidates, VectorSearch, VectorsInMemoryOptions } from './in-memory/vectors-in-memory.ts'
import { LimitedWait } from './limited-wait.ts'
import { type ModelState, readModelState } from './store/models.ts'
import { readForgotten, readRemoved, readWholeDocuments, type WholeDocument } from './store/read-vectors.ts'
import { storedVectors } from './store/stored-vectors.ts'
import { VectorPage } from './store/vector-page.ts'
import { type NearChunk, type NearSearch, type VectorEngine, VectorsBehind } from './vector-engine.ts'
import { type ComparedVectors, compareVectors, type VectorCheck } from './verify-vectors.ts'

export interface VectorIndexOptions {
  readonly database: Database
  readonly modelId: number
  readonly clock: Clock
  readonly onError: (error: unknown) => void
  /** Smaller collections are searched exactly, larger ones by signs where the caller sees all searched collections whole. */
  readonly minApproximate?: number
  /** Absent: all vectors are in memory. */
  readonly inFile?: VectorsInFile
}

/** A comparison of all vectors of a smaller collection takes some milliseconds. */
const defaultMinApproximate = 25_000

/** A search that began before a removal has ended by then: it takes seconds, unless the index of words is that far behind. */
const removedStaysMs = 60_000

/** Replaces the history after a comparison with it failed. */
const uncompared = ''

/** A search of the vectors up to a sequence number. */
interface EarlySearch {
  readonly position: number
  readonly found: Promise<FoundCandidates>
}

/** 0: each collection has its own length, which the caller has compared. */
function fits({ vector }: VectorSearch, { vectorLength }: ModelState): boolean {
  return vectorLength === null || vectorLength === 0 || vectorLength === vector.length
}

/** Returns at once: the vectors in the database are read afterwards (`whenReady`). */
export function openVectorIndex(options: VectorIndexOptions): VectorEngine {
  return new FollowingVectors(options)
}

/**
 * The built-in engine: this process's copy of a model's vectors, in a thread. It keeps versions of documents for some time after they
 * were replaced or deleted, and does not check rights.
 */
class FollowingVectors implements VectorEngine {
  readonly modelId: number
  readonly #options: VectorIndexOptions
  readonly #thread: Thread<VectorWork>
  /** Of the vectors that the thread takes, one call at a time. */
  readonly #page = new VectorPage()
  #position = 0
  #forgottenPosition = 0
  /** By collection: the sequence number at which the last document was removed whose vectors are forgotten. */
  readonly #forgottenOf = new Map<number, number>()
  /** Documents that were removed up to here may have no row any more. */
  #clearedPosition = 0
  /** Memory may have vectors of such documents. */
  #mayHoldCleared = false
  /** The thread knows which documents were removed up to this sequence number. */
  #removedPosition = 0
  /** The history of the database to which the sequence numbers belong; null: none yet. */
  #historyId: string | null = null
  #comparing: Promise<unknown> = Promise.resolve()
  /** Incremented each time the thread loses its state. */
  #generation = 0
  #running: Promise<void> = Promise.resolve()
  /** The last of the vectors that existed when reading began; null: all of them are in memory. */
  #reading: { readonly last: number; readonly beganMs: number } | null
  /** What the last search read, if there was nothing new. */
  #quietState: ModelState | null = null
  #isClosing = false

  constructor(options: VectorIndexOptions) {
    this.modelId = options.modelId
    this.#options = options
    const { minApproximate = defaultMinApproximate, inFile } = options
    const data: VectorsInMemoryOptions = { minApproximate, ...(inFile === undefined ? {} : { inFile }) }
    const file = new URL('./in-memory/vector-thread.ts', import.meta.url)
    this.#thread = startThread<VectorWork>(file, () => this.#restart(), { data })
    this.#reading = { last: 0, beganMs: options.clock.nowMs() }
  }

  async nearest(search: NearSearch): Promise<readonly NearChunk[] | undefined> {
    const { database, modelId } = this.#options
    const wait = new LimitedWait(search)
    try {
      const searchVectors = (each: VectorSearch) => this.#search(each, search.position, wait)
      return await nearestInMemory({ database, modelId, search: searchVectors }, search)
    } finally {
      wait.end()
    }
  }

  /** @param documentsPosition sequence number of the change log: the state to search */
  async #search(
    search: VectorSearch,
    documentsPosition: number,
    wait: LimitedWait,
  ): Promise<FoundCandidates | undefined> {
    const { database, modelId } = this.#options
    const early = this.#searchEarly(search, documentsPosition)
    const state = await readModelState(database, modelId)
    const { position } = state
    this.#quietState = position <= this.#position ? state : null
    if (!fits(search, state)) return undefined
    const building = this.buildProgress()
    if (building !== null) throw new IndexBuilding(building)
    if (early !== null && position <= early.position) return early.found
    while (position > this.#position) await wait.for(() => this.#runExclusive(() => this.#refresh()))
    if (documentsPosition > this.#removedPosition) await this.#markRemoved(documentsPosition)
    return this.#callSearch(search, documentsPosition)
  }

  /**
   * Searches while the database says whether there are new vectors: mostly there are none, and the search has not waited. After new ones were
   * found, searches wait until there are none, so that hardly any search runs twice while documents are loaded.
   */
  #searchEarly(search: VectorSearch, documentsPosition: number): EarlySearch | null {
    const state = this.#quietState
    if (state === null || !fits(search, state) || this.#reading !== null) return null
    if (documentsPosition > this.#removedPosition) return null
    const found = this.#callSearch(search, documentsPosition)
    // Other failures than that of the thread matter only if it is the result.
    found.catch(() => undefined)
    return { position: this.#position, found }
  }

  /**
   * The index of words may be minutes behind, and the state of a search with it. Vectors of documents that this state has may be forgotten
   * then.
   *
   * @throws VectorsBehind if some are
   */
  async #callSearch(search: VectorSearch, documentsPosition: number): Promise<FoundCandidates> {
    const found = await this.#callThread(search)
    // Afterwards: they may have been forgotten meanwhile.
    if (search.collectionIds.some((id) => documentsPosition < (this.#forgottenOf.get(id) ?? 0)))
      throw new VectorsBehind()
    return found
  }

  /** A thread that ended is replaced, and the vectors are read again: until then, as at the start. */
  async #callThread(search: VectorSearch): Promise<FoundCandidates> {
    try {
      return unpackCandidates(await this.#thread.call('search', search))
    } catch (error) {
      const building = this.buildProgress()
      if (building === null || this.#isClosing) throw error
      this.#options.onError(error)
      throw new IndexBuilding(building)
    }
  }

  whenReady(): Promise<void> {
    return this.follow()
  }

  buildProgress(): BuildProgress | null {
    if (this.#reading === null) return null
    const { last, beganMs } = this.#reading
    const tookMs = this.#options.clock.nowMs() - beganMs
    return progressOf({ of: last, done: this.#position, found: 0, tookMs })
  }

  async reach(position: number): Promise<boolean> {
    if (this.#reading !== null || position <= this.#position) return false
    await this.#runExclusive(() => this.#refresh())
    return true
  }

  follow(): Promise<void> {
    return this.#runExclusive(async () => {
      await this.#refresh()
      if (this.#historyId === uncompared) await this.#enterHistory()
      await this.#forget()
    })
  }

  verify(repairs: boolean, onProgress: (progress: IndexProgress) => void = () => undefined): Promise<VectorCheck> {
    const { database, modelId } = this.#options
    const parts: ComparedVectors = {
      database,
      modelId,
      thread: this.#thread,
      runExclusive: (work) =>
        this.#runExclusive(async () => {
          await this.#refresh()
          await this.#forget()
          await work({ position: this.#position, forgottenPosition: this.#forgottenPosition })
        }),
      take: (documents, length) => this.#take(documents, length),
    }
    return compareVectors(parts, repairs, onProgress)
  }

  async close(): Promise<void> {
    this.#isClosing = true
    await this.#running.catch(() => undefined)
    await this.#thread.close()
    await this.#comparing
  }

  #restart(): void {
    this.#position = 0
    this.#forgottenPosition = 0
    this.#forgottenOf.clear()
    this.#removedPosition = 0
    this.#generation++
    this.#quietState = null
    this.#reading = { last: 0, beganMs: this.#options.clock.nowMs() }
    this.follow().catch(this.#options.onError)
  }

  /** One call at a time, in call order. */
  #runExclusive(work: () => Promise<void>): Promise<void> {
    const turn = this.#running.catch(() => undefined).then(work)
    this.#running = turn
    return turn
  }

  /** A model without vectors may have a sequence number: a new history of the database skips some. There is nothing to read then. */
  async #refresh(): Promise<void> {
    const { database, modelId } = this.#options
    const generation = this.#generation
    const { position, vectorLength } = await readModelState(database, modelId)
    if (this.#reading !== null) {
      this.#reading = { ...this.#reading, last: position }
      // What no search needs any more is not read at all.
      await this.#forget()
    }
    if (vectorLength === null) this.#position = Math.max(this.#position, position)
    else if (position > this.#position) await this.#readNew(generation, position, vectorLength)
    this.#page.clear()
    if (generation === this.#generation) this.#reading = null
  }

  async #readNew(generation: number, position: number, vectorLength: number): Promise<void> {
    const { database, modelId } = this.#options
    await this.#enterHistory()
    let reached = this.#position
    for (let isMore = true; isMore; ) {
      // A search of a state before their removal needs removed ones, too. Those before are not forgotten a second time.
      const whole = await readWholeDocuments(database, modelId, reached, this.#forgottenPosition)
      await this.#take(whole.documents, vectorLength)
      if (whole.removedIds.length > 0) await this.#thread.call('markRemoved', whole.removedIds)
      if (generation !== this.#generation || this.#isClosing) return
      reached = whole.reached
      this.#position = reached
      isMore = whole.isMore
    }
    // The last sequence numbers may be those of documents that were cleaned up.
    this.#position = Math.max(reached, position)
  }

  /**
   * A new history begins with higher sequence numbers. Older data is compared in the background: memory may contain vectors of
   * lost documents, which no search counts, and lack those of documents whose removal was lost.
   */
  async #enterHistory(): Promise<void> {
    const historyId = await readHistoryId(this.#options.database)
    if (historyId === this.#historyId) return
    const isFirst = this.#historyId === null
    this.#historyId = historyId
    if (isFirst) return
    this.#inBackground(
      () => this.verify(true),
      () => {
        // The next `follow` compares it again.
        if (this.#historyId === historyId) this.#historyId = uncompared
      },
    )
  }

  /** One after the other. */
  #inBackground(work: () => Promise<unknown>, onFailure: () => void): void {
    this.#comparing = this.#comparing.then(work).catch((error: unknown) => {
      onFailure()
      if (!this.#isClosing) this.#options.onError(error)
    })
  }

  #throwIfClosing(): void {
    if (this.#isClosing) throw new Error('the index is closed')
  }

  /** The vectors of documents that were completed again are replaced as soon as the first new ones are read. */
  async #take(whole: readonly WholeDocument[], length: number): Promise<void> {
    const { database, modelId, onError } = this.#options
    const toBegin = new Set(whole.map(({ id }) => id))
    for await (const vectors of storedVectors(database, modelId, whole, length, this.#page)) {
      const begun = [...new Set(vectors.map(({ documentId }) => documentId))].filter((id) => toBegin.delete(id))
      const reason = await this.#thread.call('add', { vectors, length, begun })
      if (reason !== null) onError(new Error(`vectors are not written to a file, and take memory instead: ${reason}`))
    }
  }

  /** Removed documents take no places of others in a search by signs. The thread marks only those that it has read. */
  async #markRemoved(position: number): Promise<void> {
    const generation = this.#generation
    const after = Math.max(this.#removedPosition, this.#forgottenPosition)
    for await (const documentIds of readRemoved(this.#options.database, after, position))
      await this.#thread.call('markRemoved', documentIds)
    if (generation === this.#generation) this.#removedPosition = Math.max(this.#removedPosition, position)
  }

  async #forget(): Promise<void> {
    while ((await this.#forgetSome()) && !this.#isClosing) {
      // There may be more work.
    }
    if (this.#mayHoldCleared) this.#forgetCleared()
  }

  /** @returns whether there may be more */
  async #forgetSome(): Promise<boolean> {
    const { database, clock } = this.#options
    const gone = await readForgotten(database, this.#forgottenPosition, new Date(clock.nowMs() - removedStaysMs))
    const { position, documentIds, lastOf, collectionIds, clearedPosition } = gone
    for (const [id, last] of lastOf) this.#forgottenOf.set(id, last)
    // They cannot be searched.
    for (const id of collectionIds) this.#forgottenOf.delete(id)
    if (documentIds.length + collectionIds.length > 0) await this.#thread.call('forget', { documentIds, collectionIds })
    // This process could not follow for some minutes, or another one has a clock that is far ahead. At the start, memory is still empty.
    if (clearedPosition > Math.max(this.#forgottenPosition, this.#clearedPosition)) this.#mayHoldCleared = true
    this.#clearedPosition = Math.max(this.#clearedPosition, clearedPosition)
    this.#forgottenPosition = position
    return gone.isMore
  }

  #forgetCleared(): void {
    this.#mayHoldCleared = false
    this.#inBackground(
      () => forgetCleared(this.#options.database, this.#thread, () => this.#throwIfClosing()),
      () => {
        // The next `follow` begins it again.
        this.#mayHoldCleared = true
      },
    )
  }
}
