/** Why a statement failed, if neither the statement nor our code is at fault. */
export type DatabaseErrorKind =
  /** No connection, or a broken one: PostgreSQL is down, starting, stopping or failing over. */
  | 'unreachable'
  /** No free connection, a deadlock, a lock timeout, a serialization failure: a retry may succeed. */
  | 'busy'
  /** The statement timeout. */
  | 'timeout'

/** Errors of the network, and a missing socket file (ENOENT): an errno counts only for these calls. */
const networkCalls = new Set(['connect', 'read', 'write', 'getaddrinfo'])
// Admin shutdown, crash shutdown, cannot connect now, database dropped; the primary has become a replica; no such database, it takes no
// connections, the password or the account is rejected. (Severity FATAL would cover them too, but servers translate it.)
const unreachable = new Set(['57P01', '57P02', '57P03', '57P04', '25006', '3D000', '55000', '28000', '28P01'])
const busy = new Set(['40001', '40P01', '55P03', '53300'])

/** A manual cancel has SQLSTATE 57014 too, and the caller gets the same error. */
const statementTimeout = '57014'

/** @returns null for everything else: a bug of ours, or an error of a caller that a module should have caught */
export function errorKindOf(error: unknown): DatabaseErrorKind | null {
  if (!(error instanceof Error)) return null
  // A failed connection to a name with several addresses has the errors of all of them.
  if (error instanceof AggregateError) return errorKindOf(error.errors[0])
  const { code, syscall } = error as { readonly code?: unknown; readonly syscall?: unknown }
  if (typeof syscall === 'string' && networkCalls.has(syscall)) return 'unreachable'
  if (typeof code === 'string') {
    if (code === statementTimeout) return 'timeout'
    if (busy.has(code)) return 'busy'
    if (unreachable.has(code) || code.startsWith('08')) return 'unreachable'
    return null
  }
  // Messages of the driver, which have no code.
  if (/Connection terminated|Client has encountered a connection error/.test(error.message)) return 'unreachable'
  if (/timeout exceeded when trying to connect/.test(error.message)) return 'busy'
  return null
}
