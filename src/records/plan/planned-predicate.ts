import type { Column, Table } from '../../catalog/catalog.ts'
import type { ComparisonType } from '../../column-types/comparison-types.ts'
import type { RowsQuantifier } from '../../condition/comparison-shape.ts'
import type { DatePart, PartComparison } from '../../condition/dates/read-date-part.ts'
import type { Operator } from '../../condition/operators.ts'
import type { ValueSource } from './value-source.ts'

/** A condition on a row of one table. SQL null counts as false. */
export type Predicate =
  | { readonly kind: 'constant'; readonly value: boolean }
  | { readonly kind: 'all'; readonly of: readonly Predicate[] }
  | { readonly kind: 'any'; readonly of: readonly Predicate[] }
  /** The row has one of these classes (sys_ids of sys_db_table). */
  | { readonly kind: 'class'; readonly ids: readonly string[] }
  /** The row has one of these sys_ids. */
  | { readonly kind: 'row'; readonly ids: readonly string[] }
  /** The row belongs to a visible record (as an entry of its journal, of its history, or as its file). */
  /** `others`: rows that belong to no table of `to` match, too. */
  | { readonly kind: 'belongs'; readonly to: readonly Owner[]; readonly others: boolean }
  | { readonly kind: 'comparison'; readonly comparison: PlannedComparison }
  | RelatedPredicate
  | RowsPredicate
  | BesideTextPredicate

/** A condition on the visible members of a list, or on the visible entries of a journal, of the row. */
export interface RelatedPredicate {
  readonly kind: 'related'
  /** `every` is true if there is none. */
  readonly quantifier: 'some' | 'every'
  /** Members of a list of references, or entries of a journal column. */
  readonly source: 'members' | 'entries'
  /** The list or the journal column. */
  readonly fieldPath: PlannedPath
  readonly target: Table
  /** On a row of `target`: it is visible. */
  readonly readable: Predicate
  /** On a row of `target`. */
  readonly where: Predicate
}

/** `where`, looked up together with a text (references-beside-text.ts). */
export interface BesideTextPredicate {
  readonly kind: 'beside-text'
  readonly where: Predicate
  /** The references that the index of the text has. One of them is equal to one of the values, if `where` holds. */
  readonly references: readonly Column[]
  readonly anyOf: readonly PlannedComparison[]
}

/** A condition on the number of visible rows of another table that are linked to the row. */
export interface RowsPredicate {
  readonly kind: 'rows'
  readonly quantifier: RowsQuantifier
  /** The number with which the count is compared; not used by `some` and `none`. */
  readonly number: ValueSource
  readonly target: Table
  readonly link: PlannedLink
  /** On a row of `target`: it is visible, and has a class of the table that the query names. */
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

/** A table of parent records, to which `table_id` and `record_id` of sys_journal_entry, sys_history and sys_attachment refer. */
export interface Owner {
  readonly table: Table
  /** sys_ids of the classes whose rows are in the table's PostgreSQL table. */
  readonly classIds: readonly string[]
  readonly readable: Predicate
  /** The columns to which rows may refer by `column_name`; null: rows refer to the whole record. */
  readonly columns: readonly { readonly name: string; readonly visible: Predicate }[] | null
}

/** A path from a row to a column, with the rows on which each part of it is visible. */
export interface PlannedPath {
  readonly hops: readonly PlannedHop[]
  readonly table: Table
  readonly column: Column
  /** On a row of `table`: the column is visible. */
  readonly visible: Predicate
}

export interface PlannedHop {
  /** The reference column of this hop, and the rows on which it is visible. */
  readonly column: Column
  readonly visible: Predicate
  readonly target: Table
  /** On a row of `target`: the row is visible. */
  readonly readable: Predicate
}

export interface PlannedComparison {
  readonly operator: Operator
  readonly comparisonType: ComparisonType
  /** null: full text over `searched`. */
  readonly fieldPath: PlannedPath | null
  readonly other: PlannedPath | null
  /** Columns of a full-text search over the record. */
  readonly searched: readonly PlannedPath[]
  /** The number of values depends only on operator, comparison type and `value`. */
  readonly read: ValueSource
  readonly value: ComparedValue
  /** The column's value in all rows that count (known-references.ts): it is compared instead. */
  readonly known?: ValueSource
  /** A pattern that every match matches, with fewer parts to look up in an index (coarse-pattern.ts). Absent: no index has parts of the column. */
  readonly coarse?: ValueSource
}

/** The properties of a value on which the SQL depends. */
export type ComparedValue =
  /** `caseless`: the value has no letter, so it is compared without case folding. */
  | { readonly kind: 'plain' | 'caseless' | 'user-id' | 'group-ids' }
  | { readonly kind: 'date-part'; readonly part: DatePart; readonly operator: PartComparison }
