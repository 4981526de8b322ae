import type { ChunkTables } from './chunk-tables.ts'

/** Closes tables that are not in use any more, when nothing reads them: work that began before may still read those of former segments. */
export class TableReads {
  readonly #tables: Pick<ChunkTables, 'forgetOthers'>
  readonly #used: () => ReadonlySet<string>
  #running = 0
  #isStale = false

  /** @param used the tables of the present segments */
  constructor(tables: Pick<ChunkTables, 'forgetOthers'>, used: () => ReadonlySet<string>) {
    this.#tables = tables
    this.#used = used
  }

  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#running++
    try {
      return await work()
    } finally {
      this.#running--
      this.#close()
    }
  }

  /** Segments were replaced, or their collection was deleted. */
  closeUnused(): void {
    this.#isStale = true
    this.#close()
  }

  #close(): void {
    if (!this.#isStale || this.#running > 0) return
    this.#isStale = false
    this.#tables.forgetOthers(this.#used())
  }
}
