import type { Database } from '../database/database.ts'
import type { IndexProgress } from '../kernel/progress.ts'
import type { Thread } from '../processes/worker-thread.ts'
import type { VectorsFingerprint } from './in-memory/fingerprint-vectors.ts'
import type { VectorWork } from './in-memory/vector-thread.ts'
import { readModelState } from './store/models.ts'
import { readHoldable, readWholeAmong, readWholeDocuments, type WholeDocument } from './store/read-vectors.ts'
import { storedVectors } from './store/stored-vectors.ts'

/** A document whose vectors in memory differ from those in the database. */
export interface VectorDifference {
  /**
   * `missing`: it has vectors, and no vector search finds it. `left-over`: searches find it, and it does not exist.
   * `different`: the searched vectors differ from the stored ones.
   */
  readonly kind: 'missing' | 'left-over' | 'different'
  /** As in docket_documents.document. */
  readonly documentId: number
}

export interface VectorCheck {
  /** The number of compared documents: complete ones. */
  readonly documents: number
  readonly vectors: number
  /** The number of differences. */
  readonly differences: number
  /** The first differences. */
  readonly examples: readonly VectorDifference[]
}

/** What the comparison needs of the vector index. */
export interface ComparedVectors {
  readonly database: Database
  readonly modelId: number
  readonly thread: Pick<Thread<VectorWork>, 'call'>
  /**
   * Runs `work` when the index has followed to `position` and dropped removals up to the other sequence number, while it does
   * neither.
   */
  runExclusive(work: (state: VectorState) => Promise<void>): Promise<void>
  /** Adds vectors of complete documents, and replaces their current ones. */
  take(documents: readonly WholeDocument[], length: number): Promise<void>
}

interface VectorState {
  readonly position: number
  /** Sequence number of the change log: removals up to here are not in memory any more. */
  readonly forgottenPosition: number
}

export const maxExamples = 1_000
/** Documents that are checked again in one step. */
export const suspectsAtOnce = 1_000

/**
 * First compares everything in the background; then checks the differences again while the index does not change: documents
 * that are added or removed meanwhile are not differences.
 */
export async function compareVectors(
  parts: ComparedVectors,
  repairs: boolean,
  onProgress: (progress: IndexProgress) => void,
): Promise<VectorCheck> {
  let upTo = 0
  await parts.runExclusive(async ({ position }) => {
    upTo = position
  })
  const held = byDocument(await parts.thread.call('fingerprints', null))
  const suspects = new Set(held.keys())
  let vectors = 0
  let documents = 0
  for (let after = -1, isMore = true; isMore && after < upTo; ) {
    const whole = await readWholeDocuments(parts.database, parts.modelId, after, null)
    for (const { documentId, chunks, hash } of await fingerprintsOf(parts, whole.documents)) {
      const found = held.get(documentId)
      if (found?.chunks === chunks && found.hash === hash) suspects.delete(documentId)
      else suspects.add(documentId)
      vectors += chunks
    }
    documents += whole.documents.length
    onProgress({ documents, of: held.size })
    after = whole.reached
    isMore = whole.isMore
  }
  const found = await settle(parts, [...suspects], repairs)
  return { documents, vectors, differences: found.length, examples: found.slice(0, maxExamples) }
}

async function settle(
  parts: ComparedVectors,
  suspects: readonly number[],
  repairs: boolean,
): Promise<readonly VectorDifference[]> {
  const found: VectorDifference[] = []
  for (let from = 0; from < suspects.length; from += suspectsAtOnce) {
    const some = suspects.slice(from, from + suspectsAtOnce)
    await parts.runExclusive(async (state) => {
      const differences = await differencesAmong(parts, some, state)
      if (repairs) await repair(parts, differences, state)
      found.push(...(repairs ? await differencesAmong(parts, some, state) : differences))
    })
  }
  return found
}

async function differencesAmong(
  parts: ComparedVectors,
  documentIds: readonly number[],
  { position, forgottenPosition }: VectorState,
): Promise<readonly VectorDifference[]> {
  const { database, modelId, thread } = parts
  const whole = await readWholeAmong(database, modelId, position, documentIds)
  const stored = byDocument(await fingerprintsOf(parts, whole))
  const held = byDocument(await thread.call('fingerprints', documentIds))
  const mayBeHeld = await readHoldable(database, forgottenPosition, documentIds)
  return documentIds.flatMap((documentId): readonly VectorDifference[] => {
    const wanted = stored.get(documentId)
    const has = held.get(documentId)
    if (wanted === undefined)
      return has === undefined || mayBeHeld.has(documentId) ? [] : [{ kind: 'left-over', documentId }]
    if (has === undefined) return [{ kind: 'missing', documentId }]
    return has.chunks === wanted.chunks && has.hash === wanted.hash ? [] : [{ kind: 'different', documentId }]
  })
}

async function repair(
  { database, modelId, thread, take }: ComparedVectors,
  differences: readonly VectorDifference[],
  { position }: VectorState,
): Promise<void> {
  const leftOver = differences.filter(({ kind }) => kind === 'left-over').map(({ documentId }) => documentId)
  if (leftOver.length > 0) await thread.call('forget', { documentIds: leftOver, collectionIds: [] })
  const others = differences.filter(({ kind }) => kind !== 'left-over').map(({ documentId }) => documentId)
  const { vectorLength } = await readModelState(database, modelId)
  if (vectorLength !== null) await take(await readWholeAmong(database, modelId, position, others), vectorLength)
}

/** Fingerprints of the vectors in the database. */
async function fingerprintsOf(
  { database, modelId, thread }: ComparedVectors,
  whole: readonly WholeDocument[],
): Promise<readonly VectorsFingerprint[]> {
  const { vectorLength } = await readModelState(database, modelId)
  if (vectorLength === null || whole.length === 0) return []
  const found = new Map<number, { chunks: number; hash: number }>()
  for await (const vectors of storedVectors(database, modelId, whole, vectorLength))
    for (const { documentId, chunks, hash } of await thread.call('fingerprintsOf', { vectors, length: vectorLength })) {
      const before = found.get(documentId) ?? { chunks: 0, hash: 0 }
      found.set(documentId, { chunks: before.chunks + chunks, hash: (before.hash + hash) | 0 })
    }
  return [...found].map(([documentId, { chunks, hash }]) => ({ documentId, chunks, hash }))
}

function byDocument(fingerprints: readonly VectorsFingerprint[]): ReadonlyMap<number, VectorsFingerprint> {
  return new Map(fingerprints.map((each) => [each.documentId, each]))
}
