import { randomUUID } from 'node:crypto'
import type { Database } from '../../database/database.ts'
import type { Thread } from '../../processes/worker-thread.ts'
import type { NewSegment } from '../../search-engine/segments/index-change.ts'
import type { StoredTerms } from '../../search-engine/segments/stored-terms.ts'
import { keepTerms, readTerms } from '../store/kept-terms.ts'
import type { BuildWork } from './build-thread.ts'
import { batchesOf, type CountedDocument } from './read-collection.ts'
import { readTexts } from './read-document-changes.ts'

/** Chunks whose terms are in memory at once, in two copies. */
const chunksOfBatch = 10_000
/** Chunks whose texts are in memory at once. */
const chunksOfTexts = 2_000

export interface SegmentSource {
  readonly database: Database
  readonly building: Pick<Thread<BuildWork>, 'call'>
  readonly onError: (error: unknown) => void
}

/** A segment with the number of its documents. */
interface BuiltSegment {
  readonly segment: NewSegment
  readonly documents: number
}

/**
 * Segments of documents of one collection; each is built when the previous one is taken. Uses stored terms where there
 * are some, and the texts of the other documents, whose terms are then stored.
 */
export async function* buildSegments(
  source: SegmentSource,
  collectionId: number,
  documents: Iterable<CountedDocument>,
): AsyncGenerator<BuiltSegment> {
  const segmentOf = (buffer: SharedArrayBuffer) => ({ collectionId, segmentId: randomUUID(), buffer })
  for await (const { batch, kept } of batchesWithTerms(source.database, documents)) {
    const isMissing = new Set(batch.map(({ id }) => id))
    if (kept.documentIds.length > 0) {
      const { buffer, taken } = await source.building.call('merge', kept)
      for (const id of taken) isMissing.delete(id)
      reportDamaged(source, kept, taken)
      if (taken.length > 0) yield { segment: segmentOf(buffer), documents: taken.length }
    }
    const missing = batch.filter(({ id }) => isMissing.has(id))
    for (const part of batchesOf(missing, chunksOfTexts)) {
      const ids = part.map(({ id }) => id)
      const { buffer, terms } = await source.building.call('build', await readTexts(source.database, ids))
      yield { segment: segmentOf(buffer), documents: part.length }
      // If they cannot be written, they are computed again the next time.
      await keepTerms(source.database, terms).catch(source.onError)
    }
  }
}

interface TermsOfBatch {
  readonly batch: readonly CountedDocument[]
  readonly kept: StoredTerms
}

/** Reads the next terms while a segment is built from the previous ones. */
async function* batchesWithTerms(
  database: Database,
  documents: Iterable<CountedDocument>,
): AsyncGenerator<TermsOfBatch> {
  let next: Promise<TermsOfBatch> | undefined
  for (const batch of batchesOf(documents, chunksOfBatch)) {
    const before = next
    next = readBatch(database, batch)
    // A consumer that stopped early must not cause an unhandled rejection.
    next.catch(() => undefined)
    if (before !== undefined) yield await before
  }
  if (next !== undefined) yield await next
}

async function readBatch(database: Database, batch: readonly CountedDocument[]): Promise<TermsOfBatch> {
  return {
    batch,
    kept: await readTerms(
      database,
      batch.map(({ id }) => id),
    ),
  }
}

function reportDamaged({ onError }: SegmentSource, { documentIds }: StoredTerms, taken: readonly number[]): void {
  if (taken.length === documentIds.length) return
  const isTaken = new Set(taken)
  const damaged = [...documentIds].filter((id) => !isTaken.has(id))
  onError(
    new Error(
      `docket_documents.document_terms: the terms of ${damaged.length} documents are damaged (document_id ${damaged.slice(0, 10).join(', ')}); they are made again from their texts`,
    ),
  )
}
