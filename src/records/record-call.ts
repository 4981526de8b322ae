import type { Session } from '../database/database.ts'
import type { Principal } from '../identity/principal.ts'
import type { Problem } from '../kernel/problem.ts'
import type { Result } from '../kernel/result.ts'
import type { RecordRequest } from './parse/record-request.ts'
import type { RecordResult } from './record-result.ts'

/** The rights of a request, and the base of the URLs in its records. */
export interface Sender {
  readonly principal: Principal
  /** The identity epoch at which the principal was read. */
  readonly identityEpoch: string
  /** Prefix of links, before `/rest/v1/table/…`; without a slash at its end. */
  readonly baseUrl: string
  /** Reads may return a state that is up to `read.max_lag_ms` (a property) old. */
  readonly mayLag?: boolean
}

/** A record request with its sender. */
export interface RecordCall extends Sender {
  readonly request: RecordRequest
  /** Store of a create that is part of a larger request; it replaces a key of the create. */
  readonly idempotency?: IdempotencyStore<RecordResult> | null
}

/** Member by member: to spread the sender would allocate 1.5 KB. */
export const recordCall = (
  { principal, identityEpoch, baseUrl, mayLag = false }: Sender,
  request: RecordRequest,
  idempotency: IdempotencyStore<RecordResult> | null,
): RecordCall => ({ principal, identityEpoch, baseUrl, mayLag, request, idempotency })

/** Stores the result of a write in its transaction, so that a repeated request gets the same result. */
export interface IdempotencyStore<T> {
  /** Before the write. @returns the result of the first write, or why it cannot be returned; null: this is the first */
  claim(session: Session): Promise<Result<T, Problem> | null>
  /** After the write. */
  keep(session: Session, result: T): Promise<void>
}
