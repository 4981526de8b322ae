/** A chunk whose similarity to the query lies between two bounds. */
export interface Candidate {
  readonly documentId: number
  readonly docId: string
  readonly chunkIndex: number
  /** The similarity is at most this. */
  readonly upper: number
  /** The similarity is at least this. */
  readonly lower: number
  /** A search by signs that compares half as many vectors would not have found it; absent: it would have. */
  readonly isMarginal?: boolean
}

/** The k candidates with the highest upper bounds so far; the lowest of them is at the top of a heap. */
export class Nearest {
  /** Candidates with a lower upper bound are rejected. */
  min = Number.NEGATIVE_INFINITY
  readonly #k: number
  readonly #heap: Candidate[] = []

  constructor(k: number) {
    this.#k = k
  }

  offer(candidate: Candidate): void {
    const heap = this.#heap
    if (heap.length < this.#k) {
      heap.push(candidate)
      this.#rise(heap.length - 1)
    } else if (compareCandidates(candidate, heap[0] as Candidate) < 0) {
      heap[0] = candidate
      this.#sink()
    }
    if (heap.length === this.#k) this.min = (heap[0] as Candidate).upper
  }

  inOrder(): readonly Candidate[] {
    return this.#heap.toSorted(compareCandidates)
  }

  #rise(from: number): void {
    const heap = this.#heap
    let at = from
    while (at > 0) {
      const above = (at - 1) >> 1
      if (compareCandidates(heap[above] as Candidate, heap[at] as Candidate) > 0) return
      this.#swap(at, above)
      at = above
    }
  }

  #sink(): void {
    const heap = this.#heap
    let at = 0
    for (;;) {
      const left = at * 2 + 1
      const right = left + 1
      let last = at
      if (left < heap.length && compareCandidates(heap[last] as Candidate, heap[left] as Candidate) < 0) last = left
      if (right < heap.length && compareCandidates(heap[last] as Candidate, heap[right] as Candidate) < 0) last = right
      if (last === at) return
      this.#swap(at, last)
      at = last
    }
  }

  #swap(one: number, other: number): void {
    const heap = this.#heap
    const held = heap[one] as Candidate
    heap[one] = heap[other] as Candidate
    heap[other] = held
  }
}

export function compareCandidates(one: Candidate, other: Candidate): number {
  return other.upper - one.upper || compareChunks(one, other)
}

/** A total order, so that a result does not depend on the order of the vectors in memory. */
export function compareChunks(
  one: Pick<Candidate, 'docId' | 'documentId' | 'chunkIndex'>,
  other: Pick<Candidate, 'docId' | 'documentId' | 'chunkIndex'>,
): number {
  return compareNames(one.docId, other.docId) || one.documentId - other.documentId || one.chunkIndex - other.chunkIndex
}

/** In byte order, like the lexical ranking and the database. */
function compareNames(one: string, other: string): number {
  return one === other ? 0 : Buffer.compare(Buffer.from(one), Buffer.from(other))
}
