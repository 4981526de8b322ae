import type { ServerResponse } from 'node:http'

/** Bytes of responses that this process holds because their callers do not read them. */
export interface UnsentResponses {
  /** Counts what `response` holds now. Call it after each write, and when a stream has drained. */
  count(response: ServerResponse, userId: string): void
  /** Whether requests of this user wait until responses have left. */
  isOver(userId: string): boolean
  /** Called when bytes have left. */
  onLeft(listener: () => void): void
}

/** In each process. */
export const maxUnsentBytes = 64 * 1_048_576

/** A caller who takes no byte for so long is cut off while a user's share is exceeded by all together. */
const maxStallMs = 10_000

/**
 * Each user may leave half of `maxBytes` unsent. While all together exceed `maxBytes`, requests wait of every user who has
 * anything unsent. Users who read their responses never wait, so that nobody stops others by not reading.
 */
export function unsentResponses(maxBytes = maxUnsentBytes, stallMs = maxStallMs): UnsentResponses {
  const bytesOf = new Map<ServerResponse, number>()
  const bytesOfUser = new Map<string, number>()
  let totalBytes = 0
  let listener = (): void => undefined

  function change(userId: string, byBytes: number): void {
    const own = (bytesOfUser.get(userId) ?? 0) + byBytes
    if (own === 0) bytesOfUser.delete(userId)
    else bytesOfUser.set(userId, own)
    totalBytes += byBytes
    if (byBytes < 0) listener()
  }

  /** Until it is over, however it ends. */
  function watch(response: ServerResponse, userId: string): void {
    bytesOf.set(response, 0)
    response.once('close', () => {
      const bytes = bytesOf.get(response) ?? 0
      bytesOf.delete(response)
      change(userId, -bytes)
    })
    response.setTimeout(stallMs, () => {
      if (response.writableLength > 0 && totalBytes > maxBytes / 2) response.destroy()
      else response.setTimeout(stallMs)
    })
  }

  return {
    count(response, userId) {
      const bytes = response.writableLength
      if (!bytesOf.has(response)) {
        if (bytes === 0 || response.destroyed) return
        watch(response, userId)
      }
      const before = bytesOf.get(response) ?? 0
      bytesOf.set(response, bytes)
      change(userId, bytes - before)
    },
    isOver: (userId) => (bytesOfUser.get(userId) ?? 0) > (totalBytes > maxBytes ? 0 : maxBytes / 2),
    onLeft(called) {
      listener = called
    },
  }
}
