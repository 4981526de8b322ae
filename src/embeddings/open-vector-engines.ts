import type { Database } from '../database/database.ts'
import type { Clock } from '../kernel/clock.ts'
import { unreachable } from '../kernel/unreachable.ts'
import type { VectorsInFile } from './in-memory/rounded-blocks.ts'
import type { VectorEngine } from './vector-engine.ts'
import { openVectorIndex } from './vector-index.ts'

/** The engines by their names in the settings. */
export type VectorEngineKind = 'built-in' | 'built-in-exact' | 'pgvector'

export interface VectorEnginesOptions {
  readonly database: Database
  readonly clock: Clock
  readonly onError: (error: unknown) => void
  readonly kind: VectorEngineKind
  /** pgvector: collections with at least this many chunks get a graph; absent: 10,000. */
  readonly minGraphChunks?: number
  /** Built-in: smaller collections are searched exactly; absent: 25,000 chunks. */
  readonly minApproximate?: number
  /** Built-in; absent: all vectors are in memory. */
  readonly inFile?: VectorsInFile
}

/** Opens the engine for the vectors of a model. */
export type OpenVectorEngine = (modelId: number) => VectorEngine

/** @throws StartFailure if the database does not have what the engine needs */
export async function vectorEngines({ kind, ...options }: VectorEnginesOptions): Promise<OpenVectorEngine> {
  switch (kind) {
    case 'built-in':
      return (modelId) => openVectorIndex({ ...options, modelId })
    case 'built-in-exact':
      return (modelId) => openVectorIndex({ ...options, modelId, minApproximate: Number.POSITIVE_INFINITY })
    case 'pgvector': {
      const { PgvectorEngine } = await import('./pgvector/pgvector-engine.ts')
      const { preparePgvector } = await import('./pgvector/prepare-pgvector.ts')
      const types = await preparePgvector(options.database)
      return (modelId) => new PgvectorEngine({ ...options, types, modelId })
    }
    default:
      return unreachable(kind)
  }
}
