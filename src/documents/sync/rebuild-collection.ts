import { randomUUID } from 'node:crypto'
import type { IndexProgress } from '../../kernel/progress.ts'
import type { NewSegment } from '../../search-engine/segments/live-segments.ts'
import { readTexts } from './read-changes.ts'
import { batchesOf, eachOf, readCollectionDocuments } from './read-collection.ts'
import type { ComparedIndex } from './verify-index.ts'

const chunksOfBatch = 2_000

/**
 * Makes the segments of a collection anew from its texts, while the old ones answer and follow what happens meanwhile; then
 * takes them all at once. No merge may run meanwhile, and the state that it begins at must stay searchable.
 *
 * @param beforeSwap waits until nobody asks for states before a position of the change log any more
 */
export async function rebuildCollection(
  { database, threads, building, goOn }: ComparedIndex,
  collectionId: number,
  beforeSwap: (position: number) => Promise<void>,
  onProgress: (progress: IndexProgress) => void,
): Promise<void> {
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
  await beforeSwap(position)
  await threads.replace({ collectionId, before: segmentIds, after, at: position })
}
