import type { BuildProgress } from '../../kernel/index-building.ts'
import type { IndexProgress } from '../../kernel/progress.ts'
import type { Peer, PeerWork } from '../../processes/serve-socket.ts'
import type { Ranking } from '../../search-engine/ranking/rank-chunks.ts'
import type { IndexExport, IndexSearch, IndexView, LexicalIndex } from '../sync/lexical-index.ts'
import type { IndexCheck } from '../sync/verify-index.ts'

/** What the search process reports to its workers on its own: on connection, when it changes, and every few seconds. */
export type IndexEvent =
  | { readonly kind: 'state'; readonly position: number; readonly progress: BuildProgress | null }
  /** The change log requested a rebuild. */
  | { readonly kind: 'rebuild'; readonly progress: IndexProgress }

export interface BegunSnapshot {
  /** Sequence number of the index: states from it on stay searchable until `end`. */
  readonly position: number
  /** Every collection can be searched. */
  readonly isReady: boolean
}

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
  readonly search: IndexSearch
}

export interface OfferInput {
  readonly documentId: number
  /** The segment of the document. */
  readonly bytes: Uint8Array
}

interface OpenSnapshot {
  readonly view: IndexView
  end(): void
}

/** Comparisons of all workers are one if they are requested before it begins. */
export type SharedCheck = (onProgress: (progress: IndexProgress) => void) => Promise<IndexCheck>

/** The calls of one worker. A worker that ends releases its snapshots. */
export function indexWork(index: LexicalIndex, verify: SharedCheck) {
  const snapshots = new Map<number, OpenSnapshot>()
  const viewOf = (snapshot: number): IndexView => {
    const open = snapshots.get(snapshot)
    if (open === undefined) throw new Error(`there is no snapshot ${snapshot} of the index`)
    return open.view
  }
  const work = {
    /** @param snapshot a new number, chosen by the worker */
    begin(snapshot: number): BegunSnapshot {
      const { promise: ended, resolve: end } = Promise.withResolvers<void>()
      const position = index.position()
      void index.withSnapshot((view) => {
        snapshots.set(snapshot, { view, end })
        return ended
      })
      return { position, isReady: index.buildProgress() === null }
    },
    end(snapshot: number): void {
      snapshots.get(snapshot)?.end()
      snapshots.delete(snapshot)
    },
    reach: ({ snapshot, sequence, collectionIds, waitMs }: ReachInput): Promise<number> =>
      viewOf(snapshot).reach(sequence, collectionIds, async () => waitMs),
    search: ({ snapshot, position, search }: SearchInput): Promise<Ranking> =>
      viewOf(snapshot).search(position, search),
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
    verify: (_: null, onProgress: (progress: IndexProgress) => void): Promise<IndexCheck> => verify(onProgress),
    rebuild: (collectionId: number | null, onProgress: (progress: IndexProgress) => void): Promise<void> =>
      index.rebuild(collectionId, onProgress),
    exportSegments: (place: IndexExport) => index.exportSegments(place),
  }
  const close = (): void => {
    for (const { end } of snapshots.values()) end()
    snapshots.clear()
  }
  return { work, close }
}

export type IndexWork = ReturnType<typeof indexWork>['work']

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

export function stateOf(index: Pick<LexicalIndex, 'position' | 'buildProgress'>): IndexEvent {
  return { kind: 'state', position: index.position(), progress: index.buildProgress() }
}

/** Serves one worker. */
export function servePeer(index: LexicalIndex, verify: SharedCheck, peer: Peer): PeerWork {
  const { work, close } = indexWork(index, verify)
  peer.send(stateOf(index))
  return { work, closed: close }
}
