import type { Problem } from '../kernel/problem.ts'
import { defaultKeyLifeMs } from './key-lifetime.ts'
import type { Principal } from './principal.ts'

/** The data that decide whether a key is narrowed. Times in milliseconds. */
export interface KeyScope {
  readonly kind: 'session' | 'api_key' | 'cookie'
  /** The key has some of the roles of its user, not all. */
  readonly hasRoleSubset: boolean
  readonly createdAtMs: number
  readonly expiresAtMs: number
}

/** The end of a key is truncated to whole seconds. */
const roundingMs = 1_000

/**
 * The only definition of a narrowed key: an API key with less than the default, which is all roles of its user and a lifetime of 90 days.
 * Its bearer is trusted with less than the account, so it must not give access in another way. A session is not narrowed: it comes from a
 * password.
 */
export function isNarrowedKey({ kind, hasRoleSubset, createdAtMs, expiresAtMs }: KeyScope): boolean {
  if (kind !== 'api_key') return false
  return hasRoleSubset || expiresAtMs - createdAtMs <= defaultKeyLifeMs - roundingMs
}

/** @param to the action that a narrowed key cannot do; undefined: the operation is not restricted */
export function narrowedKeyProblem({ isNarrowed }: Principal, to: string | undefined): Problem | undefined {
  return isNarrowed === true && to !== undefined ? { kind: 'key-narrowed', to } : undefined
}
