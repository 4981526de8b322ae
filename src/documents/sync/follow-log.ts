import { type Loop, startLoop } from '../../kernel/loop.ts'

/** What follows other processes. */
export interface Followed {
  /** Reads what is new. */
  refresh(): Promise<unknown>
  /** Another number after each `refresh` that found something. */
  position(): number
}

/** How long loads of other processes wait to be indexed where nobody searches; less while there are such loads. */
const followEveryMs = 1_000
const followSoonMs = 200
/** While the database does not respond. */
const maxPauseMs = 30_000

/**
 * Follows other processes also where nobody searches: the next search waits only for what was loaded in the last moments, not for everything
 * since the one before.
 */
export function followLog(followed: Followed, onError: (error: unknown) => void): Pick<Loop, 'stop'> {
  let soon: NodeJS.Timeout | undefined
  const loop = startLoop({
    async turn() {
      const before = followed.position()
      await followed.refresh()
      if (followed.position() !== before) soon = setTimeout(loop.notify, followSoonMs).unref()
    },
    everyMs: followEveryMs,
    pauseMs: (failures) => Math.min(followEveryMs * 2 ** failures, maxPauseMs),
    onError,
  })
  return {
    async stop() {
      clearTimeout(soon)
      await loop.stop()
    },
  }
}
