import type { Clock } from '../kernel/clock.ts'

export interface StopRequest {
  /** Resolves with the reason when Docket was asked to stop; rejects when it cannot go on. */
  readonly asked: Promise<string>
  /** Whether it was; a start that is under way looks between its steps. */
  isAsked(): boolean
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

/**
 * Listens for signals from now on: the first asks to stop, a later one calls `stopAtOnce`. A process that started Docket
 * with a channel (bin/docket.js under an old Node) and dies asks as well.
 */
export function listenForStop(clock: Clock, stopAtOnce: (signal: NodeJS.Signals) => void): StopRequest {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  // Nobody waits for it during the start; a failure is thrown when somebody does.
  promise.catch(() => undefined)
  let askedAtMs: number | undefined
  const ask = (reason: string): void => {
    askedAtMs ??= clock.nowMs()
    resolve(reason)
  }
  for (const signal of signals)
    process.on(signal, () => {
      if (askedAtMs !== undefined && clock.nowMs() - askedAtMs > sameSignalMs) stopAtOnce(signal)
      ask(signal)
    })
  if (process.channel !== undefined) process.once('disconnect', () => ask('the process that started Docket has ended'))
  return { asked: promise, isAsked: () => askedAtMs !== undefined, fail: reject }
}
