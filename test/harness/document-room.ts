import { sql } from 'kysely'
import type { DocumentRoom } from '../../src/documents/document-room.ts'
import { openLexicalIndex } from '../../src/documents/index/lexical-index.ts'
import type { Principal } from '../../src/identity/principal.ts'
import { type Clock, systemClock } from '../../src/kernel/clock.ts'
import type { FreshDatabase } from './fresh-database.ts'

export interface TestRoom extends DocumentRoom {
  close(): Promise<void>
}

export interface TestRoomOptions {
  readonly clock?: Clock
  /** Where the index is kept; null: nowhere. */
  readonly folder?: string | null
  readonly readableRecords?: DocumentRoom['readableRecords']
}

/** The document rooms of one server process over a database of the test. Two of them are two processes. */
export async function openDocumentRoom(fresh: FreshDatabase, options: TestRoomOptions = {}): Promise<TestRoom> {
  const clock = options.clock ?? systemClock
  const troubles: unknown[] = []
  const index = await openLexicalIndex({
    database: fresh.database,
    folder: options.folder ?? null,
    clock,
    onTrouble: (trouble) => troubles.push(trouble),
  })
  return {
    database: fresh.database,
    index,
    clock,
    readableRecords: options.readableRecords ?? (async () => () => sql<boolean>`false`),
    async close() {
      await index.close()
      if (troubles.length > 0) throw new AggregateError(troubles, 'the index had trouble')
    },
  }
}

/** A caller with these roles and whatever else the test says. */
export function callerWith(roles: readonly string[], others: Partial<Principal> = {}): Principal {
  return {
    userId: '155931135900000001',
    userName: 'caller',
    displayName: 'Caller',
    roles: new Set(roles),
    roleKey: roles.join(),
    groupIds: [],
    language: 'en',
    timeZone: 'UTC',
    ...others,
  }
}

export const documentAdmin = callerWith(['admin', 'document_writer', 'document_reader'])
