/** Failed logins within the running window. */
export interface FailedLogins {
  /** For this user name from this network. */
  readonly pair: FailureCount
  /** From this network, whatever the user name. */
  readonly address: FailureCount
  /** For this user name, wherever from. */
  readonly name: FailureCount
}

export interface FailureCount {
  readonly failures: number
  /** 0 when nothing failed. */
  readonly windowEndsAtMs: number
}

export const failureWindowMs = 15 * 60_000

/**
 * The pair has the small number, not the name alone: otherwise anybody could keep the administrator out by failing in
 * his name. One network may hold a whole office; one name is tried from many networks only by somebody who has them.
 */
const allowedFailures = { pair: 10, address: 50, name: 100 } as const satisfies Record<keyof FailedLogins, number>

const freeFailures = 3
const slowestMs = 1_000

/** Milliseconds until another attempt is looked at; 0: now. */
export function refusedForMs(failed: FailedLogins, nowMs: number): number {
  const ends = (['pair', 'address', 'name'] as const)
    .filter((scope) => failed[scope].failures >= allowedFailures[scope])
    .map((scope) => failed[scope].windowEndsAtMs - nowMs)
  return Math.max(0, ...ends)
}

/** How long an attempt waits before its password is looked at: 100 ms after the fourth failure, doubled up to 1 s. */
export function slowedByMs(failed: FailedLogins): number {
  const beyond = failed.pair.failures - freeFailures
  return beyond <= 0 ? 0 : Math.min(slowestMs, 100 * 2 ** (beyond - 1))
}
