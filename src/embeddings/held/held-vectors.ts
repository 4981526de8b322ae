import { unitLength } from '../similarity.ts'
import { CodeMemory } from './code-memory.ts'
import { Fingerprints, type VectorsFingerprint } from './fingerprint-vectors.ts'
import { type Candidate, Nearest } from './nearest.ts'
import { Shelf, type StoredVectors } from './shelf.ts'
import { roundQuery } from './whole-numbers.ts'

export interface VectorSearch {
  readonly vector: Float32Array
  /** The number of candidates. */
  readonly k: number
  readonly collectionIds: readonly number[]
  /** Ids of the documents that may be found, ascending; null: all. */
  readonly allowed: Float64Array | null
}

/**
 * The vectors of one model in memory, rounded to a byte for each dimension: a quarter of their size. A search compares each of them with
 * the query's, and returns bounds of the similarities. The exact vectors are in the database: the caller compares those of the few
 * chunks that can be the nearest (docs/decisions/0035).
 */
export class HeldVectors {
  readonly #shelves = new Map<number, Shelf>()
  readonly #memory = new CodeMemory()

  add(vectors: readonly StoredVectors[], length: number): void {
    for (const each of vectors) {
      // Vectors given by callers come one per row, with the length of their collection.
      const shelf =
        this.#shelves.get(each.collectionId) ?? new Shelf(length || each.buffer.byteLength / 4, this.#memory)
      this.#shelves.set(each.collectionId, shelf)
      shelf.add(each)
    }
  }

  forget(documentIds: readonly number[], collectionIds: readonly number[]): void {
    for (const id of collectionIds) {
      this.#shelves.get(id)?.forgetAll()
      this.#shelves.delete(id)
    }
    const gone = new Set(documentIds)
    for (const [id, shelf] of this.#shelves) {
      shelf.forget(gone)
      if (shelf.count === 0) this.#shelves.delete(id)
    }
  }

  /** Of documents as they are searched; null: of all. */
  fingerprints(documentIds: ReadonlySet<number> | null): readonly VectorsFingerprint[] {
    const found = new Fingerprints()
    for (const [collectionId, shelf] of this.#shelves) shelf.addTo(found, collectionId, documentIds)
    return found.all()
  }

  /** The k chunks whose similarity to the query has the highest upper bounds, the highest first. */
  search({ vector, k, collectionIds, allowed }: VectorSearch): readonly Candidate[] {
    const query = roundQuery(unitLength(vector))
    for (const region of this.#memory.regions) region.setQuery(query.numbers as Int16Array)
    const best = new Nearest(k)
    for (const id of collectionIds) {
      const shelf = this.#shelves.get(id)
      if (shelf?.length === vector.length) shelf.offerAll(query, allowed, best)
    }
    return best.inOrder()
  }

  count(): number {
    return [...this.#shelves.values()].reduce((sum, { count }) => sum + count, 0)
  }
}
