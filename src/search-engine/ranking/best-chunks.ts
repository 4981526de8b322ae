import { compareRanges } from '../segments/compare-bytes.ts'
import { documentOfChunk, f64, type Segment, u32 } from '../segments/segment.ts'

export interface RankedChunk {
  readonly documentId: number
  readonly chunkIndex: number
  readonly score: number
  /** Probability that the chunk answers the query, from 0 to 1 (`RelevanceMeasure`). */
  readonly relevance: number
}

/** The k best chunks so far; the worst of them is at the top of a heap. */
export class BestChunks {
  /** Chunks with a lower score are rejected. */
  min = 0
  readonly k: number
  readonly #segments: readonly Segment[]
  #count = 0
  readonly #score: Float64Array
  readonly #part: Uint32Array
  readonly #chunk: Uint32Array

  constructor(segments: readonly Segment[], k: number) {
    this.k = k
    this.#segments = segments
    this.#score = new Float64Array(k)
    this.#part = new Uint32Array(k)
    this.#chunk = new Uint32Array(k)
  }

  offer(part: number, chunk: number, score: number): void {
    if (this.#count < this.#score.length) {
      this.#place(this.#count++, part, chunk, score)
      this.#rise(this.#count - 1)
    } else if (this.#isBetter(part, chunk, score, 0)) {
      this.#place(0, part, chunk, score)
      this.#sink()
    } else return
    if (this.#count === this.#score.length) this.min = f64(this.#score, 0)
  }

  /** @param relevanceOf computes the relevance of a chunk of a segment */
  inOrder(relevanceOf: (segment: Segment, chunk: number) => number): readonly RankedChunk[] {
    const places = Array.from({ length: this.#count }, (_, place) => place)
    return places
      .sort((x, y) => (this.#isBetterThan(x, y) ? -1 : 1))
      .map((place) => {
        const segment = this.#segmentAt(u32(this.#part, place))
        const chunk = u32(this.#chunk, place)
        const document = documentOfChunk(segment, chunk)
        return {
          documentId: f64(segment.documentIds, document),
          chunkIndex: chunk - u32(segment.firstChunk, document),
          score: f64(this.#score, place),
          relevance: relevanceOf(segment, chunk),
        }
      })
  }

  #place(place: number, part: number, chunk: number, score: number): void {
    this.#part[place] = part
    this.#chunk[place] = chunk
    this.#score[place] = score
  }

  #isBetterThan(x: number, y: number): boolean {
    return this.#isBetter(u32(this.#part, x), u32(this.#chunk, x), f64(this.#score, x), y)
  }

  #isBetter(part: number, chunk: number, score: number, than: number): boolean {
    const other = f64(this.#score, than)
    if (score !== other) return score > other
    return this.#compareNames(part, chunk, u32(this.#part, than), u32(this.#chunk, than)) < 0
  }

  /** By doc_id as bytes, then by document (two collections may contain the same doc_id), then by chunk. */
  #compareNames(part: number, chunk: number, otherPart: number, otherChunk: number): number {
    const one = this.#segmentAt(part)
    const other = this.#segmentAt(otherPart)
    const document = documentOfChunk(one, chunk)
    const otherDocument = documentOfChunk(other, otherChunk)
    return (
      compareDocIds(one, document, other, otherDocument) ||
      f64(one.documentIds, document) - f64(other.documentIds, otherDocument) ||
      chunk - otherChunk
    )
  }

  #segmentAt(part: number): Segment {
    return this.#segments[part] as Segment
  }

  #rise(from: number): void {
    let place = from
    while (place > 0) {
      const parent = (place - 1) >> 1
      if (!this.#isBetterThan(parent, place)) return
      this.#swap(parent, place)
      place = parent
    }
  }

  #sink(): void {
    let place = 0
    for (;;) {
      let worst = place
      for (const child of [place * 2 + 1, place * 2 + 2])
        if (child < this.#count && this.#isBetterThan(worst, child)) worst = child
      if (worst === place) return
      this.#swap(worst, place)
      place = worst
    }
  }

  #swap(x: number, y: number): void {
    const part = u32(this.#part, x)
    const chunk = u32(this.#chunk, x)
    const score = f64(this.#score, x)
    this.#place(x, u32(this.#part, y), u32(this.#chunk, y), f64(this.#score, y))
    this.#place(y, part, chunk, score)
  }
}

/** Very many chunks can have equal scores: no object is made for them. */
function compareDocIds(one: Segment, document: number, other: Segment, otherDocument: number): number {
  const { docIdBytes, docIdStart } = one
  return compareRanges(
    docIdBytes,
    u32(docIdStart, document),
    u32(docIdStart, document + 1),
    other.docIdBytes,
    u32(other.docIdStart, otherDocument),
    u32(other.docIdStart, otherDocument + 1),
  )
}
