import type { Result } from '../kernel/result.ts'
import type { DateSpan } from './dates/range-of-on.ts'
import type { RelativeDate } from './dates/range-of-relative.ts'
import type { DatePartComparison } from './dates/read-date-part.ts'
import type { Helper } from './dates/read-helper.ts'
import type { Operator } from './operators.ts'

/**
 * A parsed encoded query: the common language of callers' queries, access rules and metadata filters.
 *
 * Normal form, which the parser makes and the printer expects: `all` and `any` have at least two members, an `all` contains no `all` and an
 * `any` no `any` (redundant brackets are removed, and `^NQ` is an `any` of whole groups).
 */
export type ConditionTree =
  | { readonly kind: 'all'; readonly of: readonly ConditionTree[] }
  | { readonly kind: 'any'; readonly of: readonly ConditionTree[] }
  | ConditionComparison
  | RowsCondition

/** One `field operator value`. */
export interface ConditionComparison {
  readonly kind: 'comparison'
  /** Segments of a field path: `assigned_user.company.name` is three. Full-text search over the record is the empty path. */
  readonly path: readonly string[]
  readonly operator: Operator
  readonly value: ConditionValue
  /** Offset of the term in the decoded query text, in UTF-16 units; for error messages only. */
  readonly position: number
}

/** How many rows of another table belong to the row and meet further conditions. */
export interface RowsCondition {
  readonly kind: 'rows'
  readonly link: RowsLink
  /** Conditions on rows of the other table; null: all of them. */
  readonly where: ConditionTree | null
  /** Offset of JOIN or RLQUERY, as in `ConditionComparison`. */
  readonly position: number
}

/** Table names as in the query. */
export type RowsLink =
  /** JOIN: at least one row of the other table has the same value. */
  | { readonly kind: 'join'; readonly own: ColumnOfTable; readonly other: ColumnOfTable }
  /** RLQUERY: this number of rows refers to the row by this column. */
  | {
      readonly kind: 'count'
      readonly other: ColumnOfTable
      readonly comparison: CountComparison
      readonly number: number
    }

export interface ColumnOfTable {
  readonly table: string
  readonly column: string
}

export const COUNT_COMPARISONS = ['<=', '>=', '!=', '=', '<', '>'] as const
export type CountComparison = (typeof COUNT_COMPARISONS)[number]

/**
 * The value of an operator. The operator determines the kind (`typed-value.ts`), so no later code parses the text of a query again. `text`,
 * beside a typed part, is the value as written: for the printer and for error messages only.
 */
export type ConditionValue =
  /** The operator takes no value. */
  | { readonly kind: 'none' }
  /** SAMEAS and similar operators: the other field. */
  | { readonly kind: 'field'; readonly path: readonly string[] }
  | Operand
  /** IN and NOT IN. */
  | { readonly kind: 'list'; readonly members: readonly Operand[] }
  /** HAS and HASNOT: columns of lists compare with the members, metadata with the whole. */
  | { readonly kind: 'members'; readonly whole: Operand; readonly members: readonly Operand[] }
  /** BETWEEN; both ends are inclusive. */
  | { readonly kind: 'range'; readonly from: Operand; readonly to: Operand }
  /** ON and NOTON. */
  | { readonly kind: 'date-span'; readonly text: string; readonly span: DateSpan }
  /** RELATIVEGT and similar operators. */
  | { readonly kind: 'relative-date'; readonly text: string; readonly date: RelativeDate }
  | { readonly kind: 'date-part'; readonly text: string; readonly comparison: DatePartComparison }
  /** DYNAMIC and INSTANCEOF: a name or sys_id in the dictionary. */
  | { readonly kind: 'name'; readonly name: string }
  /** Full-text search. */
  | { readonly kind: 'words'; readonly text: string }
  /** The operator cannot parse the text. The error is reported where the condition is used, because a rule with it grants nothing. */
  | { readonly kind: 'malformed'; readonly text: string; readonly isLiteral: boolean; readonly detail: string }

/** One value. Its meaning depends on the type of the column that it is compared with. */
export type Operand =
  | { readonly kind: 'literal'; readonly text: string }
  /** `javascript:gs.…`; `call` describes what is wrong with an unknown one. Columns whose keys are any text compare with `text`. */
  | { readonly kind: 'helper'; readonly text: string; readonly call: Result<Helper, string> }

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
