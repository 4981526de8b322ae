import type { Problem } from '../kernel/problem.ts'
import { defaultKeyLifeMs } from './key-lifetime.ts'
import type { Principal } from './principal.ts'

/** What decides whether a key is narrowed. Times in milliseconds. */
export interface KeyScope {
  readonly kind: 'session' | 'api_key' | 'cookie'
  /** The key has some of the roles of its user, not all. */
  readonly hasRoleSubset: boolean
  readonly createdAtMs: number
  readonly expiresAtMs: number
}

/** The end of a key is cut to whole seconds. */
const roundingMs = 1_000

/**
 * The only definition of a narrowed key: an API key with less than a key gets by default, that is all roles of its user and a
 * life of 90 days. Whoever narrowed it trusts its bearer with less than the account, so it must not open another way in.
 * A session is not narrowed: a password stands behind it.
 */
export function isNarrowedKey({ kind, hasRoleSubset, createdAtMs, expiresAtMs }: KeyScope): boolean {
  if (kind !== 'api_key') return false
  return hasRoleSubset || expiresAtMs - createdAtMs <= defaultKeyLifeMs - roundingMs
}

/** @param to what a narrowed key cannot do; undefined: nothing of it */
export function narrowedKeyProblem({ isNarrowed }: Principal, to: string | undefined): Problem | undefined {
  return isNarrowed === true && to !== undefined ? { kind: 'key-narrowed', to } : undefined
}
