import type { Database } from '../database/database.ts'
import type { Clock } from '../kernel/clock.ts'
import { unreachable } from '../kernel/unreachable.ts'
import type { TablePlace } from '../search-engine/lancedb/connect-lance.ts'
import { requireLance } from '../search-engine/lancedb/import-lancedb.ts'
import type { VectorsInFile } from './in-memory/rounded-blocks.ts'
import type { VectorEngine } from './vector-engine.ts'
import { openVectorIndex } from './vector-index.ts'

/** The engines by their names in the settings. */
export type VectorEngineKind = 'built-in' | 'built-in-exact' | 'pgvector' | 'lancedb'

export interface VectorEnginesOptions {
  readonly database: Database
  readonly clock: Clock
  readonly onError: (error: unknown) => void
  readonly kind: VectorEngineKind
  /** pgvector: collections with at least this many chunks get a graph; absent: 10,000. */
  readonly minGraphChunks?: number
  /** LanceDB: where its tables are. */
  readonly place?: TablePlace | null
  /** LanceDB: collections with at least this many chunks have their own table; absent: 20,000. */
  readonly minOwnChunks?: number
  /** LanceDB: tables with fewer rows have no index; absent: 5,000. */
  readonly minIndexedRows?: number
  /** LanceDB: more new documents than this are moved into a table before a search; absent: 500. */
  readonly maxNewer?: number
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
    case 'lancedb': {
      const { place } = options
      if (place === undefined || place === null) throw new Error('the engine lancedb has no place of its tables')
      requireLance(place.packageFolder)
      const { LanceEngine } = await import('./lancedb/lancedb-engine.ts')
      const { prepareVectorTables } = await import('./lancedb/prepare-vector-tables.ts')
      await prepareVectorTables(options.database)
      return (modelId) => new LanceEngine({ ...options, place, modelId })
    }
    default:
      return unreachable(kind)
  }
}
