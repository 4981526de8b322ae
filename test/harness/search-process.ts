import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database } from '../../src/database/database.ts'
import { openSharedIndex, type SharedIndex } from '../../src/documents/shared-index/open-shared-index.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import type { SocketAddress } from '../../src/processes/serve-socket.ts'

/** Suites in test/laws/search-process run others with it: every server of a test has its index in a search process. */
export const usesSearchProcess = (): boolean => process.env['DOCKET_TEST_SEARCH_PROCESS'] === 'on'

export interface UsedSearchProcess {
  readonly address: SocketAddress
  /** Ends the index with its last user. */
  close(): Promise<void>
}

interface Opened {
  readonly address: SocketAddress
  readonly index: Promise<SharedIndex>
  readonly folder: string
  users: number
}

/** By connection string: servers on one database act as workers of one machine. */
const opened = new Map<string, Opened>()

/** The index of a search process, in this process, behind its socket. */
export async function useSearchProcess(
  connectionString: string,
  database: Database,
  onError: (error: unknown) => void,
): Promise<UsedSearchProcess> {
  const used = opened.get(connectionString) ?? begin(database, onError)
  opened.set(connectionString, used)
  used.users++
  await used.index
  return {
    address: used.address,
    async close() {
      if (--used.users > 0) return
      opened.delete(connectionString)
      await (await used.index).close()
      rmSync(used.folder, { recursive: true, force: true })
    },
  }
}

function begin(database: Database, onError: (error: unknown) => void): Opened {
  const folder = mkdtempSync(join(tmpdir(), 'docket-search-'))
  const address = { path: join(folder, 'search'), secret: randomBytes(32).toString('hex') }
  const index = openSharedIndex({
    address,
    database,
    clock: systemClock,
    dataDir: join(folder, 'data'),
    objectStore: null,
    searchThreads: 2,
    onError,
  })
  return { address, index, folder, users: 0 }
}
