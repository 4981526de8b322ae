import type { Database } from '../../database/database.ts'
import type { Worker } from '../../jobs/worker.ts'
import type { Clock } from '../../kernel/clock.ts'
import { touchModel, useModel } from '../store/embeddings.ts'
import type { Embedder } from './embedder.ts'
import { startVectorMaker } from './make-vectors.ts'
import { openVectorIndex, type VectorIndex } from './vector-index.ts'

/** Vectors of one process: made by the model of its settings, kept in the database, searched in memory. */
export interface Embeddings {
  readonly embedder: Embedder
  readonly modelId: number
  readonly index: VectorIndex
  /** A document was loaded: its vectors are to be made. */
  wake(): void
  /** What has to be done now and then: the index follows, the model stays in use. */
  follow(): Promise<void>
  close(): Promise<void>
}

export interface EmbeddingsOptions {
  readonly database: Database
  readonly clock: Clock
  /** Is closed with the rest. */
  readonly embedder: Embedder
  readonly worker: Pick<Worker, 'number'>
  readonly onTrouble: (error: unknown) => void
}

export async function openEmbeddings(options: EmbeddingsOptions): Promise<Embeddings> {
  const { database, clock, embedder, worker, onTrouble } = options
  const modelId = await useModel(database, embedder.model, new Date(clock.nowMs()))
  const index = await openVectorIndex({ database, modelId, clock, onTrouble })
  const maker = startVectorMaker({ database, modelId, embedder, worker, onTrouble })
  return {
    embedder,
    modelId,
    index,
    wake: maker.wake,
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
