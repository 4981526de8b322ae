import type { Column, Table } from '../../catalog/catalog.ts'
import type { ComparisonType } from '../../column-types/comparison-types.ts'
import type { RowsQuantifier } from '../../condition/comparison-shape.ts'
import type { DatePart, PartComparison } from '../../condition/dates/read-date-part.ts'
import type { Operator } from '../../condition/operators.ts'
import type { ValueSource } from './value-source.ts'

/** A condition on a row of one table. Two-valued where it decides: null counts as "no". */
export type Predicate =
  | { readonly kind: 'constant'; readonly value: boolean }
  | { readonly kind: 'all'; readonly of: readonly Predicate[] }
  | { readonly kind: 'any'; readonly of: readonly Predicate[] }
  /** The row is of one of these classes (sys_ids of sys_db_table). */
  | { readonly kind: 'class'; readonly ids: readonly string[] }
  /** The row has one of these sys_ids. */
  | { readonly kind: 'row'; readonly ids: readonly string[] }
  /** The row belongs to a record (an entry of its journal, its history, a file of it) that may be seen. */
  /** `others`: whether rows count that belong to no table of `to`. */
  | { readonly kind: 'belongs'; readonly to: readonly Owner[]; readonly others: boolean }
  | { readonly kind: 'test'; readonly test: PlannedTest }
  | RelatedTest
  | RowsPredicate

/** Asked of several records that belong to the row, as far as they may be seen. */
export interface RelatedTest {
  readonly kind: 'related'
  /** `every` holds where there is none. */
  readonly quantifier: 'some' | 'every'
  /** Members of a list of references, or entries of a journal column. */
  readonly source: 'members' | 'entries'
  /** The list or the journal column. */
  readonly fieldPath: PlannedPath
  readonly target: Table
  /** On a row of `target`: it may be seen. */
  readonly readable: Predicate
  /** On a row of `target`. */
  readonly where: Predicate
}

/** So many rows of another table, of those that may be seen, belong to the row. */
export interface RowsPredicate {
  readonly kind: 'rows'
  readonly quantifier: RowsQuantifier
  /** The number that rows are counted against, with the comparisons. */
  readonly number: ValueSource
  readonly target: Table
  readonly link: PlannedLink
  /** On a row of `target`: it may be seen, and it is of the class that the query names. */
  readonly readable: Predicate
  /** On a row of `target`. */
  readonly where: Predicate
}

export type PlannedLink =
  /** A column of the other row refers to this one. */
  | { readonly kind: 'own-key'; readonly other: PlannedPath }
  /** A column of this row refers to the other one. */
  | { readonly kind: 'other-key'; readonly own: PlannedPath; readonly other: PlannedPath }
  | { readonly kind: 'values'; readonly own: PlannedPath; readonly other: PlannedPath }

/** Records that rows of sys_journal_entry, sys_history and sys_attachment may belong to: `table_id`, `record_id`. */
export interface Owner {
  readonly table: Table
  /** sys_ids of the classes whose rows the table's PostgreSQL table holds. */
  readonly classIds: readonly string[]
  readonly readable: Predicate
  /** The columns, by the name in `column_name`, that rows may speak of; null: rows speak of the whole record. */
  readonly columns: readonly { readonly name: string; readonly visible: Predicate }[] | null
}

/** A path from a row to a column, with the rows on which each part of it may be seen. */
export interface PlannedPath {
  readonly steps: readonly PlannedStep[]
  readonly table: Table
  readonly column: Column
  /** On a row of `table`: the column may be seen. */
  readonly visible: Predicate
}

export interface PlannedStep {
  /** The reference column walked through, and on which rows it may be seen. */
  readonly column: Column
  readonly visible: Predicate
  readonly target: Table
  /** On a row of `target`: the row may be seen. */
  readonly readable: Predicate
}

export interface PlannedTest {
  readonly operator: Operator
  readonly comparisonType: ComparisonType
  /** null: full text over `searched`. */
  readonly fieldPath: PlannedPath | null
  readonly other: PlannedPath | null
  /** Columns of a full-text search over the record. */
  readonly searched: readonly PlannedPath[]
  /** How many values `read` gives is fixed by operator, family and `value`. */
  readonly read: ValueSource
  readonly value: ComparedValue
}

/** What of a value the SQL depends on. */
export type ComparedValue =
  /** `caseless`: no letter stands in the value, so it is compared without case folding. */
  | { readonly kind: 'plain' | 'caseless' | 'user-id' | 'group-ids' }
  | { readonly kind: 'date-part'; readonly part: DatePart; readonly comparison: PartComparison }
