import type { Segment } from './segment.ts'
import { compareTerms } from './sorted-terms.ts'

/** Terms of one segment, ascending; the first is the next one. */
interface TermQueue {
  readonly part: number
  readonly segment: Segment
  next: number
}

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
    .map((segment, part) => ({ part, segment, next: -1 }))
    .filter((queue) => advance(queue, isKept))
    .sort(compareQueues)
  let last: { readonly segment: Segment; readonly term: number } | null = null
  for (let first = heap[0]; first !== undefined; first = heap[0]) {
    const { part, segment, next } = first
    take(part, next, last !== null && compareTerms(last.segment, last.term, segment, next) === 0)
    last = { segment, term: next }
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
  return queue.next < queue.segment.termCount
}

function compareQueues(one: TermQueue, other: TermQueue): number {
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
  for (const child of [2 * at + 1, 2 * at + 2])
    if (child < heap.length && compareQueues(heap[child] as TermQueue, heap[min] as TermQueue) < 0) min = child
  return min
}
