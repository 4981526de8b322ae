import { LRUCache } from 'lru-cache'

/** Users see their own writes: their reads wait for no replica, and get no state before their last write. */
export interface RecentWrites {
  /** @returns a function to call when the response of the write was sent, or its connection is closed */
  begin(userId: string): () => void
  /** When the last write ended, by `performance.now()`; infinite while one is in progress. */
  lastMs(userId: string): number
}

export function recentWrites(): RecentWrites {
  const underWay = new Map<string, number>()
  // Longer than the maximum lag that can be configured.
  const ended = new LRUCache<string, number>({ max: 100_000, ttl: 120_000 })
  return {
    begin(userId) {
      underWay.set(userId, (underWay.get(userId) ?? 0) + 1)
      return () => {
        ended.set(userId, performance.now())
        const left = (underWay.get(userId) ?? 1) - 1
        if (left > 0) underWay.set(userId, left)
        else underWay.delete(userId)
      }
    },
    lastMs: (userId) => (underWay.has(userId) ? Number.POSITIVE_INFINITY : (ended.get(userId) ?? 0)),
  }
}
