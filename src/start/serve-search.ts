import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { objectStoreOf } from '../config/object-store-of.ts'
import { segmentTablesOf } from '../config/segment-tables-of.ts'
import type { Settings } from '../config/settings.ts'
import { openSharedIndex } from '../documents/shared-index/open-shared-index.ts'
import type { Clock } from '../kernel/clock.ts'
import type { SocketAddress } from '../processes/serve-socket.ts'
import type { Observe } from '../telemetry/observation.ts'
import { openServerDatabase } from './open-server-database.ts'
import type { Serving } from './serve-with-workers.ts'
import { removeSocketFolder } from './socket-address.ts'

export interface SearchProcessParts {
  readonly settings: Settings
  readonly observe: Observe
  readonly clock: Clock
}

/** The index follows the database one statement at a time; rebuilds and comparisons read beside it. */
const maxConnections = 4
/** More would each know all words again, and other processes need cores, too. */
const maxSearchThreads = 4

/** The search index of this machine, for the workers that connect to the socket. */
export async function serveSearch(
  { settings, observe, clock }: SearchProcessParts,
  connectionString: string,
  address: SocketAddress,
): Promise<Serving> {
  process.title = 'docket search'
  // The first process removes it, unless it was killed: then this one ends at once.
  process.once('exit', () => {
    if (!process.connected) removeSocketFolder(address)
  })
  const database = openServerDatabase({ settings, connectionString, maxConnections, observe })
  try {
    const index = await openSharedIndex({
      address,
      database,
      clock,
      dataDir: resolve(settings.dataDir),
      objectStore: objectStoreOf(settings),
      tables: segmentTablesOf(settings),
      searchThreads: Math.min(settings.workers, availableParallelism(), maxSearchThreads),
      onError: (error) => observe({ kind: 'documents-failed', error }),
    })
    const stop = async (): Promise<void> => {
      await index.close()
      await database.close()
    }
    return { address: address.path, stop }
  } catch (error) {
    await database.close()
    throw error
  }
}
