import type { SearchEngine } from '../../search-engine/search-engine.ts'
import type { NewSegment, SegmentSwap } from '../../search-engine/segments/index-change.ts'
import { openSegment } from '../../search-engine/segments/segment.ts'
import type { SegmentManifest } from '../store/segment-manifests.ts'
import { buildSegments } from './build-segments.ts'
import type { InitialBuild, UnbuiltCollection } from './initial-build.ts'
import { type CountedDocument, documentPages, readNextDocuments } from './read-collection.ts'
import type { StoredSegments } from './stored-segments.ts'
import type { ComparedIndex } from './verify-index.ts'

/** Documents of a collection that are not in the index yet. */
export interface BuildStep {
  readonly swap: SegmentSwap
  /** A page of the collection; empty: the whole collection is built. */
  readonly page: readonly CountedDocument[]
  readonly chunks: number
}

export interface BuildSource extends ComparedIndex {
  readonly stored: StoredSegments
}

/**
 * Builds the whole collection if there are stored segments of it, otherwise the next page of its documents.
 *
 * @param at sequence number of the change log as of which documents are read
 */
export async function buildStep(source: BuildSource, unbuilt: UnbuiltCollection, at: number): Promise<BuildStep> {
  const manifest = source.stored.manifestOf(unbuilt)
  const whole = manifest === undefined ? null : await takeStored(source, unbuilt, { manifest, at })
  if (whole !== null) return whole
  const { collectionId } = unbuilt
  const page = await readNextDocuments(source.database, unbuilt, at)
  const after = await segmentsOf(source, collectionId, page)
  return { swap: { collectionId, before: [], after, at }, page, chunks: chunksOf(after) }
}

/**
 * Stored segments, compared with the database: documents that they lack are built, and those that do not exist are hidden.
 * An id identifies one version of a document for ever, so only ids are compared.
 *
 * @returns null: none could be read
 */
export async function takeStored(
  source: BuildSource,
  { collectionId, upTo }: UnbuiltCollection,
  { manifest, at }: { readonly manifest: SegmentManifest; readonly at: number },
): Promise<BuildStep | null> {
  const fetched = await source.stored.fetch(manifest, source.next)
  if (fetched.length === 0) return null
  const absent = new Set(fetched.flatMap(({ buffer }) => [...openSegment(buffer).documentIds]))
  const missing: CountedDocument[] = []
  for await (const { ids, addedAt, chunkCounts } of documentPages(source.database, collectionId, at)) {
    source.next()
    for (const [place, id] of ids.entries()) {
      const isFetched = absent.delete(id)
      // Later documents reach the index through the change log.
      if (!isFetched && (addedAt[place] ?? 0) <= upTo) missing.push({ id, chunkCount: chunkCounts[place] ?? 0 })
    }
  }
  const after = [...fetched, ...(await segmentsOf(source, collectionId, missing))]
  return { swap: { collectionId, before: [], after, at, absent: [...absent] }, page: [], chunks: chunksOf(after) }
}

async function segmentsOf(
  source: BuildSource,
  collectionId: number,
  documents: readonly CountedDocument[],
): Promise<readonly NewSegment[]> {
  const segments: NewSegment[] = []
  for await (const { segment } of buildSegments(source, collectionId, documents)) {
    source.next()
    segments.push(segment)
  }
  return segments
}

function chunksOf(segments: readonly NewSegment[]): number {
  return segments.reduce((sum, { buffer }) => sum + openSegment(buffer).chunkCount, 0)
}

/** Restarts the build: the change log does not say what happened to documents of collections that were being built. */
export async function restartBuild(engine: SearchEngine, initial: InitialBuild, position: number): Promise<void> {
  for (const unbuilt of initial.left) {
    const { collectionId } = unbuilt
    const { segmentIds } = await engine.segmentsOf(collectionId)
    const swapped = engine.replace({ collectionId, before: segmentIds, after: [], at: null })
    initial.replace(collectionId, { ...unbuilt, upTo: position, afterId: 0, done: 0 })
    await swapped
  }
}
