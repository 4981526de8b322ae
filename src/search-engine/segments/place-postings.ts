import { type Segment, u32 } from './segment.ts'
import { isBitmap, setBit } from './stop-word-bitmaps.ts'

/**
 * A counting sort by term; the chunks of a term stay in order.
 *
 * @param sizes for each term: the number of its chunks, or the words of its bitmap
 * @param entryTerm for each term of each chunk, chunks ascending; `entry`: its posting
 */
export function placePostings(segment: Segment, sizes: Uint32Array, entryTerm: Uint32Array, entry: Uint32Array): void {
  const { postingStart, postings } = segment
  for (let term = 0; term < segment.termCount; term++)
    postingStart[term + 1] = u32(postingStart, term) + u32(sizes, term)
  const next = postingStart.slice()
  for (let at = 0; at < entry.length; at++) {
    const term = u32(entryTerm, at)
    if (isBitmap(segment, term)) {
      setBit(segment, term, u32(entry, at) >>> 8)
      continue
    }
    const place = u32(next, term)
    postings[place] = u32(entry, at)
    next[term] = place + 1
  }
}
