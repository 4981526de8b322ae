import { mkdir } from 'node:fs/promises'
import type { Database } from '../../database/database.ts'
import type { Clock } from '../../kernel/clock.ts'
import { startLoop } from '../../kernel/loop.ts'
import { type Peer, type SocketAddress, serveSocket } from '../../processes/serve-socket.ts'
import { documentFolders } from '../document-folders.ts'
import { fileStoreIdentity } from '../store/file-stores.ts'
import { openBlobStore } from '../store/open-blob-store.ts'
import type { S3Options } from '../store/s3-blob-store.ts'
import type { LexicalIndex } from '../sync/lexical-index.ts'
import { openLexicalIndex } from '../sync/open-lexical-index.ts'
import { type IndexEvent, servePeer, sharedCheck, stateOf } from './index-work.ts'

export interface SharedIndexOptions {
  readonly address: SocketAddress
  readonly database: Database
  readonly clock: Clock
  readonly dataDir: string
  readonly objectStore: S3Options | null
  /** Threads that search the same segments. */
  readonly searchThreads: number
  readonly onError: (error: unknown) => void
}

export interface SharedIndex {
  close(): Promise<void>
}

const followEveryMs = 30_000
const retryBuildMs = 250
/** Workers learn the progress of a build within this time. */
const lookEveryMs = 250
/** A worker that receives nothing for much longer connects again. */
const looksBetweenSigns = 20

/** The search index of a machine: follows the database, and serves the workers that connect to the socket. */
export async function openSharedIndex(options: SharedIndexOptions): Promise<SharedIndex> {
  const { address, onError } = options
  const peers = new Set<Peer>()
  const report = (event: IndexEvent): void => {
    for (const peer of peers) peer.send(event)
  }
  const index = await openIndex(options, report)
  const verify = sharedCheck(index)
  const server = await serveSocket({
    ...address,
    onError,
    onPeer(peer) {
      peers.add(peer)
      const { work, closed } = servePeer(index, verify, peer)
      return {
        work,
        closed() {
          peers.delete(peer)
          closed()
        },
      }
    },
  })
  const work = followDatabase(index, onError)
  const reporting = reportState(index, report)
  return {
    async close() {
      clearInterval(reporting)
      // Snapshots of workers end with their connections.
      await server.close()
      await Promise.all([index.close(), work.stop()])
    },
  }
}

async function openIndex(
  { database, clock, dataDir, objectStore, searchThreads, onError }: SharedIndexOptions,
  report: (event: IndexEvent) => void,
): Promise<LexicalIndex> {
  const { fileFolder, uploadFolder, indexFolder, attachmentFolder } = documentFolders(dataDir)
  for (const folder of [fileFolder, uploadFolder]) await mkdir(folder, { recursive: true })
  const fileStore = await fileStoreIdentity({ objectStore, folders: [fileFolder, attachmentFolder] })
  const blobs = openBlobStore({ objectStore, fileFolder, scratchFolder: uploadFolder, clock })
  return openLexicalIndex({
    database,
    folder: indexFolder,
    segments: { blobs, fileStore },
    clock,
    searchThreads,
    onError,
    onRebuild: (progress) => report({ kind: 'rebuild', progress }),
  })
}

/** Builds what no saved index contains, and follows the log also while nobody searches. */
function followDatabase(index: LexicalIndex, onError: (error: unknown) => void): { stop(): Promise<void> } {
  let isClosing = false
  const building = startLoop({
    turn: () => index.whenReady(),
    pauseMs: (failures) => Math.min(retryBuildMs * 2 ** failures, followEveryMs),
    onError: (error) => {
      if (!isClosing) onError(error)
    },
  })
  const following = startLoop({
    turn: () => index.refresh(),
    everyMs: followEveryMs,
    onError: (error) => {
      if (!isClosing) onError(error)
    },
  })
  building.notify()
  return {
    async stop() {
      isClosing = true
      await Promise.all([building.stop(), following.stop()])
    },
  }
}

/** Reports to workers the state of the index when it changes, and from time to time that this process is alive. */
function reportState(index: LexicalIndex, report: (event: IndexEvent) => void): NodeJS.Timeout {
  let reported = ''
  let looks = 0
  return setInterval(() => {
    const state = stateOf(index)
    const text = JSON.stringify(state)
    if (text === reported && ++looks % looksBetweenSigns !== 0) return
    reported = text
    report(state)
  }, lookEveryMs)
}
