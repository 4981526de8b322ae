import { LRUCache } from 'lru-cache'

/** Counts a request of the user. @returns 0: it is within the rate; else the seconds to wait before the next one */
export type RequestRate = (userId: string) => number

const rememberedUsers = 10_000

/**
 * A token bucket for each user of this process: `perSecond` requests per second; after a second without requests, all of them at once.
 *
 * @param perSecond 0: no limit
 */
export function requestRate(perSecond: number, nowMs: () => number = () => performance.now()): RequestRate {
  if (perSecond === 0) return () => 0
  const buckets = new LRUCache<string, { readonly tokens: number; readonly atMs: number }>({ max: rememberedUsers })
  return (userId) => {
    const atMs = nowMs()
    const before = buckets.get(userId) ?? { tokens: perSecond, atMs }
    const tokens = Math.min(perSecond, before.tokens + ((atMs - before.atMs) / 1_000) * perSecond)
    const isWithin = tokens >= 1
    buckets.set(userId, { tokens: isWithin ? tokens - 1 : tokens, atMs })
    return isWithin ? 0 : Math.ceil((1 - tokens) / perSecond)
  }
}
