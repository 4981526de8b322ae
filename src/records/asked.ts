import type { Session } from '../database/database.ts'
import type { Principal } from '../identity/principal.ts'
import type { Problem } from '../kernel/problem.ts'
import type { Result } from '../kernel/result.ts'
import type { RequestOptions } from './parse/record-request.ts'

/** What `http/` hands down: a request of the Table API whose caller is known, nothing of it read yet. */
export interface Asked {
  readonly operation: 'create' | 'list' | 'read' | 'put' | 'patch' | 'delete' | 'stats'
  /** The table's name as it stood in the path, decoded. */
  readonly table: string
  /** null on create and list. */
  readonly sysId: string | null
  /** The query string's parameters, decoded once; for `POST …/query` the members of the body as texts. */
  readonly parameters: ReadonlyMap<string, string>
  /** What a program inside Docket wants, instead of parameters: typed, so that nothing is printed and parsed. */
  readonly options?: RequestOptions
  /** The parsed JSON body of create, PUT and PATCH; undefined where there was none. */
  readonly body: unknown
  readonly principal: Principal
  /** The identity epoch that the principal was read under. */
  readonly identityEpoch: string
  /** Stands before `/rest/v1/table/…` in links; no slash at its end. */
  readonly baseUrl: string
  /** Part of an administrator's import with migrate=1: authors, times, numbers and states are those that the body gives. */
  readonly migrating?: boolean
  /** The header `If-Match`, as sent. */
  readonly ifMatch: string | null
  /** The header `Idempotency-Key` of a create, as sent. */
  readonly idempotencyKey?: string | null
  /** Of a create that is part of something larger, instead of a key of its own. */
  readonly once?: AnswerOnce | null
}

/** What answers a create that was done already; it lives in the transaction of the write. */
export interface AnswerOnce {
  /** Before the write. @returns what was answered before, or why not; null: this is the first */
  claim(session: Session): Promise<Result<Answer, Problem> | null>
  /** Behind the write. */
  keep(session: Session, answer: Answer): Promise<void>
}

/** The only place that says which operations read. They never take the path of a write. */
const READS: ReadonlySet<Asked['operation']> = new Set(['list', 'read', 'stats'])
export const isRead = (operation: Asked['operation']): boolean => READS.has(operation)

/** A finished answer: `http/` writes it out as it is. */
export interface Answer {
  readonly status: 200
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  /** The whole JSON text. */
  readonly body: string
  /** Kept from an earlier request, and not yet held against the rights of now. */
  readonly isReplay?: true
}
