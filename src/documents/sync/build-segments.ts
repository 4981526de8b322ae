import { randomUUID } from 'node:crypto'
import type { Database } from '../../database/database.ts'
import type { Thread } from '../../processes/worker-thread.ts'
import type { NewSegment } from '../../search-engine/segments/live-segments.ts'
import type { BuildWork } from './build-thread.ts'
import { readTexts } from './read-changes.ts'
import { batchesOf, type CountedDocument } from './read-collection.ts'

/** Chunks whose texts are in memory at once. */
const chunksOfBatch = 2_000

export interface SegmentSource {
  readonly database: Database
  readonly building: Pick<Thread<BuildWork>, 'call'>
}

/** Segments of documents of one collection, each made when the one before is taken; with the number of documents in each. */
export async function* buildSegments(
  { database, building }: SegmentSource,
  collectionId: number,
  documents: Iterable<CountedDocument>,
): AsyncGenerator<{ readonly segment: NewSegment; readonly documents: number }> {
  for (const batch of batchesOf(documents, chunksOfBatch)) {
    const ids = batch.map(({ id }) => id)
    const buffer = await building.call('build', await readTexts(database, ids))
    yield { segment: { collectionId, segmentId: randomUUID(), buffer }, documents: batch.length }
  }
}
