import { workerData } from 'node:worker_threads'
import { serveCalls } from '../../processes/worker-thread.ts'
import type { StoredVectors } from './collection-vectors.ts'
import { Fingerprints, type VectorsFingerprint } from './fingerprint-vectors.ts'
import { packCandidates } from './pack-candidates.ts'
import { roundToBytes, strideOf } from './round-to-bytes.ts'
import { LostVectors } from './vector-file.ts'
import { type VectorSearch, VectorsInMemory, type VectorsInMemoryOptions } from './vectors-in-memory.ts'

let notInFile: string | null = null
const held = new VectorsInMemory(workerData as VectorsInMemoryOptions, (error) => {
  notInFile = String(error)
})

export interface VectorsToAdd {
  readonly vectors: readonly StoredVectors[]
  /** Dimensions of a vector. */
  readonly length: number
  /** Documents whose first vectors these are: their current vectors are replaced. */
  readonly begun: readonly number[]
}

const work = {
  /** @returns why vectors that belong into the file take memory instead, once; null: they do not */
  add: ({ vectors, length, begun }: VectorsToAdd): string | null => {
    held.forget(begun, [])
    held.add(vectors, length)
    const reason = notInFile
    notInFile = null
    return reason
  },
  forget: ({
    documentIds,
    collectionIds,
  }: {
    readonly documentIds: readonly number[]
    readonly collectionIds: readonly number[]
  }) => held.forget(documentIds, collectionIds),
  markRemoved: (documentIds: readonly number[]) => held.markRemoved(documentIds),
  documentIds: () => held.documentIds(),
  search: (search: VectorSearch) => packCandidates(held.search(search)),
  /** null: of all vectors in memory. */
  fingerprints: (documentIds: readonly number[] | null): readonly VectorsFingerprint[] =>
    held.fingerprints(documentIds === null ? null : new Set(documentIds)),
  /** The fingerprints after adding these vectors: vectors of complete documents. */
  fingerprintsOf: ({ vectors, length }: Pick<VectorsToAdd, 'vectors' | 'length'>): readonly VectorsFingerprint[] =>
    fingerprintsOfStored(vectors, length),
}
export type VectorWork = typeof work

serveCalls(endingIfLost(work))

/** Without its vectors the thread ends, and does not respond: the next one reads them from the database again. */
function endingIfLost(all: Parameters<typeof serveCalls>[0]): typeof all {
  let isLost = false
  const guarded =
    (run: (input: unknown) => unknown) =>
    (input: unknown): unknown => {
      // Calls that were sent before the thread ended: the work that failed may have been done in part.
      if (isLost) return new Promise(() => undefined)
      try {
        return run(input)
      } catch (error) {
        if (!(error instanceof LostVectors)) throw error
        isLost = true
        setImmediate(() => {
          throw error
        })
        return new Promise(() => undefined)
      }
    }
  return Object.fromEntries(Object.entries(all).map(([kind, run]) => [kind, guarded(run)]))
}

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
