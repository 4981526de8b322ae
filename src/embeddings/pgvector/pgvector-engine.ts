import type { Clock } from '../../kernel/clock.ts'
import { type BuildProgress, IndexBuilding, progressOf } from '../../kernel/index-building.ts'
import { type Loop, startLoop } from '../../kernel/loop.ts'
import type { IndexProgress } from '../../kernel/progress.ts'
import { LimitedWait } from '../limited-wait.ts'
import type { NearChunk, NearSearch, VectorEngine } from '../vector-engine.ts'
import type { VectorCheck } from '../verify-vectors.ts'
import { type FillState, fillSome, type PgvectorModel, readFillState } from './fill-pgvector.ts'
import { nearestPgvector } from './nearest-pgvector.ts'
import { Graphs } from './vector-graphs.ts'
import { verifyPgvector } from './verify-pgvector.ts'

export interface PgvectorEngineOptions extends PgvectorModel {
  readonly clock: Clock
  readonly onError: (error: unknown) => void
  /** Collections with at least this many chunks get a graph. */
  readonly minGraphChunks?: number
}

/** New chunks may have made a collection large enough for a graph. */
const buildEveryMs = 10 * 60_000

/** Vectors in the database, in tables of pgvector that all processes share: a process keeps none in memory. */
export class PgvectorEngine implements VectorEngine {
  readonly modelId: number
  readonly #options: PgvectorEngineOptions
  readonly #graphs: Graphs
  readonly #building: Loop
  /** What was missing when this process began to follow; null: nothing any more. */
  #reading: { readonly state: FillState | null; readonly found: number; readonly beganMs: number } | null
  /** This process knows that the vectors up to this sequence number are copied. */
  #reached = 0
  /** The step of copying that runs; null: none. */
  #filling: Promise<FillState> | null = null
  #isClosing = false

  constructor(options: PgvectorEngineOptions) {
    this.modelId = options.modelId
    this.#options = options
    this.#graphs = new Graphs(options, options.minGraphChunks)
    this.#reading = { state: null, found: 0, beganMs: options.clock.nowMs() }
    this.#building = startLoop({
      turn: (stopping) => this.#graphs.build(stopping),
      everyMs: buildEveryMs,
      onError: options.onError,
    })
  }

  async nearest(search: NearSearch): Promise<readonly NearChunk[] | undefined> {
    const { database, modelId } = this.#options
    const { position, newest, vectorLength } = await readFillState(database, modelId)
    // 0: each collection has its own length, which the caller has compared.
    if (vectorLength !== null && vectorLength !== 0 && vectorLength !== search.vector.length) return undefined
    const building = this.buildProgress()
    if (building !== null) throw new IndexBuilding(building)
    if (position < newest) await this.#fillInTime(search, newest)
    return nearestPgvector(this.#options, this.#graphs, search)
  }

  async whenReady(): Promise<void> {
    await this.follow()
  }

  buildProgress(): BuildProgress | null {
    if (this.#reading === null) return null
    const { state, found, beganMs } = this.#reading
    const tookMs = this.#options.clock.nowMs() - beganMs
    return progressOf({ of: state?.newest ?? 0, done: state?.position ?? 0, found, tookMs })
  }

  async reach(position: number): Promise<boolean> {
    if (this.#reading !== null || position <= this.#reached) return false
    const state = await readFillState(this.#options.database, this.#options.modelId)
    if (state.position < position) await this.#fill(position)
    this.#reached = position
    return true
  }

  async follow(): Promise<void> {
    const state = await readFillState(this.#options.database, this.#options.modelId)
    if (this.#reading !== null) this.#reading = { ...this.#reading, state, found: state.position }
    await this.#fill(state.newest)
    if (this.#reading === null || this.#isClosing) return
    this.#reading = null
    this.#building.notify()
  }

  /** Resolves when every large collection has a graph that searches of this process use. */
  async buildGraphs(): Promise<void> {
    this.#building.notify()
    await this.#building.idle()
  }

  verify(repairs: boolean, onProgress: (progress: IndexProgress) => void = () => undefined): Promise<VectorCheck> {
    return verifyPgvector(this.#options, repairs, onProgress)
  }

  async close(): Promise<void> {
    this.#isClosing = true
    await this.#building.stop()
    await this.#filling?.catch(() => undefined)
  }

  async #fillInTime(search: NearSearch, upTo: number): Promise<void> {
    const wait = new LimitedWait(search)
    try {
      await wait.for(() => this.#fill(upTo))
    } finally {
      wait.end()
    }
  }

  async #fill(upTo: number): Promise<void> {
    while (!this.#isClosing) {
      const state = await this.#fillSome()
      if (this.#reading !== null) this.#reading = { ...this.#reading, state }
      if (state.position >= upTo) return
      // A step that began before may not know the vectors yet.
      if (state.vectorLength === null && state.newest >= upTo) return
    }
  }

  /** One step at a time: searches that gave up waiting must not take all connections while another process copies. */
  #fillSome(): Promise<FillState> {
    this.#filling ??= fillSome(this.#options).finally(() => {
      this.#filling = null
    })
    return this.#filling
  }
}
