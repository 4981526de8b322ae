import { randomUUID } from 'node:crypto'
import type { Database } from '../../database/database.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Result } from '../../kernel/result.ts'
import type { FileProblem } from '../extract/refusal.ts'
import type { BuildWork, PreparedText, TextToIndex } from './build-thread.ts'
import { HeldIndex } from './held-index.ts'
import type { IndexChange, NewSegment } from './live-segments.ts'
import { planMerge } from './plan-merge.ts'
import type { QueryTerm, Ranking, RankOptions } from './rank-chunks.ts'
import {
  type AddedDocument,
  type Changes,
  readChanges,
  readDatabaseId,
  readDocumentIds,
  readTexts,
} from './read-changes.ts'
import { isSaved } from './saved-index.ts'
import type { SearchWork } from './search-thread.ts'
import { startThread } from './worker-thread.ts'

/** This process's copy of the lexical index. It follows the database's change log; every search says how far. */
export interface LexicalIndex {
  /**
   * Holds what a question needs: while `work` runs, every state of the index that the database can name to it stays
   * searchable. So the database is asked for the position inside of it.
   */
  whileReading<T>(work: (reading: Reading) => Promise<T>): Promise<T>
  /** Cuts a text and makes its terms, off this thread. */
  prepare(text: TextToIndex): Promise<Result<PreparedText, FileProblem>>
  /** What `prepare` made of a document that is now published: spares making it again when the change is followed. */
  offer(documentId: number, prepared: Pick<PreparedText, 'buffer'>): void
  /** Resolves when all that was committed before this call can be searched. */
  catchUp(): Promise<void>
  counts(): IndexCounts
  close(): Promise<void>
}

export interface Reading {
  /** The best chunks of the state at a position of the change log. */
  search(position: number, search: IndexSearch): Promise<Ranking>
}

export interface IndexSearch {
  readonly collectionIds: readonly number[]
  readonly terms: readonly QueryTerm[]
  readonly options: RankOptions
}

export interface IndexCounts {
  readonly position: number
  readonly segments: number
  readonly documents: number
  readonly chunks: number
  readonly bytes: number
}

export interface LexicalIndexOptions {
  readonly database: Database
  /** Where the index is kept between starts; null: it is built from the database at each start. */
  readonly folder: string | null
  readonly clock: Clock
  readonly onTrouble: (error: unknown) => void
}

/** Chunks whose texts are in memory at once while changes are followed. */
const chunksOfBatch = 2_000
/** Changes are saved to the folder when so many chunks are new; a crash costs reading those anew from the database. */
const chunksBetweenSaves = 20_000
/** Prepared documents that were offered and not yet followed: they wait for milliseconds. */
const mostOffers = 1_000

/** @returns when the index has everything that the database has */
export async function openLexicalIndex(options: LexicalIndexOptions): Promise<LexicalIndex> {
  const index = new FollowingIndex(options)
  try {
    await index.start()
  } catch (error) {
    await index.close()
    throw error
  }
  return index
}

class FollowingIndex implements LexicalIndex {
  readonly #options: LexicalIndexOptions
  readonly #held = new HeldIndex()
  readonly #searching = startThread<SearchWork>(new URL('./search-thread.ts', import.meta.url), () => this.#giveAll())
  readonly #building = startThread<BuildWork>(new URL('./build-thread.ts', import.meta.url))
  readonly #merging = startThread<BuildWork>(new URL('./build-thread.ts', import.meta.url))
  readonly #readings = new Set<{ readonly from: number }>()
  readonly #offers = new Map<number, SharedArrayBuffer>()
  #databaseId = ''
  #running: Promise<void> | undefined
  #next: Promise<void> | undefined
  #upkeep: Promise<void> = Promise.resolve()
  #isUpkeepAsked = false
  #unsavedChunks = 0
  #isSearched = false
  #isClosing = false

  constructor(options: LexicalIndexOptions) {
    this.#options = options
  }

