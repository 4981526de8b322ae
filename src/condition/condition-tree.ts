import type { Operator } from './operators.ts'

/**
 * What an encoded query says, once read: the shared language of callers' queries, access rules and metadata filters.
 *
 * Normal form, which the parser makes and the printer expects: `all` and `any` hold at least two members, an `all` holds
 * no `all` and an `any` no `any` (brackets that say nothing are gone, and `^NQ` is an `any` of whole groups).
 */
export type ConditionTree =
  | { readonly kind: 'all'; readonly of: readonly ConditionTree[] }
  | { readonly kind: 'any'; readonly of: readonly ConditionTree[] }
  | ConditionTest

/** One `field operator value`. */
export interface ConditionTest {
  readonly kind: 'test'
  /** Segments of a dot-walk: `assigned_user.company.name` is three. Full-text search over the record is the empty path. */
  readonly path: readonly string[]
  readonly operator: Operator
  /** The value with its escapes undone; '' where the operator takes none. */
  readonly value: string
  /** The value is data: a text that begins with `javascript:` is that text and no helper. Left out where helpers are computed. */
  readonly literal?: true
  /** Offset of the term in the decoded query text, in UTF-16 units; for error messages only. */
  readonly position: number
}

export interface OrderTerm {
  readonly path: readonly string[]
  readonly direction: 'ascending' | 'descending'
  readonly position: number
}

export interface EncodedQuery {
  /** null: every record. */
  readonly where: ConditionTree | null
  readonly orders: readonly OrderTerm[]
}
