import type { Principal } from '../../identity/principal.ts'
import type { Problem } from '../../kernel/problem.ts'

/** Who may call an operation, and how callers authenticate. */
export interface Access {
  /** `required`: without credentials 401; `optional`: everybody, but wrong credentials are 401; `none`: credentials are not read. */
  readonly caller: 'required' | 'optional' | 'none'
  /**
   * How new the rights of the caller are. `now`: read from the database if they may have changed. `as-of-epoch`: from memory; the statement
   * of the operation reads its epoch, and the operation renews the rights if the epoch differs.
   */
  readonly rights: 'now' | 'as-of-epoch'
  /** Only callers with one of these roles. */
  readonly roles?: { readonly anyOf: readonly string[]; readonly to: string }
  /** Further places that may hold an access key. `Authorization` and `X-API-Key` win. */
  readonly keyIn?: readonly KeyPlace[]
  /** Cookies are not accepted as credentials here. */
  readonly ignoresCookies?: true
}

/** Addresses end up in logs of proxies: a key in a query string only where a deployed client has no other way. */
export type KeyPlace = { readonly in: 'query' | 'header'; readonly name: string }

export const ANONYMOUS: Access = { caller: 'none', rights: 'now' }
export const ANONYMOUS_OR_CALLER: Access = { caller: 'optional', rights: 'now' }
export const CALLER: Access = { caller: 'required', rights: 'now' }
export const CALLER_AS_OF_EPOCH: Access = { caller: 'required', rights: 'as-of-epoch' }

/** @param to what the roles are needed for, as the error message names it */
export const callerWith = (anyOf: readonly string[], to: string): Access => ({ ...CALLER, roles: { anyOf, to } })

/** @returns null if no role is missing */
export function missingRole({ roles }: Access, caller: Pick<Principal, 'roles'> | undefined): Problem | null {
  if (roles === undefined || roles.anyOf.some((role) => caller?.roles.has(role) === true)) return null
  return { kind: 'role-needed', roles: [...roles.anyOf], to: roles.to }
}
