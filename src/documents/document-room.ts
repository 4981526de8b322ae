import type { Database } from '../database/database.ts'
import type { Clock } from '../kernel/clock.ts'
import type { LexicalIndex } from './index/lexical-index.ts'
import type { ReadableRecords } from './rights/visible-documents.ts'

/** What every document request needs. Made once, by the app. */
export interface DocumentRoom {
  readonly database: Database
  readonly index: LexicalIndex
  readonly readableRecords: ReadableRecords
  readonly clock: Clock
}
