import type { IndexProgress } from '../../kernel/progress.ts'
import type { NewSegment, SegmentSwap } from '../../search-engine/segments/index-change.ts'
import { buildSegments } from './build-segments.ts'
import { eachOf, readCollectionDocuments } from './read-collection.ts'
import type { ComparedIndex } from './verify-index.ts'

/**
 * Rebuilds the segments of a collection from its texts while the old ones serve searches and follow changes. No merge
 * may run meanwhile, and the state at which it begins must stay searchable.
 *
 * @returns the segments, to be swapped in when no search needs earlier states any more
 */
export async function rebuildCollection(
  source: ComparedIndex,
  collectionId: number,
  onProgress: (progress: IndexProgress) => void,
): Promise<SegmentSwap> {
  const { database, engine, next } = source
  const { position, segmentIds } = await engine.segmentsOf(collectionId)
  const there = await readCollectionDocuments(database, collectionId, position)
  const after: NewSegment[] = []
  let documents = 0
  for await (const { segment, documents: count } of buildSegments(source, collectionId, eachOf(there))) {
    next()
    after.push(segment)
    documents += count
    onProgress({ documents, of: there.ids.length })
  }
  return { collectionId, before: segmentIds, after, at: position }
}
