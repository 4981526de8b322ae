import type { IndexProgress } from '../../kernel/progress.ts'
import type { EngineContents } from '../../search-engine/search-engine.ts'
import { keepTerms, notKept } from '../store/kept-terms.ts'
import type { SegmentSource } from './build-segments.ts'
import {
  batchesOf,
  type CountedDocument,
  eachOf,
  readCollectionDocuments,
  readCollectionIds,
} from './read-collection.ts'
import { readTexts } from './read-document-changes.ts'

/** A document for which the index and the database differ. */
export interface IndexDifference {
  /**
   * `missing`: the document exists, and no search finds it. `left-over`: searches find it, and it does not exist.
   * `different`: its words in the index differ from its text. `incomplete`: the database lacks chunks of it.
   */
  readonly kind: 'missing' | 'left-over' | 'different' | 'incomplete'
  readonly collectionId: number
  /** As in docket_documents.document. */
  readonly documentId: number
}

export interface IndexCheck {
  /** The number of compared documents. */
  readonly documents: number
  readonly chunks: number
  /** The number of differences. */
  readonly differences: number
  /** The first differences. */
  readonly examples: readonly IndexDifference[]
}

/** What the comparison needs of the index. */
export interface ComparedIndex extends SegmentSource {
  readonly engine: EngineContents
  refresh(): Promise<void>
  /** @throws Error when the index is being closed: long work ends there */
  next(): void
}

const maxExamples = 1_000
const chunksOfBatch = 2_000

/**
 * Compares what searches find with the contents of the database: which documents, and every term of each. It may take
 * as long as building the index; loads and searches continue meanwhile, merges wait.
 */
export async function verifyIndex(
  index: ComparedIndex,
  onProgress: (progress: IndexProgress) => void,
): Promise<IndexCheck> {
  const collectionIds = new Set([...(await readCollectionIds(index.database)), ...(await index.engine.collectionIds())])
  let documents = 0
  let chunks = 0
  let of = 0
  const found: IndexDifference[] = []
  for (const collectionId of collectionIds) {
    const note = (kind: IndexDifference['kind']) => (documentId: number) =>
      found.push({ kind, collectionId, documentId })
    const compared = await compareIds(index, collectionId)
    compared.missing.forEach(note('missing'))
    compared.leftOver.forEach(note('left-over'))
    of += compared.there.ids.length
    await index.engine.fingerprint(collectionId)
    for (const batch of batchesOf(eachOf(compared.there), chunksOfBatch)) {
      index.next()
      const contents = await compareContents(index, batch)
      contents.different.filter((id) => !compared.missing.includes(id)).forEach(note('different'))
      contents.incomplete.forEach(note('incomplete'))
      documents += batch.length
      chunks += contents.chunks
      onProgress({ documents, of })
    }
  }
  return { documents, chunks, differences: found.length, examples: found.slice(0, maxExamples) }
}

/**
 * Reads the database before and after the index, and the index again for the remaining differences: documents that are
 * added or removed meanwhile are not differences.
 */
async function compareIds({ database, engine, refresh }: ComparedIndex, collectionId: number) {
  const before = await readCollectionDocuments(database, collectionId, null)
  await refresh()
  const indexed = await engine.foundIds(collectionId)
  const after = await readCollectionDocuments(database, collectionId, null)
  const there = setOf(after.ids)
  const isIndexed = setOf(indexed)
  const suspects = indexed.filter((id) => !there.has(id))
  await refresh()
  const still = suspects.length === 0 ? new Set<number>() : setOf(await engine.foundIds(collectionId))
  const stayed = [...before.ids.keys()].filter((at) => there.has(before.ids[at] ?? 0))
  return {
    missing: [...before.ids].filter((id) => there.has(id) && !isIndexed.has(id)),
    leftOver: [...suspects].filter((id) => still.has(id)),
    there: {
      ids: Float64Array.from(stayed, (at) => before.ids[at] ?? 0),
      chunkCounts: Float64Array.from(stayed, (at) => before.chunkCounts[at] ?? 0),
    },
  }
}

const setOf = (ids: Float64Array): ReadonlySet<number> => new Set(ids)

/** Terms that are stored differently than the texts say are stored again: a rebuilt index must not repeat the difference. */
async function compareContents(
  { database, engine, building, onError }: ComparedIndex,
  batch: readonly CountedDocument[],
) {
  const chunkCounts = new Map(batch.map(({ id, chunkCount }) => [id, chunkCount]))
  const texts = await readTexts(database, [...chunkCounts.keys()])
  const { buffer, terms } = await building.call('build', texts)
  await keepTerms(database, await notKept(database, terms)).catch(onError)
  return {
    chunks: texts.reduce((sum, { chunks }) => sum + chunks.length, 0),
    different: await engine.differing(buffer),
    incomplete: texts.filter(({ id, chunks }) => chunks.length !== chunkCounts.get(id)).map(({ id }) => id),
  }
}
