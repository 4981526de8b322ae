import type { Problem } from '../kernel/problem.ts'
import { type Result, refuse, succeed } from '../kernel/result.ts'
import { type ApiKey, findApiKeys, type KeyRoom, type MadeApiKey, makeApiKey, revokeApiKey } from './api-keys.ts'
import type { Authenticated } from './authenticate.ts'

/** What a caller may ask for; `userId` null: a key of their own. */
export interface AskedApiKey {
  readonly userId: string | null
  readonly name: string
  readonly expiresAtMs: number
  readonly roles: readonly string[] | null
}

/**
 * A caller makes keys of their own, an administrator also of others. A key never makes one that can do more, or lives
 * longer, than itself: otherwise whoever found a narrow key for a day would have a wide one for years. (A session may: a
 * password stands behind it.)
 */
export async function makeKeyForCaller(
  room: KeyRoom,
  caller: Authenticated,
  asked: AskedApiKey,
): Promise<Result<MadeApiKey, Problem>> {
  const own = caller.principal.userId
  const userId = asked.userId ?? own
  const problem = userId === own ? widerThanItself(caller, asked) : notAdministrator(caller, 'make keys of other users')
  return problem === undefined ? makeApiKey(room, { ...asked, userId }, own) : refuse(problem)
}

/** @param userId null: the caller's own; '*': everybody's */
export async function listKeysForCaller(
  room: KeyRoom,
  caller: Authenticated,
  userId: string | null,
): Promise<Result<readonly ApiKey[], Problem>> {
  const own = caller.principal.userId
  if (userId === null || userId === own) return succeed(await findApiKeys(room, { userId: own }))
  const problem = notAdministrator(caller, 'see keys of other users')
  if (problem !== undefined) return refuse(problem)
  if (userId === '*') return succeed(await findApiKeys(room))
  return /^\d{1,18}$/.test(userId)
    ? succeed(await findApiKeys(room, { userId }))
    : refuse({ kind: 'thing-not-found', thing: 'user', name: userId })
}

/** Somebody else's key is not there, except for an administrator. */
export function revokeKeyForCaller(room: KeyRoom, caller: Authenticated, id: string): Promise<Result<void, Problem>> {
  return revokeApiKey(room, id, isAdministrator(caller) ? null : caller.principal.userId)
}

/** By the roles that the credential gives, not by the user: an administrator's key without that role is none. */
const isAdministrator = (caller: Authenticated): boolean => caller.principal.roles.has('admin')

const notAdministrator = (caller: Authenticated, to: string): Problem | undefined =>
  isAdministrator(caller) ? undefined : { kind: 'role-needed', roles: ['admin'], to }

function widerThanItself({ means, principal }: Authenticated, asked: AskedApiKey): Problem | undefined {
  if (means.kind !== 'api_key') return undefined
  if (asked.expiresAtMs > means.expiresAtMs)
    return { kind: 'invalid-value', field: 'expires_at', detail: 'a key that an API key makes ends no later than it' }
  if (!means.isNarrowed) return undefined
  const wider = asked.roles?.filter((role) => !principal.roles.has(role)) ?? ['all roles']
  if (wider.length === 0) return undefined
  const own = [...principal.roles].sort().join(', ') || 'no roles'
  const detail = `this API key has ${own}, so it makes no key with ${wider.join(', ')}`
  return { kind: 'invalid-value', field: 'roles', detail }
}
