import { type Segment, u8, u32 } from './segment.ts'
import { compareTerms } from './sorted-terms.ts'

/** Terms of one segment, ascending; the first is the next one. */
interface TermQueue {
  readonly part: number
  readonly segment: Segment
  next: number
  /** `keyOf` the next term. */
  key: number
}

/** Bytes of a key: as many as a number has room for. */
const keyBytes = 6

/**
 * Merges the terms of several segments into one order. Equal terms are adjacent.
 *
 * @param take is called with the number of the segment, the ordinal there, and whether the previous term was equal
 */
export function mergeTerms(
  segments: readonly Segment[],
  isKept: (part: number, term: number) => boolean,
  take: (part: number, term: number, isSame: boolean) => void,
): void {
  const heap = segments
    .map((segment, part) => ({ part, segment, next: -1, key: 0 }))
    .filter((queue) => advance(queue, isKept))
    .sort(compareQueues)
  let segment: Segment | null = null
  let term = 0
  let key = -1
  for (let first = heap[0]; first !== undefined; first = heap[0]) {
    const isSame = key === first.key && segment !== null && compareTerms(segment, term, first.segment, first.next) === 0
    take(first.part, first.next, isSame)
    segment = first.segment
    term = first.next
    key = first.key
    if (!advance(first, isKept)) {
      const spare = heap.pop()
      if (spare !== undefined && spare !== first) heap[0] = spare
    }
    siftDown(heap)
  }
}

function advance(queue: TermQueue, isKept: (part: number, term: number) => boolean): boolean {
  do queue.next++
  while (queue.next < queue.segment.termCount && !isKept(queue.part, queue.next))
  if (queue.next >= queue.segment.termCount) return false
  queue.key = keyOf(queue.segment, queue.next)
  return true
}

/** The first bytes of a term as one number, followed by zeros: most comparisons are decided by it, without looking up the terms again. */
function keyOf({ termStart, termBytes }: Segment, term: number): number {
  const from = u32(termStart, term)
  const to = Math.min(u32(termStart, term + 1), from + keyBytes)
  let key = 0
  for (let at = from; at < to; at++) key = key * 0x1_00 + u8(termBytes, at)
  return to < from + keyBytes ? key * 0x1_00 ** (from + keyBytes - to) : key
}

function compareQueues(one: TermQueue, other: TermQueue): number {
  if (one.key !== other.key) return one.key - other.key
  return compareTerms(one.segment, one.next, other.segment, other.next) || one.part - other.part
}

/** Restores the heap order: the first queue may be too high. */
function siftDown(heap: TermQueue[]): void {
  for (let at = 0; ; ) {
    const min = smallestOf(heap, at)
    if (min === at) return
    const moved = heap[at] as TermQueue
    heap[at] = heap[min] as TermQueue
    heap[min] = moved
    at = min
  }
}

function smallestOf(heap: readonly TermQueue[], at: number): number {
  let min = at
  for (let child = 2 * at + 1; child <= 2 * at + 2; child++)
    if (child < heap.length && compareQueues(heap[child] as TermQueue, heap[min] as TermQueue) < 0) min = child
  return min
}
