import type { Problem } from '../kernel/problem.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'
import { type ApiKey, type ApiKeyDeps, findApiKeys, type MadeApiKey, makeApiKey, revokeApiKey } from './api-keys.ts'
import type { Authenticated } from './authenticate.ts'
import { narrowedKeyProblem } from './narrowed-key.ts'

/** A request for a key; `userId` null: a key of the caller. */
export interface ApiKeyRequest {
  readonly userId: string | null
  readonly name: string
  readonly expiresAtMs: number
  readonly roles: readonly string[] | null
}

/**
 * Callers make keys for themselves, administrators also for others. A key never makes one with more rights or a longer lifetime than its
 * own, for any user: otherwise a stolen narrow key of one day would give a wide one for years. (A session may: it comes from a password.)
 * An access token of an OAuth client makes none: the key would stay when the client is removed.
 */
export async function makeKeyForCaller(
  deps: ApiKeyDeps,
  caller: Authenticated,
  request: ApiKeyRequest,
): Promise<Result<MadeApiKey, Problem>> {
  const own = caller.principal.userId
  const userId = request.userId ?? own
  const isOwn = userId === own
  const problem =
    ofClient(caller) ??
    (isOwn ? undefined : notAdministrator(caller, 'make keys of other users')) ??
    widerThanItself(caller, request, isOwn)
  return problem === undefined ? makeApiKey(deps, { ...request, userId }, own) : fail(problem)
}

/** @param userId null: the caller's own; '*': those of all users */
export async function listKeysForCaller(
  deps: ApiKeyDeps,
  caller: Authenticated,
  userId: string | null,
): Promise<Result<readonly ApiKey[], Problem>> {
  const own = caller.principal.userId
  if (userId === null || userId === own) return succeed(await findApiKeys(deps, { userId: own }))
  const problem = notAdministrator(caller, 'see keys of other users')
  if (problem !== undefined) return fail(problem)
  if (userId === '*') return succeed(await findApiKeys(deps))
  return /^\d{1,18}$/.test(userId)
    ? succeed(await findApiKeys(deps, { userId }))
    : fail({ kind: 'thing-not-found', thing: 'user', name: userId })
}

/** Another user's key is reported as unknown, except to an administrator. A narrowed key revokes only itself. */
export async function revokeKeyForCaller(
  deps: ApiKeyDeps,
  { means, principal }: Authenticated,
  id: string,
): Promise<Result<void, Problem>> {
  const isItself = means.kind !== 'password' && means.keyId === id
  const problem = isItself ? undefined : narrowedKeyProblem(principal, 'revoke other keys')
  if (problem !== undefined) return fail(problem)
  return revokeApiKey(deps, id, principal.roles.has('admin') ? null : principal.userId)
}

/** By the roles of the credential, not of the user: an administrator's key without that role is not one of an administrator. */
const isAdministrator = (caller: Authenticated): boolean => caller.principal.roles.has('admin')

const notAdministrator = (caller: Authenticated, to: string): Problem | undefined =>
  isAdministrator(caller) ? undefined : { kind: 'role-needed', roles: ['admin'], to }

const ofClient = ({ means }: Authenticated): Problem | undefined =>
  means.kind !== 'password' && means.isOfClient ? { kind: 'client-token', to: 'make API keys' } : undefined

function widerThanItself(
  { means, principal }: Authenticated,
  request: ApiKeyRequest,
  isOwn: boolean,
): Problem | undefined {
  if (means.kind !== 'api_key') return undefined
  if (request.expiresAtMs > means.expiresAtMs)
    return { kind: 'invalid-value', field: 'life', detail: 'a key that an API key makes ends no later than it' }
  if (request.roles === null) return unnamedRoles(means.hasRoleSubset, principal.roles, isOwn)
  const wider = request.roles.filter((role) => !principal.roles.has(role))
  return wider.length === 0 ? undefined : widerRoles(principal.roles, wider)
}

/** Without names a key has all roles of its user, including those granted later. */
function unnamedRoles(hasRoleSubset: boolean, own: ReadonlySet<string>, isOwn: boolean): Problem | undefined {
  if (isOwn) return hasRoleSubset ? widerRoles(own, ['all roles']) : undefined
  const detail = 'name the roles: a key that an API key makes for another user has roles of that key only'
  return { kind: 'invalid-value', field: 'roles', detail }
}

function widerRoles(roles: ReadonlySet<string>, wider: readonly string[]): Problem {
  const own = [...roles].sort().join(', ') || 'no roles'
  const detail = `this API key has ${own}, so it makes no key with ${wider.join(', ')}`
  return { kind: 'invalid-value', field: 'roles', detail }
}
