import { randomUUID } from 'node:crypto'
import type { MoveRequest } from '../search-engine.ts'
import { mergeSegments } from '../segments/merge-segments.ts'
import { removedShare } from '../segments/plan-merge.ts'
import { openSegment, type Segment } from '../segments/segment.ts'
import type { SegmentSwap } from '../segments/segment-set.ts'
import type { WriterIndex } from '../segments/writer-index.ts'
import { movedSegment, wholeSegment } from './chunk-rows.ts'
import type { ChunkTables } from './chunk-tables.ts'

/**
 * Moves the postings of a large segment into a table, or writes a table anew without the many removed documents of its segment. Other
 * changes may be applied meanwhile: a segment does not change, and removals are taken over by the swap.
 *
 * @returns null: no segment has to be moved
 */
export async function moveOnce(
  held: WriterIndex,
  tables: ChunkTables,
  { collectionIds, minChunks, keepFrom }: MoveRequest,
): Promise<SegmentSwap | null> {
  for (const collectionId of collectionIds)
    for (const { segmentId, chunks, removedChunks, isMoved } of held.sizesOf(collectionId)) {
      const isWorn = removedChunks > 0 && removedChunks >= chunks * removedShare
      const dropped = new Set(isWorn ? held.droppable(collectionId, [segmentId], keepFrom) : [])
      // Its removed documents may still be searched: it is written later.
      if (isMoved ? dropped.size === 0 : chunks < minChunks) continue
      const [buffer] = held.buffersOf(collectionId, [segmentId])
      if (buffer === undefined) continue
      const before = openSegment(buffer)
      const whole = isMoved ? await wholeSegment(before, tables.all(before.table, before.chunkCount)) : before
      const kept = dropped.size === 0 ? whole : mergeSegments([whole], dropped)
      const after = await movedIfLarge(kept, tables, minChunks)
      return {
        collectionId,
        before: [segmentId],
        after: [{ collectionId, segmentId: randomUUID(), buffer: after.buffer }],
        at: null,
      }
    }
  return null
}

async function movedIfLarge(segment: Segment, tables: ChunkTables, minChunks: number): Promise<Segment> {
  return segment.chunkCount < minChunks ? segment : movedSegment(segment, await tables.write(segment))
}
