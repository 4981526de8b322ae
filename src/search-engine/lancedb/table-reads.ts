import type { ChunkTables } from './chunk-tables.ts'

/**
 * Closes tables that are not in use any more. Work that began before may still read those of former segments: a table stays open while it is
 * read, and one that is opened again by such work is closed when that ends.
 */
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
    if (!this.#isStale) return
    this.#isStale = this.#running > 0
    this.#tables.forgetOthers(this.#used())
  }
}
