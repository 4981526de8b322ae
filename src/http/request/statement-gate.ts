import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result } from '../../kernel/result.ts'

/** How many requests run statements at once in this process. Each uses one connection of the pool at a time. */
export interface GateLimits {
  /** Requests of all users together. The other connections are for sign-in and background work. */
  readonly total: number
  readonly perUser: number
  /** The last ones of `total`: only for users without a running statement. */
  readonly reserve: number
  /** A request that waits longer is rejected. */
  readonly maxWaitMs: number
}

export interface StatementGate {
  /** Runs `work` when the user may run a statement. After `maxWaitMs` rejects with `too-many-requests`; `work` has not begun then. */
  run<T, E>(userId: string, work: () => Promise<Result<T, E>>): Promise<Result<T, E | Problem>>
  /** For a part of work that has begun, such as a row of an import: waits without a time limit. */
  runPatiently<T>(userId: string, work: () => Promise<T>): Promise<T>
  /** Starts waiting requests that may run now. Call it when `isHeld` may have changed. */
  startWaiting(): void
}

interface Waiter {
  /** Rises in the order of arrival. */
  readonly turn: number
  /** @param mayRun false: the wait was too long */
  readonly end: (mayRun: boolean) => void
  /** Of the process's clock; infinite: it waits without a limit. */
  readonly untilMs: number
}

/**
 * Shares the connections among users. The next to run is the waiting request of the user with the fewest running statements; of these, the
 * one that has waited longest. A user who sends many slow requests waits for their own, and requests of others pass.
 *
 * @param isHeld whether requests of this user wait for another reason, whatever runs
 */
export function statementGate(limits: GateLimits, isHeld: (userId: string) => boolean = () => false): StatementGate {
  const running = new Map<string, number>()
  /** By user, each in the order of arrival. */
  const waiting = new Map<string, Set<Waiter>>()
  let total = 0
  let turns = 0
  let isWatched = false

  const runningOf = (userId: string): number => running.get(userId) ?? 0

  function mayRun(userId: string): boolean {
    if (isHeld(userId)) return false
    const own = runningOf(userId)
    return own < limits.perUser && total < (own === 0 ? limits.total : limits.total - limits.reserve)
  }

  function change(userId: string, by: 1 | -1): void {
    const own = runningOf(userId) + by
    if (own === 0) running.delete(userId)
    else running.set(userId, own)
    total += by
  }

  function nextUser(): string | undefined {
    if (total >= limits.total) return undefined
    let next: { readonly userId: string; readonly own: number; readonly turn: number } | undefined
    for (const [userId, [first]] of waiting) {
      if (first === undefined || !mayRun(userId)) continue
      const own = runningOf(userId)
      const isBefore = next === undefined || own < next.own || (own === next.own && first.turn < next.turn)
      if (isBefore) next = { userId, own, turn: first.turn }
    }
    return next?.userId
  }

  function startWaiting(): void {
    for (let userId = nextUser(); userId !== undefined; userId = nextUser()) {
      const [first] = waiting.get(userId) ?? []
      if (first === undefined) return
      leave(userId, first)
      change(userId, 1)
      first.end(true)
    }
  }

  function leave(userId: string, waiter: Waiter): void {
    const ofUser = waiting.get(userId)
    ofUser?.delete(waiter)
    if (ofUser?.size === 0) waiting.delete(userId)
  }

  /** One timer for all waiters, because most of them wait for a millisecond. */
  function watch(inMs: number): void {
    if (isWatched) return
    isWatched = true
    setTimeout(endLongWaits, inMs).unref()
  }

  function endLongWaits(): void {
    isWatched = false
    const nowMs = performance.now()
    let nextMs = Number.POSITIVE_INFINITY
    const all = [...waiting].flatMap(([userId, ofUser]) => [...ofUser].map((waiter) => ({ userId, waiter })))
    for (const { userId, waiter } of all) {
      if (waiter.untilMs > nowMs) {
        nextMs = Math.min(nextMs, waiter.untilMs)
      } else {
        leave(userId, waiter)
        waiter.end(false)
      }
    }
    if (nextMs !== Number.POSITIVE_INFINITY) watch(Math.ceil(nextMs - nowMs))
  }

  /** @returns whether the user may run a statement; false after `maxWaitMs` */
  function wait(userId: string, maxWaitMs: number | null): Promise<boolean> {
    return new Promise((resolve) => {
      const untilMs = maxWaitMs === null ? Number.POSITIVE_INFINITY : performance.now() + maxWaitMs
      const ofUser = waiting.get(userId) ?? new Set()
      waiting.set(userId, ofUser.add({ turn: turns++, end: resolve, untilMs }))
      if (maxWaitMs !== null) watch(maxWaitMs)
    })
  }

  function endRun(userId: string): void {
    change(userId, -1)
    startWaiting()
  }

  return {
    startWaiting,
    async run(userId, work) {
      if (mayRun(userId)) change(userId, 1)
      else if (!(await wait(userId, limits.maxWaitMs))) return tooManyRequests
      try {
        return await work()
      } finally {
        endRun(userId)
      }
    },
    async runPatiently(userId, work) {
      if (mayRun(userId)) change(userId, 1)
      else await wait(userId, null)
      try {
        return await work()
      } finally {
        endRun(userId)
      }
    },
  }
}

const tooManyRequests = fail<Problem>({ kind: 'too-many-requests', retryAfterSeconds: 2 })

/**
 * A tenth of the pool is for sign-in and background work, a fifth is the reserve.
 *
 * @param poolSize connections of this process
 * @param perUser 0: all that the reserve leaves, so that a single client is as fast as the pool allows
 */
export function gateLimitsFor(poolSize: number, perUser: number): GateLimits {
  const total = poolSize - Math.max(1, Math.floor(poolSize / 10))
  const reserve = total < 2 ? 0 : Math.max(1, Math.floor(poolSize / 5))
  const max = Math.max(1, total - reserve)
  return { total, reserve, perUser: perUser === 0 ? max : Math.min(perUser, max), maxWaitMs: 2_000 }
}
