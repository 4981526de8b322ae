import type { startThread, Thread } from '../../processes/worker-thread.ts'
import type { TablePlace } from '../lancedb/connect-lance.ts'
import type { PackedRanking } from '../ranking/pack-ranking.ts'
import type {
  EngineCounts,
  ExportedSegments,
  ExportPlace,
  LoadedIndex,
  MoveOutcome,
  MoveRequest,
  SavedIndex,
  SavePlace,
  SearchEngine,
  WrittenSegments,
} from '../search-engine.ts'
import type { IndexChange, LexicalSearch, SegmentSwap } from '../segments/index-change.ts'
import type { CollectionSize, CollectionTables } from '../segments/writer-index.ts'
import type { SearchWork } from './search-thread.ts'
import type { WriterWork } from './writer-thread.ts'

export interface BuiltInEngineOptions {
  readonly onError: (error: unknown) => void
  readonly start: typeof startThread
  /** Threads that search; absent: one. Each takes memory for words near misspelt ones; segments are shared. */
  readonly searchThreads?: number
  /** Where postings may be moved to; null or absent: all are in memory. */
  readonly tables?: TablePlace | null
  /** Called when all threads lost their state: the index is empty, and its sequence number is 0. */
  readonly onForgotten: () => void
}

/** What every thread can do: each has the whole state. */
type StateThread = Thread<Pick<SearchWork, 'apply' | 'everything' | 'forget'>>

interface SearchThread {
  readonly thread: Thread<SearchWork> & StateThread
  /** Searches without a result yet. */
  pending: number
}

/**
 * The threads of the index: some search; another one merges, saves and compares, so that no search waits for it. The
 * segments are shared memory; each thread knows which segments exist and what is removed. If one of them dies, another one
 * restores its state.
 */
export class BuiltInEngine implements SearchEngine {
  readonly #searching: readonly SearchThread[]
  readonly #writing: Thread<WriterWork> & StateThread
  readonly #lost = new Set<StateThread>()
  /** Calls that a closed thread did not process are not errors: nobody searches it any more. */
  readonly #note: (error: unknown) => void
  readonly #onForgotten: () => void
  #isClosing = false
  #sequence = 0
  #recoveries = 0

