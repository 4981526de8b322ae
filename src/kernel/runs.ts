/** Runs of the same work, one at a time. */
export interface Runs {
  /**
   * Runs the work. During a run, all callers share the one that follows it: what they need may have happened after the work of the first
   * looked.
   */
  next(): Promise<void>
  /** Resolves when the present run has ended, whether or not it failed. */
  idle(): Promise<void>
}

export function createRuns(work: () => Promise<void>): Runs {
  let running: Promise<void> | undefined
  let following: Promise<void> | undefined
  const next = (): Promise<void> => {
    if (running === undefined) {
      running = work().finally(() => {
        running = undefined
      })
      return running
    }
    following ??= running
      .catch(() => undefined)
      .then(() => {
        following = undefined
        return next()
      })
    return following
  }
  return {
    next,
    idle: async () => {
      await running?.catch(() => undefined)
    },
  }
}
