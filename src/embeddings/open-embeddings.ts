import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '../database/database.ts'
import type { Worker } from '../jobs/worker-number.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Embedder } from './embedder.ts'
import { startVectorMaker } from './make-vectors.ts'
import type { OpenVectorEngine } from './open-vector-engines.ts'
import { type ModelUse, readCallerModelId, touchModel, useModel } from './store/models.ts'
import type { VectorEngine } from './vector-engine.ts'

/** Vectors of one process: made by the configured model, stored in the database, searched by an engine. */
export interface Embeddings {
  readonly embedder: Embedder
  readonly modelId: number
  readonly index: VectorEngine
  /**
   * Dimensions of the model's vectors, as the model says: the stored vectors would reveal whether documents exist. null: it
   * fails.
   */
  vectorLength(): Promise<number | null>
  /** Call this after a document was loaded: its vectors are due. */
  notify(): void
  /** Periodic work: the index follows the database, and the model is marked as used. */
  follow(): Promise<void>
  close(): Promise<void>
}

export interface EmbeddingsOptions {
  readonly database: Database
  readonly clock: Clock
  /** Closed with the rest. */
  readonly embedder: Embedder
  readonly openEngine: OpenVectorEngine
  readonly use: ModelUse
  readonly worker: Pick<Worker, 'number'>
  readonly onError: (error: unknown) => void
}

export async function openEmbeddings(options: EmbeddingsOptions): Promise<Embeddings> {
  const { database, clock, embedder, openEngine, use, worker, onError } = options
  const modelId = await useModel(database, embedder.model, use, new Date(clock.nowMs()))
  const index = openEngine(modelId)
  const maker = startVectorMaker({ database, modelId, embedder, worker, onError })
  return {
    embedder,
    modelId,
    index,
    vectorLength: lengthOf(embedder),
    notify: maker.notify,
    async follow() {
      await index.follow()
      await touchModel(database, modelId, new Date(clock.nowMs()))
    },
    async close() {
      await maker.close()
      await embedder.close()
      await index.close()
    },
  }
}

/** Requested once, then cached. */
function lengthOf(embedder: Embedder): () => Promise<number | null> {
  let known = embedder.model.requestedLength
  return async () => {
    if (known !== null) return known
    const embedded = await embedder.embed(['length'], { timeoutMs: embedder.queryTimeoutMs, isUrgent: true })
    known = embedded.ok ? (embedded.value[0]?.length ?? null) : null
    return known
  }
}

/** Vectors given by callers: stored in the database, searched by an engine. */
export interface CallerVectors {
  /**
   * Starts a thread, so the first search that needs it opens it. It is returned when it has read all vectors or after some seconds;
   * until then its searches are rejected (`IndexBuilding`).
   */
  index(): Promise<VectorEngine>
  /** null: no search needed it yet. */
  opened(): Promise<VectorEngine | null>
  follow(): Promise<void>
  close(): Promise<void>
}

/** A hundred thousand vectors may take a minute. */
const waitForVectorsMs = 3_000

export function callerVectors({
  database,
  openEngine,
  onError,
}: Pick<EmbeddingsOptions, 'database' | 'openEngine' | 'onError'>): CallerVectors {
  let opened: Promise<VectorEngine> | undefined
  const open = async (): Promise<VectorEngine> => {
    const index = openEngine(await readCallerModelId(database))
    let isOpening = true
    const reading = index.whenReady().catch(async (error: unknown) => {
      await index.close()
      if (isOpening) throw error
      // The next search opens it again.
      opened = undefined
      onError(error)
    })
    await Promise.race([reading, delay(waitForVectorsMs, undefined, { ref: false })])
    isOpening = false
    return index
  }
  return {
    index() {
      opened ??= open().catch((error: unknown) => {
        opened = undefined
        throw error
      })
      return opened
    },
    opened: async () => (await opened?.catch(() => null)) ?? null,
    async follow() {
      await (await opened)?.follow()
    },
    async close() {
      await (await opened?.catch(() => undefined))?.close()
    },
  }
}
