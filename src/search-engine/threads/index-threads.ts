import type { startThread, Thread } from '../../processes/worker-thread.ts'
import type { Ranking } from '../ranking/rank-chunks.ts'
import type { IndexChange, LexicalSearch, SegmentSwap } from '../segments/live-segments.ts'
import type { KeepWork, SavedIndex } from './keep-thread.ts'
import type { SearchWork } from './search-thread.ts'

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
  #isClosing = false
  #position = 0

  constructor(onTrouble: (error: unknown) => void, start: typeof startThread) {
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

  async replace(swap: SegmentSwap): Promise<void> {
    await Promise.all([this.#keeping.ask('replace', swap), this.#searching.ask('swap', swap)])
  }

  /** Both are told what is saved in a folder, when it is this database's. @returns the history that it belongs to */
  async load(saved: SavedIndex): Promise<string | null> {
    const loaded = await this.#keeping.ask('load', saved)
    if (loaded === null) return null
    await this.#searching.ask('apply', await this.#keeping.ask('everything', null))
    this.#position = loaded.position
    return loaded.historyId
  }

  /** Tells a thread that died what the other knows. Nothing else may be given meanwhile. */
  async restore(): Promise<void> {
    while (this.#lost.size > 0) {
      if (this.#lost.size === 2) {
        // Nobody knows everything any more, but the database does.
        this.#position = 0
        this.#lost.clear()
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
