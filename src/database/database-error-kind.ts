/** Why a statement failed, as far as it is neither its own fault nor a mistake of ours. */
export type DatabaseErrorKind =
  /** No connection, or it broke: PostgreSQL is down, starting, stopping or failing over. */
  | 'unreachable'
  /** No connection free, a deadlock, a lock that did not come, a serialization failure: the next try may pass. */
  | 'busy'
  /** Ended by the statement timeout. */
  | 'timeout'

/** Of the network, and of the socket file that is gone (ENOENT): an errno counts only from these calls. */
const networkCalls = new Set(['connect', 'read', 'write', 'getaddrinfo'])
// Admin shutdown, crash shutdown, cannot connect now, database dropped; the primary has become a replica; no such database,
// it takes no connections, the password or the account is rejected. (Severity FATAL would say the same, but servers
// translate it.)
const unreachable = new Set(['57P01', '57P02', '57P03', '57P04', '25006', '3D000', '55000', '28000', '28P01'])
const busy = new Set(['40001', '40P01', '55P03', '53300'])

/** SQLSTATE 57014 is also a cancel by hand; its caller gets the same error. */
const statementTimeout = '57014'

/** @returns null for everything else: our own mistake, or a caller's that a module should have caught */
export function errorKindOf(error: unknown): DatabaseErrorKind | null {
  if (!(error instanceof Error)) return null
  // Connecting to several addresses of one name fails with all of their errors together.
  if (error instanceof AggregateError) return errorKindOf(error.errors[0])
  const { code, syscall } = error as { readonly code?: unknown; readonly syscall?: unknown }
  if (typeof syscall === 'string' && networkCalls.has(syscall)) return 'unreachable'
  if (typeof code === 'string') {
    if (code === statementTimeout) return 'timeout'
    if (busy.has(code)) return 'busy'
    if (unreachable.has(code) || code.startsWith('08')) return 'unreachable'
    return null
  }
  // The driver's own words; it gives these no code.
  if (/Connection terminated|Client has encountered a connection error/.test(error.message)) return 'unreachable'
  if (/timeout exceeded when trying to connect/.test(error.message)) return 'busy'
  return null
}
