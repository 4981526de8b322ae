/** Runs work when its turn comes. undefined when too much is waiting already; the work was not begun then. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T | undefined>

/**
 * Lets `atOnce` pieces of work run together and `waiting` more wait, first come, first served.
 *
 * Password hashes are made by the few threads that files and name look-ups need too, and each takes 19 MiB.
 */
export function takeTurns(limits: { readonly atOnce: number; readonly waiting: number }): InTurn {
  const queue: (() => void)[] = []
  let running = 0

  return async (work) => {
    if (running >= limits.atOnce) {
      if (queue.length >= limits.waiting) return undefined
      await new Promise<void>((resolve) => queue.push(resolve))
    } else running++
    try {
      return await work()
    } finally {
      // The turn is handed on, not given back: otherwise somebody who comes just now would overtake.
      const next = queue.shift()
      if (next === undefined) running--
      else next()
    }
  }
}
