import { type Segment, u8, u32 } from '../segments/segment.ts'
import { findTerm } from '../segments/sorted-terms.ts'
import { chunksOfBitmap, isBitmap } from '../segments/stop-word-bitmaps.ts'

/** How often chunks contain loose terms. Each term is read once for all chunks of a segment. */
export class LooseTimes {
  readonly #bySegment = new Map<Segment, Map<string, Uint8Array>>()

  of(term: string, segment: Segment, chunk: number): number {
    const known = this.#bySegment.get(segment) ?? new Map<string, Uint8Array>()
    this.#bySegment.set(segment, known)
    const times = known.get(term) ?? timesOf(term, segment)
    known.set(term, times)
    return u8(times, chunk)
  }
}

/** Indexed by chunk. */
function timesOf(term: string, segment: Segment): Uint8Array {
  const { chunkCount, postingStart, postings } = segment
  const times = new Uint8Array(chunkCount)
  const ordinal = findTerm(segment, Buffer.from(term))
  if (ordinal < 0) return times
  if (isBitmap(segment, ordinal)) for (const chunk of chunksOfBitmap(segment, ordinal)) times[chunk] = 1
  else
    for (let place = u32(postingStart, ordinal); place < u32(postingStart, ordinal + 1); place++)
      times[u32(postings, place) >>> 8] = u32(postings, place) & 255
  return times
}
