import type { ServerResponse } from 'node:http'

/** Bytes of responses that this process holds because their callers do not read them. */
export interface UnsentResponses {
  /** Counts what `response` holds now. Call it after each write, and when a stream has drained. */
  count(response: ServerResponse, userId: string): void
  /** Whether requests of this user wait until responses are sent. */
  isOver(userId: string): boolean
  /** Called when bytes were sent. */
  onLeft(listener: () => void): void
}

/** In each process. */
export const maxUnsentBytes = 64 * 1_048_576

/** A caller who reads nothing for so long is disconnected while all unsent responses together exceed half of `maxBytes`. */
const maxStallMs = 10_000

/**
 * Each user may leave half of `maxBytes` unsent. While all unsent responses together exceed `maxBytes`, requests of every user with unsent
 * bytes wait. Users who read their responses never wait, so nobody can block others by not reading.
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

  /** Until the response ends in any way. */
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
