import { randomUUID } from 'node:crypto'
import type { IndexProgress } from '../../kernel/progress.ts'
import type { NewSegment, SegmentSwap } from '../../search-engine/segments/live-segments.ts'
import { readTexts } from './read-changes.ts'
import { batchesOf, eachOf, readCollectionDocuments } from './read-collection.ts'
import type { ComparedIndex } from './verify-index.ts'

const chunksOfBatch = 2_000

/**
 * Makes the segments of a collection anew from its texts, while the old ones answer and follow what happens meanwhile. No merge may
 * run meanwhile, and the state that it begins at must stay searchable.
 *
 * @returns the segments, to be swapped in when nobody asks for states before theirs any more
 */
export async function rebuildCollection(
  { database, threads, building, goOn }: ComparedIndex,
  collectionId: number,
  onProgress: (progress: IndexProgress) => void,
): Promise<SegmentSwap> {
  const { position, segmentIds } = await threads.keeping.ask('segmentIds', collectionId)
  const there = await readCollectionDocuments(database, collectionId, position)
  const after: NewSegment[] = []
  let documents = 0
  for (const batch of batchesOf(eachOf(there), chunksOfBatch)) {
    goOn()
    const texts = await readTexts(
      database,
      batch.map(({ id }) => id),
    )
    after.push({ collectionId, segmentId: randomUUID(), buffer: await building.ask('build', texts) })
    documents += batch.length
    onProgress({ documents, of: there.ids.length })
  }
  return { collectionId, before: segmentIds, after, at: position }
}
