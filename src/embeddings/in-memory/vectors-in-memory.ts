import { type CollectionMemory, CollectionVectors, type StoredVectors } from './collection-vectors.ts'
import { Fingerprints, type VectorsFingerprint } from './fingerprint-vectors.ts'
import { type Candidate, Nearest } from './nearest-candidates.ts'
import { roundQuery, signBytesOf, signsOf } from './round-to-bytes.ts'
import { RoundedBlocks, type VectorsInFile } from './rounded-blocks.ts'
import { openSignBlocks } from './vector-signs.ts'

export interface VectorSearch {
  readonly vector: Float32Array
  /** The number of candidates. */
  readonly k: number
  /** How many of the nearest an approximate search does not miss for cheapness; absent: all candidates. */
  readonly complete?: number
  readonly collectionIds: readonly number[]
  /** Ids of the documents that may be found, ascending; null: all. */
  readonly allowed: Float64Array | null
  /** Whether large collections may be searched by signs: the caller sees all searched collections whole. */
  readonly mayApproximate: boolean
}

export interface FoundCandidates {
  /** Highest upper bounds first. */
  readonly candidates: readonly Candidate[]
  /** Whether vectors with higher bounds may be missing, and the bounds of large collections are only likely ones. */
  readonly isApproximate: boolean
  /** No chunk that is left out has a higher similarity; absent: none has a higher one than the last candidate. */
  readonly others?: number
  /** How many vectors the searched collections have. */
  readonly vectors: number
}

export interface VectorsInMemoryOptions {
  /** Smaller collections are searched exactly. */
  readonly minApproximate: number
  /** How many vectors a search by signs compares at least; absent: 2,000. */
  readonly minCompared?: number
  /** Absent: all vectors are in memory. */
  readonly inFile?: VectorsInFile
}

const defaultMinCompared = 2_000
const comparedPerCandidate = 10

/**
 * The vectors of one model in memory, rounded to a byte for each dimension: a quarter of their size. A search compares each of them with
 * the query's, and returns bounds of the similarities. The exact vectors are in the database: the caller compares those of the few
 * chunks that can be the nearest (docs/decisions/0036).
 */
export class VectorsInMemory {
  readonly #collections = new Map<number, CollectionVectors>()
  readonly #memory: CollectionMemory
  readonly #minCompared: number

  /** @param onFull called when the file has no place for vectors: they stay in memory */
  constructor(
    { minApproximate, minCompared = defaultMinCompared, inFile }: VectorsInMemoryOptions,
    onFull: (error: unknown) => void = () => undefined,
  ) {
    this.#minCompared = minCompared
    this.#memory = { codes: new RoundedBlocks(inFile ?? null, onFull), signs: openSignBlocks(), minApproximate }
  }

  add(vectors: readonly StoredVectors[], length: number): void {
    for (const each of vectors) {
      // Vectors given by callers come one per row, with the length of their collection.
      const collection =
        this.#collections.get(each.collectionId) ?? new CollectionVectors(length || each.numbers.length, this.#memory)
      this.#collections.set(each.collectionId, collection)
      collection.add(each)
    }
  }

  forget(documentIds: readonly number[], collectionIds: readonly number[]): void {
    for (const id of collectionIds) {
      this.#collections.get(id)?.forgetAll()
      this.#collections.delete(id)
    }
    const gone = new Set(documentIds)
    for (const [id, collection] of this.#collections) {
      collection.forget(gone)
      if (collection.count === 0) this.#collections.delete(id)
    }
  }

  /** Searches of an earlier state still find the vectors of these documents. */
  markRemoved(documentIds: readonly number[]): void {
    for (const collection of this.#collections.values()) collection.markRemoved(documentIds)
  }

  /** All that have vectors here. */
  documentIds(): readonly number[] {
    return [...this.#collections.values()].flatMap((collection) => [...collection.documentIds()])
  }

  /** Of documents as they are searched; null: of all. */
  fingerprints(documentIds: ReadonlySet<number> | null): readonly VectorsFingerprint[] {
    const found = new Fingerprints()
    for (const [collectionId, collection] of this.#collections) collection.addTo(found, collectionId, documentIds)
    return found.all()
  }

  /** The k chunks whose similarity to the query has the highest upper bounds. */
  search({ vector, k, complete = k, collectionIds, allowed, mayApproximate }: VectorSearch): FoundCandidates {
    const query = roundQuery(vector)
    this.#setQuery(query.numbers, vector.length)
    const best = new Nearest(k)
    const min = Math.max(this.#minCompared, k * comparedPerCandidate)
    let [isApproximate, vectors] = [false, 0]
    for (const id of collectionIds) {
      const collection = this.#collections.get(id)
      if (collection?.length !== vector.length) continue
      vectors += collection.count
      if (!mayApproximate) collection.offerAll(query, allowed, best)
      else if (collection.offerSimilar(query, allowed, best, { min, complete })) isApproximate = true
    }
    return { candidates: best.inOrder(), isApproximate, vectors }
  }

  #setQuery(numbers: Int16Array, dimensions: number): void {
    const signs = new Uint8Array(signBytesOf(dimensions))
    signsOf(numbers, signs)
    for (const region of this.#memory.codes.regions) region.setQuery(numbers)
    for (const region of this.#memory.signs.regions) region.setQuerySigns(signs)
  }

  close(): void {
    this.#memory.codes.close()
  }

  count(): number {
    return [...this.#collections.values()].reduce((sum, { count }) => sum + count, 0)
  }
}
