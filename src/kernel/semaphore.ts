/** Runs work when a place is free. undefined: the queue is full, and the work does not run. */
export type Semaphore = <T>(work: () => Promise<T>) => Promise<T | undefined>

/** Runs up to `atOnce` tasks at the same time; `waiting` more wait in their order. */
export function createSemaphore(limits: { readonly atOnce: number; readonly waiting: number }): Semaphore {
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
      // The permit passes to the next one in the queue: if it were released first, a new caller could overtake.
      const next = queue.shift()
      if (next === undefined) running--
      else next()
    }
  }
}
