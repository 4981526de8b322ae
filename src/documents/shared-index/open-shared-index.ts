import { mkdir } from 'node:fs/promises'
import type { Database } from '../../database/database.ts'
import type { Clock } from '../../kernel/clock.ts'
import { startLoop } from '../../kernel/loop.ts'
import type { IndexProgress } from '../../kernel/progress.ts'
import { type SocketAddress, serveSocket } from '../../processes/serve-socket.ts'
import type { TablePlace } from '../../search-engine/lancedb/connect-lance.ts'
import { documentFolders } from '../document-folders.ts'
import { fileStoreIdentity } from '../store/file-stores.ts'
import { openBlobStore } from '../store/open-blob-store.ts'
import type { S3Options } from '../store/s3-blob-store.ts'
import { followLog } from '../sync/follow-log.ts'
import type { LexicalIndex } from '../sync/lexical-index.ts'
import { openLexicalIndex } from '../sync/open-lexical-index.ts'
import { type ServedWorker, serveWorker, sharedCheck } from './index-work.ts'
import { VisibleSets } from './visible-sets.ts'

export interface SharedIndexOptions {
  readonly address: SocketAddress
  readonly database: Database
  readonly clock: Clock
  readonly dataDir: string
  readonly objectStore: S3Options | null
  /** Tables of LanceDB for large segments; null: none. */
  readonly tables?: TablePlace | null
  /** Threads that search the same segments. */
  readonly searchThreads: number
  readonly onError: (error: unknown) => void
}

export interface SharedIndex {
  close(): Promise<void>
}

const maxPauseMs = 30_000
const retryBuildMs = 250
/** Workers learn the progress of a build within this time. */
const lookEveryMs = 250

/** The search index of a machine: follows the database, and serves the workers that connect to the socket. */
export async function openSharedIndex(options: SharedIndexOptions): Promise<SharedIndex> {
  const { address, onError } = options
  const workers = new Set<ServedWorker>()
  const index = await openIndex(options, (progress) => {
    for (const worker of workers) worker.sendRebuild(progress)
  })
  const parts = { index, verify: sharedCheck(index), visible: new VisibleSets() }
  const server = await serveSocket({
    ...address,
    onError,
    onPeer(peer) {
      const worker = serveWorker(parts, peer)
      workers.add(worker)
      return {
        work: worker.work,
        closed() {
          workers.delete(worker)
          worker.closed()
        },
      }
    },
  })
  const work = followDatabase(index, onError)
  const looking = setInterval(() => {
    for (const worker of workers) worker.look()
  }, lookEveryMs)
  return {
    async close() {
      clearInterval(looking)
      // Snapshots of workers end with their connections.
      await server.close()
      await Promise.all([index.close(), work.stop()])
    },
  }
}

async function openIndex(
  { database, clock, dataDir, objectStore, tables = null, searchThreads, onError }: SharedIndexOptions,
  onRebuild: (progress: IndexProgress) => void,
): Promise<LexicalIndex> {
  const { fileFolder, uploadFolder, indexFolder, attachmentFolder } = documentFolders(dataDir)
  for (const folder of [fileFolder, uploadFolder]) await mkdir(folder, { recursive: true })
  const fileStore = await fileStoreIdentity({ objectStore, folders: [fileFolder, attachmentFolder] })
  const blobs = openBlobStore({ objectStore, fileFolder, scratchFolder: uploadFolder, clock })
  return openLexicalIndex({
    database,
    folder: indexFolder,
    segments: { blobs, fileStore, hasTables: tables !== null },
    tables,
    clock,
    searchThreads,
    onError,
    onRebuild,
  })
}

/** Builds what no saved index contains, and follows the log also while nobody searches. */
function followDatabase(index: LexicalIndex, onError: (error: unknown) => void): { stop(): Promise<void> } {
  let isClosing = false
  const building = startLoop({
    turn: () => index.whenReady(),
    pauseMs: (failures) => Math.min(retryBuildMs * 2 ** failures, maxPauseMs),
    onError: (error) => {
      if (!isClosing) onError(error)
    },
  })
  const following = followLog(index, (error) => {
    if (!isClosing) onError(error)
  })
  building.notify()
  return {
    async stop() {
      isClosing = true
      await Promise.all([building.stop(), following.stop()])
    },
  }
}
