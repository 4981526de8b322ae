import { startLoop } from '../../kernel/loop.ts'
import type { ChangeWatch } from './watch-changes.ts'

export interface WorkBehindChanges {
  /** Resolves when the turn that is under way has ended. */
  stop(): Promise<void>
}

/** How soon something new to work for is noticed, and what failed is tried again. */
const lookEveryMs = 1_000

/**
 * Takes turns for as long as the process serves: when the log of changes has grown, and each second.
 *
 * @param turn does all that is to be done now; tells whether anybody waits for changes at all
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
    // An outage is reported once; whoever reads the log knows then.
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
