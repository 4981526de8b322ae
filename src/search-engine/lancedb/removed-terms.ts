import { postingsWith, type Segment, u32 } from '../segments/segment.ts'

/**
 * The terms of removed documents of a segment whose postings are in a table. The segment counts chunks with each term; those of
 * removed documents are subtracted, so that the counts are those of a segment in memory. They are read from the table after a removal.
 */
export class RemovedTerms {
  readonly #segment: Segment
  /** By document: the terms of each of its chunks, one after the other. Restored documents stay known. */
  readonly #terms = new Map<number, Uint32Array>()
  /** Removed documents whose terms are not known yet. */
  readonly #unknown = new Set<number>()
  #counts: Uint32Array | undefined

  constructor(segment: Segment) {
    this.#segment = segment
  }

  /** Ordinals of the documents to `learn` for the present state. */
  get unknown(): readonly number[] {
    return [...this.#unknown]
  }

  /** @param document its ordinal in the segment */
  setRemoved(document: number, isRemoved: boolean): void {
    const terms = this.#terms.get(document)
    if (terms !== undefined) this.#count(terms, isRemoved ? 1 : -1)
    else if (isRemoved) this.#unknown.add(document)
    else this.#unknown.delete(document)
  }

  learn(document: number, terms: Uint32Array): void {
    if (this.#terms.has(document)) return
    this.#terms.set(document, terms)
    if (this.#unknown.delete(document)) this.#count(terms, 1)
  }

  /** Chunks of documents that are not removed. */
  chunksWith(ordinal: number): number {
    return postingsWith(this.#segment, ordinal) - (this.#counts?.[ordinal] ?? 0)
  }

  #count(terms: Uint32Array, by: 1 | -1): void {
    this.#counts ??= new Uint32Array(this.#segment.termCount)
    for (const term of terms) this.#counts[term] = u32(this.#counts, term) + by
  }
}

/** A segment whose postings are in a table, and what a search has to read there. */
export interface TablePart {
  readonly segment: Segment
  readonly removed: RemovedTerms
  /** Ordinals of documents that are removed in the state of the search, and have to be learned. */
  readonly unknown: readonly number[]
  /** Of each term of the search, in the order of the query; -1: the segment does not contain it. */
  readonly byTerm: readonly number[]
  /** Terms to look up, ascending. */
  readonly ordinals: readonly number[]
}

/** The collection became one of which callers see different parts: what they see has to be counted in postings in memory. */
export class MovedSegmentError extends Error {
  override readonly name = 'MovedSegmentError'

  constructor() {
    super('the postings of a segment of a bound collection are in a table')
  }
}
