import { setTimeout as delay } from 'node:timers/promises'
import type { FileProblem } from '../../extraction/rejection.ts'
import { type BuildProgress, IndexBuilding } from '../../kernel/index-building.ts'
import type { IndexProgress } from '../../kernel/progress.ts'
import type { Result } from '../../kernel/result.ts'
import type { FailureOfCall, SocketAddress } from '../../processes/serve-socket.ts'
import { type Connection, ConnectionLost, openSocketClient, type SocketClient } from '../../processes/socket-client.ts'
import type { Thread } from '../../processes/worker-thread.ts'
import type { PackedRanking } from '../../search-engine/ranking/pack-ranking.ts'
import type { MoveProgress } from '../../search-engine/search-engine.ts'
import type { CollectionSize, CollectionTables } from '../../search-engine/segments/writer-index.ts'
import type { BuildWork } from '../sync/build-thread.ts'
import type { PreparedText, TextToIndex } from '../sync/index-texts.ts'
import type {
  ExportedIndex,
  IndexCounts,
  IndexExport,
  IndexSearch,
  IndexView,
  LexicalIndex,
} from '../sync/lexical-index.ts'
import type { MoveWork } from '../sync/move-segments.ts'
import { startBuildThread } from '../sync/start-build-thread.ts'
import type { IndexCheck } from '../sync/verify-index.ts'
import type { IndexWork } from './index-work.ts'
import { nameOf } from './visible-sets.ts'
import type { IndexEvent } from './worker-snapshots.ts'

export interface RemoteIndexOptions {
  /** The socket of the search process. */
  readonly address: SocketAddress
  /** Receives the progress of a rebuild that the change log requested. */
  readonly onRebuild?: (progress: IndexProgress) => void
}

/** Without a search process: the next one reads the saved index, which takes seconds. */
const restarting: BuildProgress = { percent: 0, retryAfterSeconds: 1 }
/** After a lost connection. */
const pauseMs = 50
/** Far more than a search takes. A thread that never responds must not hold requests. */
const searchTimeoutMs = 60_000
/** Unsent bytes above which no prepared segments are sent: the search process builds these from kept terms. */
const maxUnsentBytes = 16 * 2 ** 20

/** Connects in the background: without a search process, searches throw `IndexBuilding`. */
export function openRemoteIndex(options: RemoteIndexOptions): LexicalIndex {
  return new RemoteIndex(options)
}

/** States of the index that stay searchable until it is ended: when there is a later one and no search uses it. */
interface TakenSnapshot {
  readonly connection: Connection<IndexWork>
  readonly number: number
  readonly position: number
  searches: number
}

/** The index in the search process of this machine. Texts are split and their terms computed in this process. */
class RemoteIndex implements LexicalIndex {
  readonly #client: SocketClient<IndexWork>
  readonly #building: Thread<BuildWork>
  #position = 0
  #progress: BuildProgress | null = restarting
  /** null: there was no connection yet. */
  #snapshot: TakenSnapshot | null = null

