/** Work that is done again and again. */
export interface Repeated {
  /** Ends it; resolves when what is under way is done. */
  stop(): Promise<void>
}

/** Does something again and again, never twice at once, and not for its sake alone is the process kept alive. */
export function repeat(work: () => Promise<void>, everyMs: number, onTrouble: (error: unknown) => void): Repeated {
  let running: Promise<void> | undefined
  const timer = setInterval(() => {
    running ??= work()
      .catch(onTrouble)
      .finally(() => {
        running = undefined
      })
  }, everyMs)
  timer.unref()
  return {
    async stop() {
      clearInterval(timer)
      await running
    },
  }
}
