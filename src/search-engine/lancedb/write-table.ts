import { randomUUID } from 'node:crypto'
import type { ChunkRows } from './chunk-rows.ts'
import type { LanceTable } from './import-lancedb.ts'

export type ChunkRowSource = Iterator<ChunkRows> | AsyncIterator<ChunkRows>

/** A new name for each table: a table never changes. */
export function newTableName(): string {
  return randomUUID().replaceAll('-', '')
}

/** What writing needs of the place of the tables. */
interface TableAccess {
  create(rows: ChunkRows): Promise<LanceTable>
  add(table: LanceTable, rows: ChunkRows): Promise<void>
  index(table: LanceTable): Promise<void>
  drop(): Promise<void>
}

/** A table that is being written in steps: in between, the writer can make sure that it still is the only one. */
export class TableWrite {
  readonly table: string
  readonly #rows: ChunkRowSource
  readonly #access: TableAccess
  #created: LanceTable | undefined

  constructor(table: string, rows: ChunkRowSource, access: TableAccess) {
    this.table = table
    this.#rows = rows
    this.#access = access
  }

  /**
   * Writes some rows, and at the end the index. If that fails, nothing stays.
   *
   * @returns whether the table is complete
   */
  async step(): Promise<boolean> {
    try {
      const { done, value } = await this.#rows.next()
      if (done !== true) {
        if (this.#created === undefined) this.#created = await this.#access.create(value)
        else await this.#access.add(this.#created, value)
        return false
      }
      if (this.#created !== undefined) await this.#access.index(this.#created)
      this.#created?.close()
      return true
    } catch (error) {
      // The next attempt writes another one. If this one stays, it is cleared away after a while.
      await this.abandon().catch(() => undefined)
      throw error
    }
  }

  /** Drops what is written. */
  async abandon(): Promise<void> {
    this.#created?.close()
    await this.#access.drop()
  }
}
