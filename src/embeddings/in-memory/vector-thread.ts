import { workerData } from 'node:worker_threads'
import { serveCalls } from '../../processes/worker-thread.ts'
import type { StoredVectors } from './collection-vectors.ts'
import { Fingerprints, type VectorsFingerprint } from './fingerprint-vectors.ts'
import { roundToBytes, strideOf } from './round-to-bytes.ts'
import { type VectorSearch, VectorsInMemory, type VectorsInMemoryOptions } from './vectors-in-memory.ts'

const held = new VectorsInMemory(workerData as VectorsInMemoryOptions)

export interface VectorsToAdd {
  readonly vectors: readonly StoredVectors[]
  /** Dimensions of a vector. */
  readonly length: number
  /** Documents whose first vectors these are: their current vectors are replaced. */
  readonly begun: readonly number[]
}

const work = {
  add: ({ vectors, length, begun }: VectorsToAdd) => {
    held.forget(begun, [])
    held.add(vectors, length)
  },
  forget: ({
    documentIds,
    collectionIds,
  }: {
    readonly documentIds: readonly number[]
    readonly collectionIds: readonly number[]
  }) => held.forget(documentIds, collectionIds),
  markRemoved: (documentIds: readonly number[]) => held.markRemoved(documentIds),
  search: (search: VectorSearch) => held.search(search),
  /** null: of all vectors in memory. */
  fingerprints: (documentIds: readonly number[] | null): readonly VectorsFingerprint[] =>
    held.fingerprints(documentIds === null ? null : new Set(documentIds)),
  /** The fingerprints after adding these vectors: vectors of complete documents. */
  fingerprintsOf: ({ vectors, length }: Pick<VectorsToAdd, 'vectors' | 'length'>): readonly VectorsFingerprint[] =>
    fingerprintsOfStored(vectors, length),
}
export type VectorWork = typeof work

serveCalls(work)

function fingerprintsOfStored(vectors: readonly StoredVectors[], length: number): readonly VectorsFingerprint[] {
  const found = new Fingerprints()
  for (const { collectionId, documentId, firstChunk, numbers } of vectors) {
    const each = length || numbers.length
    const codes = new Int8Array(strideOf(each))
    for (let at = 0; (at + 1) * each <= numbers.length; at++) {
      const { scale } = roundToBytes(numbers.subarray(at * each, (at + 1) * each), codes)
      found.add(collectionId, documentId, firstChunk + at, codes, scale)
    }
  }
  return found.all()
}
