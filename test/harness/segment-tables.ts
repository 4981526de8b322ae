import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Database } from '../../src/database/database.ts'
import type { Documents } from '../../src/documents/open-documents.ts'
import { TableKeeper } from '../../src/documents/sync/keep-tables.ts'
import type { LexicalIndex } from '../../src/documents/sync/lexical-index.ts'
import { openWorker } from '../../src/jobs/worker-number.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import type { TablePlace } from '../../src/search-engine/lancedb/connect-lance.ts'

/** Suites in test/laws/lancedb run others with it: every server of a test has its index in tables of LanceDB. */
export const usesSegmentTables = (): boolean => process.env['DOCKET_TEST_SEGMENT_TABLES'] === 'on'

export interface UsedSegmentTables {
  readonly place: TablePlace
  /** Something is in a table. */
  recordTable(): void
  /** Removes the folder with its last user, and throws if nothing was ever in a table: the suite has tested another engine. */
  close(): void
}

/** By connection string: servers of one database share a folder. */
const folders = new Map<string, { readonly folder: string; users: number; hadTable: boolean }>()

export function useSegmentTables(connectionString: string): UsedSegmentTables {
  const used = folders.get(connectionString) ?? {
    ...{ folder: mkdtempSync(join(tmpdir(), 'docket-tables-')), users: 0, hadTable: false },
  }
  folders.set(connectionString, used)
  used.users++
  return {
    place: { uri: used.folder, storageOptions: {}, packageFolder: resolve('test/lancedb') },
    recordTable() {
      used.hadTable = true
    },
    close() {
      if (--used.users > 0) return
      folders.delete(connectionString)
      rmSync(used.folder, { recursive: true, force: true })
      if (!used.hadTable) throw new Error('no segment was ever moved into a table')
    },
  }
}

/** Of the searches of a server: before each of these, everything is moved into tables. Between them, segments are in memory, too. */
const movedBeforeEach = 3

/** The index of a server that moves every segment, however small, and as often as the searches of a test. */
export async function movingIndex(
  { deps, uploadFolder }: Pick<Documents, 'deps' | 'uploadFolder'>,
  database: Database,
  { place, recordTable }: UsedSegmentTables,
  onError: (error: unknown) => void,
): Promise<{ readonly index: LexicalIndex; close(): Promise<void> }> {
  const { index, blobs } = deps
  const worker = await openWorker(database, onError)
  const clock = systemClock
  const keeper = new TableKeeper({
    ...{ database, index, blobs, fileStore: 'store', worker, clock, uploadFolder, place },
    minChunks: 1,
  })
  let searches = 0
  const moving: Pick<LexicalIndex, 'withSnapshot'> = {
    async withSnapshot(work) {
      if (searches++ % movedBeforeEach === 0) {
        await keeper.run()
        if ((await index.tables()).length > 0) recordTable()
      }
      return index.withSnapshot(work)
    },
  }
  return {
    index: new Proxy(index, {
      get(target, name) {
        const member = Reflect.get(name in moving ? moving : target, name)
        return typeof member === 'function' ? member.bind(target) : member
      },
    }),
    close: () => worker.close(),
  }
}
