/** Runs tasks one after the other, in the order of the calls. An error reaches only its own caller. */
export interface Mutex {
  run<T>(work: () => Promise<T>): Promise<T>
  /** Resolves when all tasks before it have ended. */
  idle(): Promise<unknown>
}

export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve()
  return {
    run(work) {
      const running = last.then(work)
      last = running.catch(() => undefined)
      return running
    },
    idle: () => last,
  }
}
