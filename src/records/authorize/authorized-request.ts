import type { Access } from '../../acl/decide.ts'
import type { Catalog, Column, Table } from '../../catalog/catalog.ts'
import type { ResolvedPath } from '../../catalog/resolve-path.ts'
import type { ConditionComparison, RowsLink } from '../../condition/condition-tree.ts'
import type { Problem } from '../../kernel/problem.ts'
import type { Aggregate, GroupField, HavingComparison, RecordRequest } from '../parse/record-request.ts'

/**
 * A request in which every name is a table or column of the dictionary, without anything that the caller may not use on any row.
 * The statement decides row by row about what they may use on some rows only.
 */
export interface AuthorizedRequest {
  readonly request: RecordRequest
  readonly catalog: Catalog
  readonly access: Access
  readonly table: Table
  /** Names of the caller's roles. */
  readonly roles: ReadonlySet<string>
  /** Fields of the response, in its order. */
  readonly fields: readonly FieldPath[]
  readonly where: AuthorizedCondition | null
  readonly orders: readonly AuthorizedOrder[]
  /** What is counted and aggregated; `fields` then contains the group fields, followed by the fields of the aggregates. */
  readonly stats: AuthorizedStats | null
  /** The columns that the body names, in its order. */
  readonly writes: readonly AuthorizedWrite[]
  /** The request names a view that does not exist. */
  readonly ignoresView: boolean
}

export interface AuthorizedStats {
  readonly groups: readonly AuthorizedGroup[]
  readonly aggregates: readonly AuthorizedAggregate[]
  readonly having: readonly { readonly on: StatColumn; readonly operator: HavingComparison['operator'] }[]
  readonly orders: readonly { readonly on: StatColumn; readonly direction: 'ascending' | 'descending' }[]
}

export interface AuthorizedGroup extends Pick<GroupField, 'key' | 'unit'> {
  readonly fieldPath: ResolvedPath
}

export interface AuthorizedAggregate {
  readonly kind: Aggregate
  readonly fieldPath: ResolvedPath
  /** A field that is only compared or ordered by is not part of the response. */
  readonly isDisplayed: boolean
}

/** A column of the table of groups: the count, or the n-th group field or aggregate. */
export type StatColumn = { readonly kind: 'count' } | { readonly kind: 'group' | 'aggregate'; readonly index: number }

export interface FieldPath {
  readonly fieldPath: ResolvedPath
  /** A reference on the path, or the table behind it, is denied to the caller: the field is null (docs/spec/records.md, section 6). */
  readonly denied: boolean
}

export type AuthorizedCondition =
  | { readonly kind: 'all'; readonly of: readonly AuthorizedCondition[] }
  | { readonly kind: 'any'; readonly of: readonly AuthorizedCondition[] }
  | AuthorizedComparison
  | AuthorizedRows

export interface AuthorizedComparison {
  readonly kind: 'comparison'
  readonly comparison: ConditionComparison
  /** null: a search over the whole record. */
  readonly fieldPath: ResolvedPath | null
  /** The field that SAMEAS and its kind compare with; null for every other operator. */
  readonly other: ResolvedPath | null
}

/** How two columns are compared: a key of this or the other row with the reference to it, or two values. */
export type LinkKind = 'own-key' | 'other-key' | 'values'

export interface AuthorizedRows {
  readonly kind: 'rows'
  readonly link: RowsLink
  /** The other table. */
  readonly table: Table
  /** The column of JOIN in the row's own table; null: the other column refers to the row. */
  readonly own: ResolvedPath | null
  readonly other: ResolvedPath
  readonly linkedBy: LinkKind
  readonly where: AuthorizedCondition | null
}

export interface AuthorizedOrder {
  readonly fieldPath: ResolvedPath
  readonly direction: 'ascending' | 'descending'
}

export interface AuthorizedWrite {
  readonly column: Column
  /** The value in the body. */
  readonly value: unknown
  /**
   * Why the column rejects the value. The caller may still send back the stored value (docs/spec/records.md, section 8). Absent:
   * the value was not rejected.
   */
  readonly rejected?: Problem
}
