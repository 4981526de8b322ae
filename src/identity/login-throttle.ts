/** Failed logins within the current window. */
export interface FailedLogins {
  /** For this user name from this network. */
  readonly pair: FailureCount
  /** From this network, for any user name. */
  readonly address: FailureCount
  /** For this user name, from any network. */
  readonly name: FailureCount
}

export interface FailureCount {
  readonly failures: number
  /** 0 if nothing failed. */
  readonly windowEndsAtMs: number
}

export const failureWindowMs = 15 * 60_000

/**
 * The pair has the small number, not the name alone: otherwise anybody could lock the administrator out by failing under that name. One
 * network may contain a whole office; only an attacker with many networks tries one name from many.
 */
const allowedFailures = { pair: 10, address: 50, name: 100 } as const satisfies Record<keyof FailedLogins, number>

const freeFailures = 3
const slowestMs = 1_000

/** What happens to an attempt before its password is checked. */
export interface Throttling {
  /** Milliseconds until the lock of this user name from this network ends; 0: no lock. It applies to everybody. */
  readonly pairLockMs: number
  /** The same for the network or the user name alone. A correct password is accepted from a network where the user signed in before. */
  readonly sharedLockMs: number
  /** Delay of the attempt: 100 ms after the fourth failure of the pair, doubled up to 1 s. */
  readonly slowMs: number
}

export function throttlingOf(failed: FailedLogins, nowMs: number): Throttling {
  const lockMs = (scope: keyof FailedLogins): number =>
    failed[scope].failures < allowedFailures[scope] ? 0 : Math.max(0, failed[scope].windowEndsAtMs - nowMs)
  const beyond = failed.pair.failures - freeFailures
  return {
    pairLockMs: lockMs('pair'),
    sharedLockMs: Math.max(lockMs('address'), lockMs('name')),
    slowMs: beyond <= 0 ? 0 : Math.min(slowestMs, 100 * 2 ** (beyond - 1)),
  }
}

export const noThrottling: Throttling = { pairLockMs: 0, sharedLockMs: 0, slowMs: 0 }

/**
 * When an attempt under a lock of the network or the name is rejected, counted from its start. The password is checked only if the
 * user signed in from this network before; without a fixed time the response would reveal that such a user exists.
 */
export const sharedLockResponseMs = 1_000