  async start(): Promise<void> {
    this.#databaseId = await readDatabaseId(this.#options.database)
    await this.#takeSaved()
    await this.catchUp()
    this.#isSearched = true
  }

  async whileReading<T>(work: (reading: Reading) => Promise<T>): Promise<T> {
    const reading = { from: this.#held.position }
    this.#readings.add(reading)
    try {
      return await work({
        search: async (position, { collectionIds, terms, options }) => {
          while (position > this.#held.position) await this.catchUp()
          return this.#searching.ask('search', { position, collectionIds, terms, options })
        },
      })
    } finally {
      this.#readings.delete(reading)
    }
  }

  prepare(text: TextToIndex): Promise<Result<PreparedText, FileProblem>> {
    return this.#building.ask('prepare', text)
  }

  offer(documentId: number, { buffer }: Pick<PreparedText, 'buffer'>): void {
    if (this.#offers.size >= mostOffers) this.#offers.clear()
    this.#offers.set(documentId, buffer)
  }

  /** One run at a time. Who asks while one is running may have committed after it had read the log, so a second one follows. */
  catchUp(): Promise<void> {
    if (this.#running === undefined) {
      this.#running = this.#follow().finally(() => {
        this.#running = undefined
      })
      return this.#running
    }
    this.#next ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined
        return this.catchUp()
      })
    return this.#next
  }

  counts(): IndexCounts {
    return { position: this.#held.position, ...this.#held.counts() }
  }

  async close(): Promise<void> {
    this.#isClosing = true
    await this.#running?.catch(() => undefined)
    await this.#upkeep
    if (this.#unsavedChunks > 0) await this.#save().catch(this.#options.onTrouble)
    await Promise.all([this.#searching.close(), this.#building.close(), this.#merging.close()])
  }

  // ── following the database ──

  async #follow(): Promise<void> {
    for (;;) {
      const changes = await readChanges(this.#options.database, this.#held.position, this.#isSearched)
      if (changes.clearedPosition > this.#held.position && this.#held.position > 0)
        await this.#take(await this.#compare())
      else if (changes.position > this.#held.position) await this.#take(changes)
      if (!changes.isMore) return
    }
  }

  /** What is different from the database, whatever the log still says: for an index that did not follow for long. */
  async #compare(): Promise<Changes> {
    const { position, documents } = await readDocumentIds(this.#options.database)
    const there = Map.groupBy(documents, ({ collectionId }) => collectionId)
    const collectionIds = [...new Set([...there.keys(), ...this.#held.collectionIds()])]
    const differences = collectionIds.map((collectionId) => {
      const held = this.#held.documentsOf(collectionId)
      const wanted = new Set(there.get(collectionId)?.map(({ id }) => id))
      return {
        added: (there.get(collectionId) ?? []).filter(({ id }) => !held.has(id)),
        removed: [...held.keys()]
          .filter((id) => !wanted.has(id))
          .map((documentId) => ({ collectionId, documentId, position })),
      }
    })
    return {
      position,
      isMore: false,
      clearedPosition: position,
      added: differences.flatMap(({ added }) => added),
      removed: differences.flatMap(({ removed }) => removed),
      dropped: [],
    }
  }

  async #take(changes: Changes): Promise<void> {
    const segments = await this.#segmentsOf(changes.added)
    const change: IndexChange = {
      position: changes.position,
      keepFrom: this.#keepFrom(),
      segments,
      added: changes.added.map(({ id, collectionId, position }) => ({ documentId: id, collectionId, position })),
      removed: changes.removed,
      dropped: changes.dropped,
    }
    this.#give(change)
    this.#unsavedChunks += changes.added.reduce((sum, { chunkCount }) => sum + chunkCount, 0) + changes.removed.length
    this.#askForUpkeep()
  }

  /** Both states change in one turn: no search can be asked between. */
  #give(change: IndexChange): void {
    this.#held.apply(change)
    this.#searching.ask('apply', change).catch(this.#options.onTrouble)
  }

  #giveAll(): void {
    this.#searching.ask('apply', this.#held.asChange()).catch(this.#options.onTrouble)
  }

  /** A question that has begun may ask for any state from here on. */
  #keepFrom(): number {
    return Math.min(this.#held.position, ...[...this.#readings].map(({ from }) => from))
  }

  async #segmentsOf(added: readonly AddedDocument[]): Promise<readonly NewSegment[]> {
    const segments: NewSegment[] = []
    const toRead: AddedDocument[] = []
    for (const document of added) {
      const buffer = this.#offers.get(document.id)
      this.#offers.delete(document.id)
      if (buffer === undefined) toRead.push(document)
      else segments.push({ collectionId: document.collectionId, segmentId: randomUUID(), buffer })
    }
    for (const batch of batchesOf(toRead)) {
      const texts = await readTexts(
        this.#options.database,
        batch.map(({ id }) => id),
      )
      const buffer = await this.#building.ask('build', texts)
      const [first] = batch
      if (first !== undefined) segments.push({ collectionId: first.collectionId, segmentId: randomUUID(), buffer })
    }
    return segments
  }

  // ── upkeep: merging and saving, one after the other, beside everything else ──

  #askForUpkeep(): void {
    if (this.#isUpkeepAsked || this.#isClosing) return
    this.#isUpkeepAsked = true
    this.#upkeep = this.#upkeep.then(async () => {
      this.#isUpkeepAsked = false
      try {
        await this.#mergeAll()
        if (this.#unsavedChunks >= chunksBetweenSaves) await this.#save()
      } catch (error) {
        if (!this.#isClosing) this.#options.onTrouble(error)
      }
    })
  }

  async #mergeAll(): Promise<void> {
    for (const collectionId of this.#held.collectionIds()) {
      for (;;) {
        const before = this.#isClosing ? undefined : planMerge(this.#held.sizesOf(collectionId))
        if (before === undefined) break
        const dropped = this.#held.droppable(collectionId, before, this.#keepFrom())
        if (before.length === 1 && dropped.length === 0) break
        const buffer = await this.#merging.ask('merge', {
          buffers: this.#held.buffersOf(collectionId, before),
          dropped,
        })
        const swap = { collectionId, before, after: { collectionId, segmentId: randomUUID(), buffer } }
        if (!this.#held.has(collectionId)) break
        this.#held.swap(swap)
        await this.#searching.ask('swap', swap)
      }
    }
  }

  async #save(): Promise<void> {
    const { folder, clock } = this.#options
    this.#unsavedChunks = 0
    if (folder === null) return
    const { position, segments, removed } = this.#held.asChange()
    const snapshot = { databaseId: this.#databaseId, position, segments, removed }
    await this.#merging.ask('save', { folder, snapshot, nowMs: clock.nowMs() })
  }

  async #takeSaved(): Promise<void> {
    const { folder, database } = this.#options
    if (folder === null || !isSaved(folder)) return
    const saved = await this.#merging.ask('load', folder)
    if (saved === undefined) return
    const now = await readChanges(database, saved.position, false)
    const isOurs = saved.databaseId === this.#databaseId && saved.position <= now.position
    if (!isOurs) return
    this.#give({ ...saved, keepFrom: saved.position, added: [], dropped: [] })
  }
}

/** Documents of one collection, together about `chunksOfBatch` chunks. */
function batchesOf(documents: readonly AddedDocument[]): readonly (readonly AddedDocument[])[] {
  const batches: AddedDocument[][] = []
  for (const [, mates] of Map.groupBy(documents, ({ collectionId }) => collectionId)) {
    let chunks = Number.POSITIVE_INFINITY
    for (const document of mates) {
      if (chunks + document.chunkCount > chunksOfBatch) {
        batches.push([])
        chunks = 0
      }
      batches.at(-1)?.push(document)
      chunks += document.chunkCount
    }
  }
  return batches
}
