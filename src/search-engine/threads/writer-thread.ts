import { randomUUID } from 'node:crypto'
import { answerQuestions } from '../../processes/worker-thread.ts'
import type { LoadedIndex, SavedIndex, SavePlace } from '../search-engine.ts'
import { letGoOf } from '../segments/collect-garbage.ts'
import { type Fingerprints, fingerprintsOf } from '../segments/fingerprints.ts'
import { HeldIndex } from '../segments/held-index.ts'
import type { IndexChange, SegmentSwap } from '../segments/live-segments.ts'
import { mergeSegments } from '../segments/merge-segments.ts'
import { planMerge } from '../segments/plan-merge.ts'
import { loadSegments, saveSegments } from '../segments/save-segments.ts'
import { openSegment } from '../segments/segment.ts'

let held = new HeldIndex()
let fingerprints: readonly Fingerprints[] = []

/** Keeps the segments: merges them, saves them, knows what is in them. Merges take seconds; searches do not wait for this thread. */
const work = {
  apply: (change: IndexChange) => held.apply(change),

  /** Merges once where it is worth it. @returns what the searching thread is to be told; null: all is well as it is */
  mergeOnce({ keepFrom }: { readonly keepFrom: number }): SegmentSwap | null {
    for (const collectionId of held.collectionIds()) {
      const before = planMerge(held.sizesOf(collectionId))
      if (before === undefined) continue
      const dropped = new Set(held.droppable(collectionId, before, keepFrom))
      // Its removed documents may still be asked for: it is written anew later.
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
    const { position, segments, removed } = held.asChange()
    await saveSegments({ folder, snapshot: { historyId, position, segments, removed, unbuilt }, nowMs })
  },

  /**
   * Takes over what is saved, if it belongs to this database and does not know more than it.
   *
   * @returns null: it is not taken over
   */
  async load({ folder, historyIds, position }: SavedIndex): Promise<LoadedIndex | null> {
    const saved = await loadSegments(folder)
    if (saved === undefined || !historyIds.includes(saved.historyId) || saved.position > position) return null
    held = new HeldIndex()
    held.apply({ ...saved, keepFrom: saved.position, added: [], dropped: [] })
    return { position: saved.position, historyId: saved.historyId, unbuilt: saved.unbuilt }
  },

  /** All of it, for a searching thread that knows nothing. */
  everything: (_: null): IndexChange => held.asChange(),
  counts: (_: null) => held.counts(),
  collectionIds: (_: null) => held.collectionIds(),
  documentIds: (collectionId: number) => held.documentIds(collectionId),
  removedIds: (collectionId: number) => held.removedIds(collectionId),

  /** What there is to be written anew: the state that the position names. */
  segmentIds: (collectionId: number) => ({
    position: held.position,
    segmentIds: held.sizesOf(collectionId).map(({ segmentId }) => segmentId),
  }),

  /** Takes other segments for the same documents. */
  replace(swap: SegmentSwap) {
    const before = held.buffersOf(swap.collectionId, swap.before)
    held.swap(swap)
    letGoOf(before)
  },

  /** Begins a comparison: reads every segment of the collection as it lies in memory. */
  fingerprint(collectionId: number) {
    fingerprints = held.segmentsOf(collectionId).map(fingerprintsOf)
  },

  /** @returns ids of the documents of a segment that the collection held otherwise when the comparison began, or not at all */
  differing(buffer: SharedArrayBuffer): readonly number[] {
    const made = fingerprintsOf(openSegment(buffer))
    return made.documentIds().filter((id) => !fingerprints.some((each) => each.of(id) === made.of(id)))
  },

  forget(_: null) {
    held = new HeldIndex()
    fingerprints = []
  },
}
export type WriterWork = typeof work

answerQuestions(work)