  constructor({ address, onRebuild }: RemoteIndexOptions) {
    this.#client = openSocketClient<IndexWork>({
      ...address,
      reviveError,
      onEvent: (event: IndexEvent, connection) => {
        if (event.kind === 'rebuild') return onRebuild?.(event.progress)
        this.#position = event.position
        this.#progress = event.progress
        this.#take(connection, event.snapshot, event.position)
      },
    })
    this.#building = startBuildThread()
  }

  async withSnapshot<T>(work: (view: IndexView) => Promise<T>): Promise<T> {
    const connection = this.#client.connection()
    const snapshot = this.#snapshot
    if (connection === null || snapshot?.connection !== connection) throw new IndexBuilding(restarting)
    snapshot.searches++
    try {
      return await work(viewOf(snapshot, this.#progress === null))
    } catch (error) {
      throw error instanceof ConnectionLost ? new IndexBuilding(restarting) : error
    } finally {
      snapshot.searches--
      this.#endUnused(snapshot)
    }
  }

  #take(connection: Connection<IndexWork>, number: number, position: number): void {
    const before = this.#snapshot
    if (before?.connection === connection && before.number === number) return
    this.#snapshot = { connection, number, position, searches: 0 }
    connection.send('took', number)
    if (before !== null) this.#endUnused(before)
  }

  #endUnused(snapshot: TakenSnapshot): void {
    if (snapshot !== this.#snapshot && snapshot.searches === 0) snapshot.connection.send('end', snapshot.number)
  }

  prepare(text: TextToIndex): Promise<Result<PreparedText, FileProblem>> {
    return this.#building.call('prepare', text)
  }

  offer(documentId: number, { buffer }: Pick<PreparedText, 'buffer'>): void {
    const connection = this.#client.connection()
    if (connection === null || connection.unsentBytes() > maxUnsentBytes) return
    connection.send('offer', { documentId, bytes: new Uint8Array(buffer) })
  }

  position(): number {
    return this.#position
  }

  /**
   * Without a search process it resolves as well: a search names the sequence number of the database that it read, so it finds
   * what was committed before, or is rejected.
   */
  async refresh(): Promise<void> {
    try {
      const connection = this.#client.connection()
      if (connection !== null) this.#position = await connection.call('refresh', null)
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error
    }
  }

  async whenReady(): Promise<void> {
    for (;;) {
      const connection = await this.#client.connected()
      try {
        return await connection.call('whenReady', null)
      } catch (error) {
        if (!(error instanceof ConnectionLost)) throw error
        await delay(pauseMs)
      }
    }
  }

  buildProgress(): BuildProgress | null {
    return this.#client.connection() === null ? restarting : this.#progress
  }

  async counts(): Promise<IndexCounts> {
    return (await this.#client.connected()).call('counts', null)
  }

  async verify(onProgress: (progress: IndexProgress) => void = () => undefined): Promise<IndexCheck> {
    return (await this.#client.connected()).call('verify', null, { onProgress })
  }

  async rebuild(
    collectionId: number | null,
    onProgress: (progress: IndexProgress) => void = () => undefined,
  ): Promise<void> {
    await (await this.#client.connected()).call('rebuild', collectionId, { onProgress })
  }

  async sizes(): Promise<readonly CollectionSize[]> {
    return (await this.#client.connected()).call('sizes', null)
  }

  async tables(): Promise<readonly CollectionTables[]> {
    return (await this.#client.connected()).call('tables', null)
  }

  async moveSegments(work: MoveWork): Promise<MoveProgress> {
    return (await this.#client.connected()).call('moveSegments', work)
  }

  async exportSegments(place: IndexExport): Promise<ExportedIndex | null> {
    return (await this.#client.connected()).call('exportSegments', place)
  }

  async close(): Promise<void> {
    this.#client.close()
    await this.#building.close()
  }
}

function viewOf({ connection, number: snapshot, position: from }: TakenSnapshot, isReady: boolean): IndexView {
  return {
    async reach(sequence, collectionIds, waitMs) {
      const isThere = sequence <= from
      if (isThere && isReady) return sequence
      const limitMs = isThere ? null : await waitMs()
      return connection.call('reach', { snapshot, sequence, collectionIds, waitMs: limitMs })
    },
    search: (position, search) => searchRemotely(connection, { snapshot, position, search }),
  }
}

interface RemoteSearch {
  readonly snapshot: number
  readonly position: number
  readonly search: IndexSearch
}

/** Ids of visible documents are sent only if the search process does not have them: they are the same for many searches. */
async function searchRemotely(
  connection: Connection<IndexWork>,
  { snapshot, position, search: { visible, ...search } }: RemoteSearch,
): Promise<PackedRanking> {
  const send = (ids: Float64Array | null): Promise<PackedRanking | null> => {
    const named =
      visible === undefined ? null : { collectionIds: visible.collectionIds, name: nameOf(visible), documentIds: ids }
    const input = { snapshot, position, search, visible: named }
    return connection.call('search', input, { timeoutMs: searchTimeoutMs })
  }
  const found = (await send(null)) ?? (await send(visible?.documentIds ?? null))
  if (found === null) throw new Error('the search process does not take the visible documents')
  return found
}

function reviveError({ name, message, stack, members }: FailureOfCall): Error {
  const { percent, retryAfterSeconds } = members
  if (name === IndexBuilding.name && typeof percent === 'number' && typeof retryAfterSeconds === 'number')
    return new IndexBuilding({ percent, retryAfterSeconds })
  return Object.assign(new Error(message), { ...members, stack })
}
