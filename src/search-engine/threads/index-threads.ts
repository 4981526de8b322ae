import type { startThread, Thread } from '../../processes/worker-thread.ts'
import type { Ranking } from '../ranking/rank-chunks.ts'
import type { IndexChange, LexicalSearch, SegmentSwap } from '../segments/live-segments.ts'
import type { KeepWork, LoadedIndex, SavedIndex } from './keep-thread.ts'
import type { SearchWork } from './search-thread.ts'

export interface IndexThreadOptions {
  readonly onTrouble: (error: unknown) => void
  readonly start: typeof startThread
  /** Both threads lost what they had: the index is empty, and its position is 0. */
  readonly onForgotten: () => void
}

/**
 * The two threads that hold the index: one searches; the other merges, saves and compares, so that no search waits for it.
 * The segments themselves are shared memory; each thread knows which there are and what is removed. When one of them dies, it
 * is told again by the other.
 */
export class IndexThreads {
  readonly keeping: Pick<Thread<KeepWork>, 'ask'>
  readonly #searching: Thread<SearchWork>
  readonly #keeping: Thread<KeepWork>
  readonly #lost = new Set<'searching' | 'keeping'>()
  /** What a thread has not taken up when it is closed is no trouble: nobody is to search it any more. */
  readonly #note: (error: unknown) => void
  readonly #onForgotten: () => void
  #isClosing = false
  #position = 0

  constructor({ onTrouble, start, onForgotten }: IndexThreadOptions) {
    this.#onForgotten = onForgotten
    this.#note = (error) => {
      if (!this.#isClosing) onTrouble(error)
    }
    this.#searching = start<SearchWork>(new URL('./search-thread.ts', import.meta.url), () =>
      this.#lost.add('searching'),
    )
    this.#keeping = start<KeepWork>(new URL('./keep-thread.ts', import.meta.url), () => this.#lost.add('keeping'))
    this.keeping = this.#keeping
  }

  /** Of the change log: what both threads know. */
  get position(): number {
    return this.#position
  }

  /** Whether a search at this position can be asked; otherwise `restore` and follow. */
  reaches(position: number): boolean {
    return !this.#lost.has('searching') && position <= this.#position
  }

  search(search: LexicalSearch): Promise<Ranking> {
    return this.#searching.ask('search', search)
  }

  /** Ids of the documents that searches find, ascending. */
  foundIn(collectionId: number): Promise<Float64Array> {
    return this.#searching.ask('documentIds', collectionId)
  }

  /** Both threads and the position change in one turn: no search can be asked between. */
  give(change: IndexChange): void {
    // A thread that dies of it is told again when it is restored.
    this.#keeping.ask('apply', change).catch(this.#note)
    this.#searching.ask('apply', change).catch(this.#note)
    this.#position = change.position
  }

  /** Other segments for the same documents, which the keeping thread made and holds already. */
  async swap(swap: SegmentSwap): Promise<void> {
    await this.#searching.ask('swap', swap)
  }

  /** Both are told in one turn. One that dies of it is told again by the other when it is restored. */
  async replace(swap: SegmentSwap): Promise<void> {
    const asked = [this.#keeping.ask('replace', swap), this.#searching.ask('swap', swap)]
    const failed = (await Promise.allSettled(asked)).flatMap((each) => (each.status === 'rejected' ? [each] : []))
    if (failed.length < asked.length) return
    // Nobody knows what they hold now.
    this.#lost.add('searching').add('keeping')
    throw failed[0]?.reason
  }

  /** Both are told what is saved in a folder. @returns null: nothing is saved there that belongs to this database */
  async load(saved: SavedIndex): Promise<LoadedIndex | null> {
    const loaded = await this.#keeping.ask('load', saved)
    if (loaded === null) return null
    await this.#searching.ask('apply', await this.#keeping.ask('everything', null))
    this.#position = loaded.position
    return loaded
  }

  /** Tells a thread that died what the other knows. Nothing else may be given meanwhile. */
  async restore(): Promise<void> {
    while (this.#lost.size > 0) {
      if (this.#lost.size === 2) {
        // Nobody knows everything any more, but the database does.
        this.#position = 0
        this.#lost.clear()
        this.#onForgotten()
        await Promise.all([this.#searching.ask('forget', null), this.#keeping.ask('forget', null)])
      } else if (this.#lost.has('searching')) {
        await this.#searching.ask('apply', await this.#keeping.ask('everything', null))
        this.#lost.delete('searching')
      } else {
        await this.#keeping.ask('apply', await this.#searching.ask('everything', null))
        this.#lost.delete('keeping')
      }
    }
  }

  async close(): Promise<void> {
    this.#isClosing = true
    await Promise.all([this.#searching.close(), this.#keeping.close()])
  }
}
