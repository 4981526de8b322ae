import type { startThread, Thread } from '../../processes/worker-thread.ts'
import type { Ranking } from '../ranking/rank-chunks.ts'
import type {
  EngineCounts,
  ExportedSegments,
  ExportPlace,
  LoadedIndex,
  SavedIndex,
  SavePlace,
  SearchEngine,
  WrittenSegments,
} from '../search-engine.ts'
import type { CollectionSize } from '../segments/held-index.ts'
import type { IndexChange, LexicalSearch, SegmentSwap } from '../segments/live-segments.ts'
import type { SearchWork } from './search-thread.ts'
import type { WriterWork } from './writer-thread.ts'

export interface BuiltInEngineOptions {
  readonly onError: (error: unknown) => void
  readonly start: typeof startThread
  /** Called when both threads lost their state: the index is empty, and its sequence number is 0. */
  readonly onForgotten: () => void
}

/**
 * The two threads of the index: one searches; the other merges, saves and compares, so that no search waits for it. The
 * segments are shared memory; each thread knows which segments exist and what is removed. If one of them dies, the other one
 * restores its state.
 */
export class BuiltInEngine implements SearchEngine {
  readonly #searching: Thread<SearchWork>
  readonly #writing: Thread<WriterWork>
  readonly #lost = new Set<'searching' | 'writing'>()
  /** Calls that a closed thread did not process are not errors: nobody searches it any more. */
  readonly #note: (error: unknown) => void
  readonly #onForgotten: () => void
  #isClosing = false
  #sequence = 0
  #recoveries = 0

  constructor({ onError, start, onForgotten }: BuiltInEngineOptions) {
    this.#onForgotten = onForgotten
    this.#note = (error) => {
      if (!this.#isClosing) onError(error)
    }
    this.#searching = start<SearchWork>(new URL('./search-thread.ts', import.meta.url), () =>
      this.#lost.add('searching'),
    )
    this.#writing = start<WriterWork>(new URL('./writer-thread.ts', import.meta.url), () => this.#lost.add('writing'))
  }

  get sequence(): number {
    return this.#sequence
  }

  get recoveries(): number {
    return this.#recoveries
  }

  canSearch(sequence: number): boolean {
    return !this.#lost.has('searching') && sequence <= this.#sequence
  }

  search(search: LexicalSearch): Promise<Ranking> {
    return this.#searching.call('search', search)
  }

  foundIds(collectionId: number): Promise<Float64Array> {
    return this.#searching.call('documentIds', collectionId)
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

  save(place: SavePlace): Promise<void> {
    return this.#writing.call('save', place)
  }

  exportSegments(place: ExportPlace): Promise<ExportedSegments> {
    return this.#writing.call('export', place)
  }

  /** Both threads and the sequence number change in one turn of the event loop: no search can be sent in between. */
  apply(change: IndexChange): void {
    // A thread that dies here gets its state again in `recover`.
    this.#writing.call('apply', change).catch(this.#note)
    this.#searching.call('apply', change).catch(this.#note)
    this.#sequence = change.position
  }

  /** Merges segments once if it is worthwhile. */
  async compact(keepFrom: number): Promise<boolean> {
    const swap = await this.#writing.call('mergeOnce', { keepFrom })
    if (swap !== null) await this.#searching.call('swap', swap)
    return swap !== null
  }

  /** Both threads are called in one turn of the event loop. If one dies, the other restores its state in `recover`. */
  async replace(swap: SegmentSwap): Promise<void> {
    const requested = [this.#writing.call('replace', swap), this.#searching.call('swap', swap)]
    const failed = (await Promise.allSettled(requested)).flatMap((each) => (each.status === 'rejected' ? [each] : []))
    if (failed.length < requested.length) return
    // Their states are unknown now.
    this.#lost.add('searching').add('writing')
    throw failed[0]?.reason
  }

  async load(saved: SavedIndex): Promise<LoadedIndex | null> {
    const loaded = await this.#writing.call('load', saved)
    if (loaded === null) return null
    await this.#searching.call('apply', await this.#writing.call('everything', null))
    this.#sequence = loaded.position
    return loaded
  }

  /** Restores the state of a dead thread from the other one. Nothing else may be applied meanwhile. */
  async recover(): Promise<void> {
    while (this.#lost.size > 0) {
      this.#recoveries++
      if (this.#lost.size === 2) {
        // No thread has the state any more; the database has it.
        this.#sequence = 0
        this.#lost.clear()
        this.#onForgotten()
        await Promise.all([this.#searching.call('forget', null), this.#writing.call('forget', null)])
      } else if (this.#lost.has('searching')) {
        await this.#searching.call('apply', await this.#writing.call('everything', null))
        this.#lost.delete('searching')
      } else {
        await this.#writing.call('apply', await this.#searching.call('everything', null))
        this.#lost.delete('writing')
      }
    }
  }

  async close(): Promise<void> {
    this.#isClosing = true
    await Promise.all([this.#searching.close(), this.#writing.close()])
  }
}
