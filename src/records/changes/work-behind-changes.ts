import { setTimeout as delay } from 'node:timers/promises'
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
  onTrouble: (error: unknown) => void,
): WorkBehindChanges {
  const stopping = new AbortController()

  async function run(): Promise<void> {
    let failures = 0
    while (!stopping.signal.aborted) {
      const seen = await watch.now().catch(() => '0')
      const isAwaited = await turn(stopping.signal).then(
        (awaited) => {
          failures = 0
          return awaited
        },
        (error: unknown) => {
          failures += 1
          // An outage is told once; whoever reads the log knows then.
          if (failures === 1 && !stopping.signal.aborted) onTrouble(error)
          return false
        },
      )
      await rest(isAwaited ? seen : null)
    }
  }

  /** Until something happens, or it is time to look again. */
  async function rest(seen: string | null): Promise<void> {
    const waited = delay(lookEveryMs, undefined, { ref: false, signal: stopping.signal }).catch(() => undefined)
    if (seen === null) return waited
    const woken = new AbortController()
    // A watch that was closed tells nothing any more; it must not make us turn without a rest.
    const grown = watch.beyond(seen, woken.signal).then((settled) => (settled === null ? waited : undefined))
    await Promise.race([waited, grown])
    woken.abort()
  }

  const running = run()
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}
