import type { Session } from '../database/database.ts'
import type { Principal } from '../identity/principal.ts'
import type { Problem } from '../kernel/problem.ts'
import type { Result } from '../kernel/result.ts'
import type { RecordRequest } from './parse/record-request.ts'
import type { RecordResult } from './record-result.ts'

/** Whose rights a request has, and what addresses in its records begin with. */
export interface Sender {
  readonly principal: Principal
  /** The identity epoch that the principal was read under. */
  readonly identityEpoch: string
  /** Stands before `/rest/v1/table/…` in links; no slash at its end. */
  readonly baseUrl: string
  /** Reads may show a state that is as old as the property read.max_lag_ms says. */
  readonly mayLag?: boolean
}

/** A record request with its sender. */
export interface RecordCall extends Sender {
  readonly request: RecordRequest
  /** Of a create that is part of something larger, instead of a key of its own. */
  readonly idempotency?: IdempotencyStore<RecordResult> | null
}

/** Keeps the result of a write for a repetition of it, in the transaction of the write. */
export interface IdempotencyStore<T> {
  /** Before the write. @returns the result of the first write, or why it cannot be repeated; null: this is the first */
  claim(session: Session): Promise<Result<T, Problem> | null>
  /** Behind the write. */
  keep(session: Session, result: T): Promise<void>
}