  constructor({ onError, start, searchThreads = 1, tables = null, onForgotten }: BuiltInEngineOptions) {
    this.#onForgotten = onForgotten
    this.#note = (error) => {
      if (!this.#isClosing) onError(error)
    }
    const begin = <W extends SearchWork | WriterWork>(file: string): Thread<W> & StateThread => {
      const onLost = (): unknown => this.#lost.add(thread)
      const thread = start<W>(new URL(file, import.meta.url), onLost, { data: tables }) as Thread<W> & StateThread
      return thread
    }
    this.#searching = Array.from({ length: searchThreads }, () => ({
      thread: begin<SearchWork>('./search-thread.ts'),
      pending: 0,
    }))
    this.#writing = begin<WriterWork>('./writer-thread.ts')
  }

  get #threads(): readonly StateThread[] {
    return [this.#writing, ...this.#searching.map(({ thread }) => thread)]
  }

  get sequence(): number {
    return this.#sequence
  }

  get recoveries(): number {
    return this.#recoveries
  }

  canSearch(sequence: number): boolean {
    return this.#idlest() !== undefined && sequence <= this.#sequence
  }

  #searcher(): SearchThread {
    const searcher = this.#idlest() ?? this.#searching[0]
    if (searcher === undefined) throw new RangeError('an index needs a thread that searches')
    return searcher
  }

  /** The thread with the fewest pending searches that has its state; undefined: all lost it. */
  #idlest(): SearchThread | undefined {
    let found: SearchThread | undefined
    for (const each of this.#searching)
      if (!this.#lost.has(each.thread) && each.pending < (found?.pending ?? Number.POSITIVE_INFINITY)) found = each
    return found
  }

  async search(search: LexicalSearch): Promise<PackedRanking> {
    // If all lost their state, the search is ahead of it and fails.
    const searcher = this.#searcher()
    searcher.pending++
    try {
      return await searcher.thread.call('search', search)
    } finally {
      searcher.pending--
    }
  }

  foundIds(collectionId: number): Promise<Float64Array> {
    return this.#searcher().thread.call('documentIds', collectionId)
  }

  counts(): Promise<EngineCounts> {
    return this.#writing.call('counts', null)
  }

  collectionIds(): Promise<readonly number[]> {
    return this.#writing.call('collectionIds', null)
  }

  writtenIds(collectionId: number): Promise<Float64Array> {
    return this.#writing.call('documentIds', collectionId)
  }

  removedIds(collectionId: number): Promise<readonly number[]> {
    return this.#writing.call('removedIds', collectionId)
  }

  segmentsOf(collectionId: number): Promise<WrittenSegments> {
    return this.#writing.call('segmentIds', collectionId)
  }

  fingerprint(collectionId: number): Promise<void> {
    return this.#writing.call('fingerprint', collectionId)
  }

  differing(buffer: SharedArrayBuffer): Promise<readonly number[]> {
    return this.#writing.call('differing', buffer)
  }

  sizes(): Promise<readonly CollectionSize[]> {
    return this.#writing.call('sizes', null)
  }

  tables(): Promise<readonly CollectionTables[]> {
    return this.#writing.call('tables', null)
  }

  save(place: SavePlace): Promise<void> {
    return this.#writing.call('save', place)
  }

  exportSegments(place: ExportPlace): Promise<ExportedSegments> {
    return this.#writing.call('export', place)
  }

  /** All threads and the sequence number change in one turn of the event loop: no search can be sent in between. */
  apply(change: IndexChange): void {
    // A thread that dies here gets its state again in `recover`.
    for (const thread of this.#threads) thread.call('apply', change).catch(this.#note)
    this.#sequence = change.position
  }

  #swap(swap: SegmentSwap): readonly Promise<void>[] {
    return this.#searching.map(({ thread }) => thread.call('swap', swap))
  }

  /** Merges segments once if it is worthwhile. */
  async compact(keepFrom: number): Promise<boolean> {
    const swap = await this.#writing.call('mergeOnce', { keepFrom })
    if (swap !== null) await Promise.all(this.#swap(swap))
    return swap !== null
  }

  async move(request: MoveRequest): Promise<MoveOutcome> {
    const { swap, ...outcome } = await this.#writing.call('move', request)
    if (swap !== null) await Promise.all(this.#swap(swap))
    return outcome
  }

  abandonMove(): Promise<void> {
    return this.#writing.call('abandonMove', null)
  }

  /** All threads are called in one turn of the event loop. If one dies, another restores its state in `recover`. */
  async replace(swap: SegmentSwap): Promise<void> {
    const requested = [this.#writing.call('replace', swap), ...this.#swap(swap)]
    const failed = (await Promise.allSettled(requested)).flatMap((each) => (each.status === 'rejected' ? [each] : []))
    if (failed.length < requested.length) return
    // Their states are unknown now.
    for (const thread of this.#threads) this.#lost.add(thread)
    throw failed[0]?.reason
  }

  async load(saved: SavedIndex): Promise<LoadedIndex | null> {
    const loaded = await this.#writing.call('load', saved)
    if (loaded === null) return null
    const everything = await this.#writing.call('everything', null)
    await Promise.all(this.#searching.map(({ thread }) => thread.call('apply', everything)))
    this.#sequence = loaded.position
    return loaded
  }

  /** Restores the state of dead threads from another one. Nothing else may be applied meanwhile. */
  async recover(): Promise<void> {
    while (this.#lost.size > 0) {
      this.#recoveries++
      const source = this.#threads.find((thread) => !this.#lost.has(thread))
      if (source === undefined) await this.#forget()
      else await this.#restore(source)
    }
  }

  /** No thread has the state any more; the database has it. */
  async #forget(): Promise<void> {
    this.#sequence = 0
    this.#lost.clear()
    this.#onForgotten()
    await Promise.all(this.#threads.map((thread) => thread.call('forget', null)))
  }

  async #restore(source: StateThread): Promise<void> {
    const everything = await source.call('everything', null)
    for (const thread of [...this.#lost]) {
      await thread.call('apply', everything)
      this.#lost.delete(thread)
    }
  }

  async close(): Promise<void> {
    this.#isClosing = true
    await Promise.all(this.#threads.map((thread) => thread.close()))
  }
}
