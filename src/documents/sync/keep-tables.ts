import { startLoop } from '../../kernel/loop.ts'
import { ChunkTables } from '../../search-engine/lancedb/chunk-tables.ts'
import type { TablePlace } from '../../search-engine/lancedb/connect-lance.ts'
import { readOpenCollectionIds, readTableNames, takeWriterLease } from '../store/segment-manifests.ts'
import type { LexicalIndex } from './lexical-index.ts'
import { type SegmentWriter, writeSegments } from './publish-segments.ts'

export interface TableWriter extends Omit<SegmentWriter, 'index'> {
  readonly index: SegmentWriter['index'] & Pick<LexicalIndex, 'moveSegments'>
  readonly place: TablePlace
  readonly minChunks: number
  /** How often the lease is renewed during one step; absent: three times while it lasts. */
  readonly renewEveryMs?: number
}

/** A third of the lease. */
const renewEveryMs = 60_000

/** Longer than a process needs to take over what another one wrote. */
const unusedStaysMs = 60 * 60_000

/** Moves large segments of open collections into tables of LanceDB, under the lease of the writer of segments. */
export class TableKeeper {
  readonly #writer: TableWriter
  readonly #tables: ChunkTables
  /** Tables that nothing names, and since when. */
  #unused: ReadonlyMap<string, number> = new Map()

  constructor(writer: TableWriter) {
    this.#tables = new ChunkTables(writer.place)
    this.#writer = { ...writer, haveAllTables: (tables) => this.#tables.haveAll(tables) }
  }

  /** One turn of each process, from time to time. */
  async run(stopping?: AbortSignal): Promise<void> {
    const { database, index, worker, minChunks } = this.#writer
    const isBuilding = index.buildProgress() !== null
    if (isBuilding || !(await takeWriterLease(database, worker.number()))) {
      const collectionIds = await readOpenCollectionIds(database)
      await index.moveSegments({ collectionIds, minChunks, worker: worker.number(), writes: false })
      return
    }
    // What was moved before a failure is named all the same: other processes use it, and it is not cleared away.
    const [moved] = await Promise.allSettled([this.#move(stopping)])
    await writeSegments(this.#writer, stopping)
    if (await takeWriterLease(database, worker.number())) {
      const own = await index.tables()
      await this.clear(new Set(own.flatMap(({ tables }) => tables)))
    }
    if (moved.status === 'rejected') throw moved.reason
  }

  /**
   * The lease is renewed before each step and during it: the index of a large table takes minutes. Without it, no further step is made, so
   * that a table which is not in use yet never will be; the next turn drops it, and takes over the one of the process that has the lease.
   */
  async #move(stopping?: AbortSignal): Promise<void> {
    const { database, index, worker, minChunks } = this.#writer
    while (!stopping?.aborted && index.buildProgress() === null && (await takeWriterLease(database, worker.number()))) {
      // A collection may have become bound during the last step.
      const collectionIds = await readOpenCollectionIds(database)
      const work = { collectionIds, minChunks, worker: worker.number(), writes: true }
      const progress = await this.#renewing(() => index.moveSegments(work))
      if (progress === 'none') return
      // The other collections are moved, unless the place of the tables does not respond to anything.
      if (progress === 'failed') await this.#tables.names()
      if (progress === 'moved') await writeSegments(this.#writer, stopping)
    }
  }

  async #renewing<T>(work: () => Promise<T>): Promise<T> {
    const { database, worker, renewEveryMs: everyMs = renewEveryMs } = this.#writer
    const renewing = startLoop({
      turn: async () => void (await takeWriterLease(database, worker.number())),
      everyMs,
      // The next step is not made without the lease: the index looks who has it.
      onError: () => undefined,
    })
    try {
      return await work()
    } finally {
      await renewing.stop()
    }
  }

  /** Drops tables of manifests that were replaced, and of processes that died while they wrote. */
  async clear(used: ReadonlySet<string>): Promise<void> {
    const { database, clock } = this.#writer
    const now = clock.nowMs()
    const names = await this.#tables.names()
    const named = await readTableNames(database)
    const unused = names.filter((table) => !named.has(table) && !used.has(table))
    const since = new Map(unused.map((table) => [table, this.#unused.get(table) ?? now]))
    for (const [table, fromMs] of since)
      if (now - fromMs >= unusedStaysMs) {
        await this.#tables.drop(table)
        since.delete(table)
      }
    this.#unused = since
  }
}
