import type { Clock } from '../../kernel/clock.ts'
import { type BuildProgress, IndexBuilding, progressOf } from '../../kernel/index-building.ts'
import { type Loop, startLoop } from '../../kernel/loop.ts'
import type { IndexProgress } from '../../kernel/progress.ts'
import { LostTableError, type TablePlace, TablesUnavailableError } from '../../search-engine/lancedb/connect-lance.ts'
import { nearestInMemory } from '../in-memory/nearest-in-memory.ts'
import type { VectorSearch } from '../in-memory/vectors-in-memory.ts'
import { LimitedWait } from '../limited-wait.ts'
import type { NearChunk, NearSearch, VectorEngine } from '../vector-engine.ts'
import type { VectorCheck } from '../verify-vectors.ts'
import { countPending, fillSome } from './fill-vector-tables.ts'
import { type LanceModel, readListedState, startAgain } from './listed-tables.ts'
import { TableMerger } from './merge-vector-tables.ts'
import { nearestInTables } from './nearest-in-tables.ts'
import { VectorTables } from './vector-tables.ts'
import { verifyVectorTables } from './verify-vector-tables.ts'

export interface LanceEngineOptions extends Omit<LanceModel, 'tables'> {
  readonly clock: Clock
  readonly onError: (error: unknown) => void
  readonly place: TablePlace
  /** Collections with at least this many chunks have their own table; absent: 20,000. */
  readonly minOwnChunks?: number
  /** Smaller tables have no index; absent: 5,000. */
  readonly minIndexedRows?: number
  /** As many new documents are read from the database in each search; absent: 500. */
  readonly maxNewer?: number
}

const mergeEveryMs = 10 * 60_000
const defaultMaxNewer = 500
/** Fewer new documents stay in the database until there are more: each table costs every search something. */
const minFilledShare = 0.2
/** A search does not wait for more: they take minutes. */
const maxPending = 50_000
const unavailableSeconds = 5

/** Vectors in tables of LanceDB that all processes share: a process keeps none in memory but what LanceDB keeps of its tables. */
export class LanceEngine implements VectorEngine {
  readonly modelId: number
  readonly #options: LanceEngineOptions
  readonly #model: LanceModel
  readonly #merger: TableMerger
  readonly #merging: Loop
  readonly #following: Loop
  readonly #maxNewer: number
  /** What was missing when this process began to follow; null: nothing any more. */
  #reading: {
    readonly newest: number
    readonly position: number
    readonly found: number
    readonly beganMs: number
  } | null
  #isClosing = false

  constructor(options: LanceEngineOptions) {
    const { database, modelId, clock, place, onError } = options
    this.modelId = modelId
    this.#options = options
    this.#model = { database, modelId, tables: new VectorTables(place, options.minIndexedRows) }
    this.#maxNewer = options.maxNewer ?? defaultMaxNewer
    this.#merger = new TableMerger({ ...this.#model, clock }, options.minOwnChunks)
    this.#merging = startLoop({ turn: (stopping) => this.#merger.run(stopping), everyMs: mergeEveryMs, onError })
    this.#following = startLoop({ turn: () => this.follow(), onError })
    this.#reading = { newest: 0, position: 0, found: 0, beganMs: clock.nowMs() }
  }

  async nearest(search: NearSearch): Promise<readonly NearChunk[] | undefined> {
    const wait = new LimitedWait(search)
    try {
      const searchTables = (each: VectorSearch) => this.#search(each, search, wait)
      return await nearestInMemory({ ...this.#model, search: searchTables }, search)
    } finally {
      wait.end()
    }
  }

  async #search(each: VectorSearch, search: NearSearch, wait: LimitedWait) {
    const { database, modelId } = this.#model
    let state = await readListedState(database, modelId)
    // 0: each collection has its own length, which the caller has compared.
    if (state.vectorLength !== null && state.vectorLength !== 0 && state.vectorLength !== each.vector.length)
      return undefined
    const building = this.buildProgress()
    if (building !== null) throw new IndexBuilding(building)
    const behind = state.newest - state.position
    // A new history of the database skips numbers, so there may be far fewer vectors.
    if (behind > maxPending && (await countPending(database, modelId, state.position, maxPending + 1)) > maxPending) {
      this.#following.notify()
      throw new IndexBuilding(progressOf({ of: state.newest, done: state.position, found: state.position, tookMs: 0 }))
    }
    try {
      if (behind > this.#maxNewer) {
        await wait.for(() => this.#fill(1))
        state = await readListedState(database, modelId)
      }
      return await nearestInTables(this.#model, { ...each, state, search })
    } catch (error) {
      if (error instanceof LostTableError) {
        this.#options.onError(new Error(`${error.message}; tables of vectors are written again`, { cause: error }))
        await startAgain(this.#model, state.tables)
        this.#reading = { newest: state.newest, position: 0, found: 0, beganMs: this.#options.clock.nowMs() }
        this.#following.notify()
        throw new IndexBuilding({ percent: 0, retryAfterSeconds: unavailableSeconds })
      }
      if (error instanceof TablesUnavailableError) {
        this.#options.onError(new Error(`tables of LanceDB cannot be used: ${error.message}`, { cause: error }))
        throw new IndexBuilding({ percent: 99, retryAfterSeconds: unavailableSeconds })
      }
      throw error
    }
  }

  async whenReady(): Promise<void> {
    await this.follow()
  }

  buildProgress(): BuildProgress | null {
    if (this.#reading === null) return null
    const { newest, position, found, beganMs } = this.#reading
    return progressOf({ of: newest, done: position, found, tookMs: this.#options.clock.nowMs() - beganMs })
  }

  /** Each search reads from the database what is in no table yet. Tables at every change would be many small ones. */
  async reach(): Promise<boolean> {
    return false
  }

  async follow(): Promise<void> {
    const { newest, position, tables } = await readListedState(this.#model.database, this.#model.modelId)
    // Whichever process replaced the others: a search that still reads one of them ends first.
    this.#model.tables.forgetOthers(new Set(tables.map(({ name }) => name)))
    if (this.#reading !== null) this.#reading = { ...this.#reading, newest, position, found: position }
    await this.#fill(Math.ceil(this.#maxNewer * minFilledShare))
    if (this.#reading === null || this.#isClosing) return
    this.#reading = null
    this.#merging.notify()
  }

  /** Resolves when the maintenance that is due is done. */
  async keepTables(): Promise<void> {
    this.#merging.notify()
    await this.#merging.idle()
  }

  /** Names of the tables that this process has open. */
  openTables(): readonly string[] {
    return this.#model.tables.opened()
  }

  verify(repairs: boolean, onProgress: (progress: IndexProgress) => void = () => undefined): Promise<VectorCheck> {
    return verifyVectorTables(this.#model, repairs, onProgress, () => this.#fill(1))
  }

  async close(): Promise<void> {
    this.#isClosing = true
    await Promise.all([this.#merging.stop(), this.#following.stop()])
    this.#model.tables.forgetOthers(new Set())
  }

  async #fill(min: number): Promise<void> {
    while (!this.#isClosing) {
      const { position, newest, isDone } = await fillSome(this.#model, min)
      if (this.#reading !== null) this.#reading = { ...this.#reading, position, newest }
      if (isDone) return
    }
  }
}
