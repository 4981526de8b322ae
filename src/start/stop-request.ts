import type { Clock } from '../kernel/clock.ts'

export interface StopRequest {
  /** Resolves with the reason when Docket should stop; rejects when it cannot continue. */
  readonly requested: Promise<string>
  /** Whether a stop was requested; a start checks this between its steps. */
  isRequested(): boolean
  /** For internal reasons, such as the loss of the database. */
  fail(failure: unknown): void
}

/** SIGHUP: the terminal was closed. */
const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/**
 * One key press can arrive twice: the terminal signals the whole process group, and npm or a parent process forwards it. Signals this close
 * together count as one.
 */
const sameSignalMs = 500

export interface StopOptions {
  readonly clock: Clock
  /** The parent is npm, which does not signal its child when it is killed. */
  readonly watchParent: boolean
  /** Must not return. */
  readonly stopAtOnce: (signal: NodeJS.Signals) => void
}

const parentCheckMs = 200

/**
 * Listens for signals from now on: the first one requests a stop, a later one calls `stopAtOnce`. A killed parent requests a stop too: npm,
 * or the process that runs Docket on an old Node (bin/docket.js) and keeps a channel to it.
 */
export function listenForStop({ clock, watchParent, stopAtOnce }: StopOptions): StopRequest {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  // During the start nobody awaits it; an error is thrown when somebody does.
  promise.catch(() => undefined)
  let requestedAtMs: number | undefined
  const requestStop = (reason: string): void => {
    requestedAtMs ??= clock.nowMs()
    resolve(reason)
  }
  for (const signal of signals)
    process.on(signal, () => {
      if (requestedAtMs !== undefined && clock.nowMs() - requestedAtMs > sameSignalMs) stopAtOnce(signal)
      requestStop(signal)
    })
  const parent = process.ppid
  const stopAsOrphan = (): void => requestStop('the process that started Docket has ended')
  if (process.channel !== undefined) process.once('disconnect', stopAsOrphan)
  else if (watchParent) setInterval(() => process.ppid !== parent && stopAsOrphan(), parentCheckMs).unref()
  return { requested: promise, isRequested: () => requestedAtMs !== undefined, fail: reject }
}
