import type { IndexProgress } from '../../kernel/progress.ts'
import type { Peer, PeerWork } from '../../processes/serve-socket.ts'
import type { PackedRanking } from '../../search-engine/ranking/pack-ranking.ts'
import type { IndexExport, IndexSearch, LexicalIndex } from '../sync/lexical-index.ts'
import type { MoveWork } from '../sync/move-segments.ts'
import type { IndexCheck } from '../sync/verify-index.ts'
import type { NamedIds, VisibleSets } from './visible-sets.ts'
import { type IndexEvent, WorkerSnapshots } from './worker-snapshots.ts'

export interface ReachInput {
  readonly snapshot: number
  readonly sequence: number
  readonly collectionIds: readonly number[]
  /** null: without a limit. */
  readonly waitMs: number | null
}

export interface SearchInput {
  readonly snapshot: number
  readonly position: number
  readonly search: Omit<IndexSearch, 'visible'>
  /** null: every document of the collections is visible. */
  readonly visible: NamedIds | null
}

export interface OfferInput {
  readonly documentId: number
  /** The segment of the document. */
  readonly bytes: Uint8Array
}

/** Comparisons of all workers are one if they are requested before it begins. */
export type SharedCheck = (onProgress: (progress: IndexProgress) => void) => Promise<IndexCheck>

/** What all workers share. */
export interface SharedParts {
  readonly index: LexicalIndex
  readonly verify: SharedCheck
  readonly visible: VisibleSets
}

/** The calls of one worker. */
export function indexWork({ index, verify, visible: sets }: SharedParts, snapshots: WorkerSnapshots) {
  return {
    /** The worker has received a snapshot. */
    took: (snapshot: number): void => snapshots.take(snapshot),
    end: (snapshot: number): void => snapshots.end(snapshot),
    async reach({ snapshot, sequence, collectionIds, waitMs }: ReachInput): Promise<number> {
      const reached = await snapshots.viewOf(snapshot).reach(sequence, collectionIds, async () => waitMs)
      // Its next searches find the index there.
      snapshots.report()
      return reached
    },
    /** @returns null: the visible documents have to be sent */
    async search({ snapshot, position, search, visible }: SearchInput): Promise<PackedRanking | null> {
      const view = snapshots.viewOf(snapshot)
      if (visible === null) return view.search(position, search)
      const ids = sets.idsOf(visible)
      return ids === undefined ? null : view.search(position, { ...search, visible: ids })
    },
    offer({ documentId, bytes }: OfferInput): void {
      const buffer = new SharedArrayBuffer(bytes.byteLength)
      new Uint8Array(buffer).set(bytes)
      index.offer(documentId, { buffer })
    },
    async refresh(_: null): Promise<number> {
      await index.refresh()
      return index.position()
    },
    whenReady: (_: null): Promise<void> => index.whenReady(),
    counts: (_: null) => index.counts(),
    sizes: (_: null) => index.sizes(),
    tables: (_: null) => index.tables(),
    moveSegments: (work: MoveWork) => index.moveSegments(work),
    verify: (_: null, onProgress: (progress: IndexProgress) => void): Promise<IndexCheck> => verify(onProgress),
    rebuild: (collectionId: number | null, onProgress: (progress: IndexProgress) => void): Promise<void> =>
      index.rebuild(collectionId, onProgress),
    exportSegments: (place: IndexExport) => index.exportSegments(place),
  }
}

export type IndexWork = ReturnType<typeof indexWork>

/** @returns a comparison that later callers join until it begins; those who come later share the next one */
export function sharedCheck(index: Pick<LexicalIndex, 'verify'>): SharedCheck {
  let running: Promise<unknown> = Promise.resolve()
  let waiting: {
    readonly check: Promise<IndexCheck>
    readonly readers: Set<(progress: IndexProgress) => void>
  } | null = null
  return (onProgress) => {
    if (waiting === null) {
      const readers = new Set<(progress: IndexProgress) => void>()
      const check = running.then(() => {
        waiting = null
        return index.verify((progress) => {
          for (const read of readers) read(progress)
        })
      })
      running = check.catch(() => undefined)
      waiting = { check, readers }
    }
    waiting.readers.add(onProgress)
    return waiting.check
  }
}

export interface ServedWorker extends PeerWork {
  /** Sends the state if it changed, and a sign of life from time to time; ends a connection whose worker takes nothing. */
  look(): void
  sendRebuild(progress: IndexProgress): void
}

/** Serves one worker. */
export function serveWorker(parts: SharedParts, peer: Peer): ServedWorker {
  const snapshots = new WorkerSnapshots(parts.index, peer)
  snapshots.report()
  return {
    work: indexWork(parts, snapshots),
    closed: () => snapshots.close(),
    look: () => snapshots.look(),
    sendRebuild: (progress) => peer.send({ kind: 'rebuild', progress } satisfies IndexEvent),
  }
}
