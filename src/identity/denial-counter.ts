import { createHash } from 'node:crypto'
import type { Clock } from '../kernel/clock.ts'
import type { Denial } from './denial.ts'

/** Equal denials of a user since the last call of `take`. */
export interface CountedDenial extends Denial {
  readonly id: string
  readonly requests: number
  readonly firstMs: number
  readonly lastMs: number
}

/** Maximum different denials that a process holds until they are stored. */
const MAX_HELD = 1_000
/** So that a user who causes many does not displace those of others. */
export const MAX_OF_USER = 50

/** Counts rejected requests in memory. A request that is not rejected never comes here. */
export class DenialCounter {
  readonly #clock: Clock
  readonly #held = new Map<string, CountedDenial>()
  readonly #ofUser = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  count(denial: Denial): void {
    const id = idOf(denial)
    const nowMs = this.#clock.nowMs()
    const known = this.#held.get(id)
    if (known !== undefined) {
      this.#held.set(id, { ...known, requests: known.requests + 1, lastMs: nowMs })
      return
    }
    const ofUser = this.#ofUser.get(denial.userId) ?? 0
    if (ofUser >= MAX_OF_USER || this.#held.size >= MAX_HELD) return
    this.#ofUser.set(denial.userId, ofUser + 1)
    this.#held.set(id, { ...denial, id, requests: 1, firstMs: nowMs, lastMs: nowMs })
  }

  /** The denials since the last call. */
  take(): readonly CountedDenial[] {
    const taken = [...this.#held.values()]
    this.#held.clear()
    this.#ofUser.clear()
    return taken
  }
}

function idOf({ userId, problem, recordId, method, route }: Denial): string {
  const parts = JSON.stringify([userId, method, route, recordId, problem])
  return createHash('sha256').update(parts).digest('base64url').slice(0, 22)
}
