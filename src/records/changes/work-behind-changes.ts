import { startLoop } from '../../kernel/loop.ts'
import type { ChangeWatch } from './watch-changes.ts'

export interface WorkBehindChanges {
  /** Resolves when the current turn ends. */
  stop(): Promise<void>
}

/** Delay until new work is noticed and failed work is tried again. */
const lookEveryMs = 1_000

/**
 * Runs turns while the process serves: when the log of changes has grown, and each second.
 *
 * @param turn does all current work; returns whether anybody waits for changes at all
 */
export function workBehindChanges(
  watch: ChangeWatch,
  turn: (stopping: AbortSignal) => Promise<boolean>,
  onError: (error: unknown) => void,
): WorkBehindChanges {
  let growth = new AbortController()
  const loop = startLoop({
    async turn(stopping) {
      growth.abort()
      const seen = await watch.now().catch(() => '0')
      const isFollowed = await turn(stopping)
      if (!isFollowed || stopping.aborted) return
      growth = new AbortController()
      void watch.beyond(seen, growth.signal).then((settled) => settled !== null && loop.notify())
    },
    everyMs: lookEveryMs,
    // An outage is reported once; that is enough for a reader of the log.
    onError: (error, failures) => failures === 1 && onError(error),
  })
  loop.notify()
  return {
    async stop() {
      growth.abort()
      await loop.stop()
      growth.abort()
    },
  }
}
