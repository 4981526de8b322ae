import type { Clock } from '../kernel/clock.ts'

export interface StopRequest {
  /** Resolves with the reason when Docket should stop; rejects when it cannot continue. */
  readonly requested: Promise<string>
  /** Whether it was; a start that is under way looks between its steps. */
  isRequested(): boolean
  /** From within, as when the database is lost. */
  fail(failure: unknown): void
}

/** SIGHUP: the terminal was closed. */
const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/**
 * One key press can arrive twice: the terminal signals the whole group, and npm or a starting process passes it on.
 * Signals this close together are one.
 */
const sameSignalMs = 500

export interface StopOptions {
  readonly clock: Clock
  /** The parent is npm, which does not signal its child when it is killed. */
  readonly watchParent: boolean
  /** Must not come back. */
  readonly stopAtOnce: (signal: NodeJS.Signals) => void
}

const parentCheckMs = 200

/**
 * Listens for signals from now on: the first asks to stop, a later one calls `stopAtOnce`. A parent that was killed asks as
 * well: npm, or the process that runs Docket for an old Node (bin/docket.js) and keeps a channel to it.
 */
export function listenForStop({ clock, watchParent, stopAtOnce }: StopOptions): StopRequest {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  // Nobody waits for it during the start; a failure is thrown when somebody does.
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
