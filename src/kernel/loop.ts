/** Work that a process repeats, never concurrently. */
export interface Loop {
  /** Requests a turn now; while one is running, another one after it. */
  notify(): void
  /** Resolves when no turn is running and none is requested. */
  idle(): Promise<void>
  /** Begins no further turn; resolves when the current one has ended. */
  stop(): Promise<void>
}

export interface LoopOptions {
  /** @param stopping aborted by `stop`: a turn that takes long ends early */
  readonly turn: (stopping: AbortSignal) => Promise<void>
  /** Interval at which a turn also begins. Absent: only `notify` begins one. The timer does not keep the process alive. */
  readonly everyMs?: number
  /** Pause after this number of consecutive failures; requests wait meanwhile. Absent: no pause. */
  readonly pauseMs?: (failures: number) => number
  /** @param failures consecutive ones, including this one */
  readonly onError: (error: unknown, failures: number) => void
}

/** The first turn begins with the first `notify`, or after `everyMs`. */
export function startLoop({ turn, everyMs, pauseMs, onError }: LoopOptions): Loop {
  const stopping = new AbortController()
  let running: Promise<void> | undefined
  let isWanted = false
  let failures = 0
  let pause: NodeJS.Timeout | undefined

  async function run(): Promise<void> {
    while (isWanted && pause === undefined && !stopping.signal.aborted) {
      isWanted = false
      try {
        await turn(stopping.signal)
        failures = 0
      } catch (error) {
        onError(error, ++failures)
        if (pauseMs !== undefined && !stopping.signal.aborted) rest(pauseMs(failures))
      }
    }
    running = undefined
  }

  /** A failed turn is repeated after the pause without a request. */
  function rest(ms: number): void {
    pause = setTimeout(() => {
      pause = undefined
      notify()
    }, ms)
    pause.unref()
  }

  function notify(): void {
    isWanted = true
    if (pause === undefined && !stopping.signal.aborted) running ??= Promise.resolve().then(run)
  }

  const timer = everyMs === undefined ? undefined : setInterval(notify, everyMs)
  timer?.unref()
  return {
    notify,
    idle: async () => running,
    async stop() {
      stopping.abort()
      clearInterval(timer)
      clearTimeout(pause)
      await running
    },
  }
}
