import type { Settings } from '../config/settings.ts'
import { type Database, openDatabase } from '../database/database.ts'
import type { Observe } from '../telemetry/observation.ts'

export interface ServerDatabaseOptions {
  readonly settings: Settings
  /** Of the server itself, without a pooler. */
  readonly connectionString: string
  readonly maxConnections: number
  readonly observe: Observe
}

/** The pool of connections of a process that serves. */
export function openServerDatabase({
  settings,
  connectionString,
  maxConnections,
  observe,
}: ServerDatabaseOptions): Database {
  return openDatabase({
    connectionString: settings.databaseUrl ?? connectionString,
    directConnectionString: connectionString,
    pooling: settings.databasePooling,
    keepsStatements: settings.databasePreparedStatements === 'on',
    maxConnections,
    statementTimeoutMs: settings.statementTimeoutMs,
    onNewHistory: () => observe({ kind: 'history-changed' }),
  })
}
