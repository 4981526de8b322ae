import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { workerData } from 'node:worker_threads'
import { serveCalls } from '../../processes/worker-thread.ts'
import { ChunkTables } from '../lancedb/chunk-tables.ts'
import { type TablePlace, TablesUnavailableError } from '../lancedb/connect-lance.ts'
import { fingerprintsOfRows } from '../lancedb/fingerprint-rows.ts'
import { type MoveStep, TableMover } from '../lancedb/move-segment.ts'
import { TableReads } from '../lancedb/table-reads.ts'
import type {
  ExportedSegment,
  ExportedSegments,
  ExportPlace,
  LoadedIndex,
  MoveRequest,
  SavedIndex,
  SavePlace,
} from '../search-engine.ts'
import { letGoOf } from '../segments/collect-garbage.ts'
import { type Fingerprints, fingerprintsOf } from '../segments/fingerprints.ts'
import type { IndexChange, SegmentSwap } from '../segments/index-change.ts'
import { mergeSegments } from '../segments/merge-segments.ts'
import { planMerge } from '../segments/plan-merge.ts'
import { loadSegments, saveSegments } from '../segments/save-segments.ts'
import { openSegment } from '../segments/segment.ts'
import { linkOrWrite, segmentFileIn } from '../segments/segment-file.ts'
import { WriterIndex } from '../segments/writer-index.ts'

const place = workerData as TablePlace | null
const tables = place === null ? null : new ChunkTables(place)
const mover = tables === null ? null : new TableMover(tables)
let held = new WriterIndex()
const reads = tables && new TableReads(tables, () => new Set(held.tables().flatMap((each) => each.tables)))
const reading = <T>(work: () => Promise<T>): Promise<T> => (reads === null ? work() : reads.during(work))
let fingerprints: readonly Fingerprints[] = []

/** Whether a table does not exist any more: since the index was saved, another process may have dropped it. */
async function areLost(present: ChunkTables, named: readonly string[]): Promise<boolean> {
  try {
    return !(await present.haveAll(named))
  } catch (error) {
    // Searches wait for the place to respond.
    if (error instanceof TablesUnavailableError) return false
    throw error
  }
}

/**
 * Manages the segments: merges and saves them, and knows their contents. Merges take seconds; searches do not wait for this
 * thread.
 */
const work = {
  apply(change: IndexChange) {
    held.apply(change)
    if (change.dropped.length > 0) reads?.closeUnused()
  },

  /** Merges once if it is worthwhile. @returns the swap for the search thread; null: no merge is needed */
  mergeOnce({ keepFrom }: { readonly keepFrom: number }): SegmentSwap | null {
    for (const collectionId of held.collectionIds()) {
      const before = planMerge(
        held.sizesOf(collectionId).filter((each) => !each.isMoved && mover?.isMoving(each.segmentId) !== true),
      )
      if (before === undefined) continue
      const dropped = new Set(held.droppable(collectionId, before, keepFrom))
      // Its removed documents may still be searched: it is rewritten later.
      if (before.length === 1 && dropped.size === 0) continue
      const buffers = held.buffersOf(collectionId, before)
      const { buffer } = mergeSegments(buffers.map(openSegment), dropped)
      const swap = { collectionId, before, after: [{ collectionId, segmentId: randomUUID(), buffer }], at: null }
      held.swap(swap)
      letGoOf(buffers)
      return swap
    }
    return null
  },

  async save({ folder, historyId, unbuilt, nowMs }: SavePlace): Promise<void> {
    const segments = held.hashed()
    const { position, removed } = held.asChange()
    await saveSegments({ folder, snapshot: { historyId, position, segments, removed, unbuilt }, nowMs })
  },

  /** Writes the segments of a collection, as they are now, into files, without those whose hash is known. */
  async export({ collectionId, knownHashes, folder, savedFolder }: ExportPlace): Promise<ExportedSegments> {
    const { position } = held
    const known = new Set(knownHashes)
    const segments: ExportedSegment[] = []
    for (const { segmentId, buffer, hash } of held.hashed(collectionId)) {
      const path = known.has(hash) ? null : join(folder, randomUUID())
      segments.push({ hash, size: buffer.byteLength, path, table: openSegment(buffer).table })
      if (path === null) continue
      const saved = savedFolder === null ? null : segmentFileIn(savedFolder, segmentId)
      await linkOrWrite(saved, path, new Uint8Array(buffer))
    }
    return { position, segments }
  },

  /** One step of moving postings into a table. @returns the swap for the search threads, too */
  async move(request: MoveRequest): Promise<MoveStep> {
    if (mover === null) return { progress: 'none', failure: null, swap: null }
    const step = await reading(() => mover.step(held, request))
    if (step.swap === null) return step
    const before = held.buffersOf(step.swap.collectionId, step.swap.before)
    held.swap(step.swap)
    letGoOf(before)
    reads?.closeUnused()
    return step
  },

  abandonMove: (_: null) => mover?.abandon(),

  /** The tables of each collection. */
  tables: (_: null) => held.tables(),
  sizes: (_: null) => held.sizes(),

  /**
   * Loads a saved index if it belongs to this database and is not ahead of it.
   *
   * @returns null: it is not loaded
   */
  async load({ folder, historyIds, position }: SavedIndex): Promise<LoadedIndex | null> {
    const saved = await loadSegments(folder)
    if (saved === undefined || !historyIds.includes(saved.historyId) || saved.position > position) return null
    const named = saved.segments.flatMap(({ buffer }) => openSegment(buffer).table || [])
    // Without LanceDB nothing can be read of these.
    if (named.length > 0 && (tables === null || (await areLost(tables, named)))) return null
    held = new WriterIndex()
    held.apply({ ...saved, keepFrom: saved.position, added: [], dropped: [] })
    return { position: saved.position, historyId: saved.historyId, unbuilt: saved.unbuilt }
  },

  /** The whole state, for a new search thread. */
  everything: (_: null): IndexChange => held.asChange(),
  counts: (_: null) => held.counts(),
  collectionIds: (_: null) => held.collectionIds(),
  documentIds: (collectionId: number) => held.documentIds(collectionId),
  removedIds: (collectionId: number) => held.removedIds(collectionId),

  /** The segments to rebuild: the state at the sequence number. */
  segmentIds: (collectionId: number) => ({
    position: held.position,
    segmentIds: held.sizesOf(collectionId).map(({ segmentId }) => segmentId),
  }),

  /** Replaces segments by others with the same documents. */
  replace(swap: SegmentSwap) {
    const before = held.buffersOf(swap.collectionId, swap.before)
    held.swap(swap)
    letGoOf(before)
  },

  /** Begins a comparison: reads every segment of the collection in memory, and the rows of its tables page by page. */
  async fingerprint(collectionId: number) {
    const made: Fingerprints[] = []
    for (const segment of held.segmentsOf(collectionId)) {
      const { table, chunkCount } = segment
      const isHere = table === '' || tables === null
      made.push(
        isHere
          ? fingerprintsOf(segment)
          : await reading(() => fingerprintsOfRows(segment, tables.all(table, chunkCount))),
      )
    }
    fingerprints = made
  },

  /** @returns ids of the documents of a segment that were different or missing in the collection when the comparison began */
  differing(buffer: SharedArrayBuffer): readonly number[] {
    const made = fingerprintsOf(openSegment(buffer))
    return made.documentIds().filter((id) => !fingerprints.some((each) => each.of(id) === made.of(id)))
  },

  forget(_: null) {
    held = new WriterIndex()
    fingerprints = []
  },
}
export type WriterWork = typeof work

serveCalls(work)
