import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DocumentDeps } from '../../src/documents/document-deps.ts'
import { type DocumentsOptions, openDocuments } from '../../src/documents/open-documents.ts'
import type { Principal } from '../../src/identity/principal.ts'
import { type Clock, systemClock } from '../../src/kernel/clock.ts'
import { sql } from '../../src/kernel/sql.ts'
import type { FreshDatabase } from './fresh-database.ts'
import { useSearchProcess, usesSearchProcess } from './search-process.ts'
import { movingIndex, useSegmentTables, usesSegmentTables } from './segment-tables.ts'

export interface TestDocumentDeps extends DocumentDeps {
  /** Fails if background work failed. */
  close(): Promise<void>
}

export interface TestDocumentOptions {
  readonly clock?: Clock
  /** The folder of files and index; by default a new one that `close` removes. */
  readonly dataDir?: string
  readonly readableRecords?: DocumentDeps['readableRecords']
  readonly embeddings?: DocumentsOptions['embeddings']
  readonly localModel?: NonNullable<DocumentsOptions['localModel']>
  readonly reranker?: DocumentsOptions['reranker']
  readonly writesSegments?: boolean
  readonly vectors?: NonNullable<DocumentsOptions['vectors']>
}

/** The document service of one server process, on a database of the test. A second one acts as a second process. */
export async function openDocumentDeps(
  fresh: FreshDatabase,
  options: TestDocumentOptions = {},
): Promise<TestDocumentDeps> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'docket-data-'))
  const errors: unknown[] = []
  const onError = (error: unknown): void => void errors.push(error)
  const search = usesSearchProcess() ? await useSearchProcess(fresh.connectionString, fresh.database, onError) : null
  const tables = usesSegmentTables() ? useSegmentTables(fresh.connectionString) : null
  const documents = await openDocuments({
    database: fresh.database,
    dataDir,
    clock: options.clock ?? systemClock,
    embeddings: options.embeddings ?? null,
    localModel: options.localModel ?? null,
    reranker: options.reranker ?? null,
    // With tables, `movingIndex` does it.
    writesSegments: tables === null && (options.writesSegments ?? true),
    segmentTables: tables && { ...tables.place, minChunks: 1 },
    ...(options.vectors === undefined ? {} : { vectors: options.vectors }),
    readableRecords: options.readableRecords ?? (async () => () => sql<boolean>`false`),
    searchProcess: search?.address ?? null,
    onError,
  })
  await documents.whenSearchable()
  const moving = tables && (await movingIndex(documents, fresh.database, tables, onError))
  return {
    ...documents.deps,
    ...(moving === null ? {} : { index: moving.index }),
    async close() {
      await moving?.close()
      await documents.close()
      tables?.close()
      await search?.close()
      if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true })
      if (errors.length > 0) throw new AggregateError(errors, 'work beside the requests failed')
    },
  }
}

/** A caller with these roles and the given properties. */
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
