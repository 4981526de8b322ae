import type { Catalog, Choice, Column, DisplayedChoice, Numbering, StateModel, Table } from '../../catalog/catalog.ts'
import type { ComparisonType } from '../../column-types/comparison-types.ts'
import type { Predicate } from './planned-predicate.ts'
import type { ValueSource } from './value-source.ts'

/** `set column = …`; `change` is how the new value is computed. */
export interface Assignment {
  readonly column: Column
  readonly comparisonType: ComparisonType
  readonly change: Change
  /** The body's value, if it may be the stored one in another form: in that case nothing changes. */
  readonly keeps?: ValueSource
}

export type Change =
  | { readonly kind: 'value'; readonly value: ValueSource }
  | DisplayedChange
  | { readonly kind: 'increment'; readonly by: ValueSource }
  | { readonly kind: 'append' | 'prepend'; readonly text: ValueSource; readonly isHtml: boolean }
  | { readonly kind: 'edit-list'; readonly add: ValueSource; readonly remove: ValueSource }
  | { readonly kind: 'members'; readonly members: PlannedMembers }
  | { readonly kind: 'edit-members'; readonly add: PlannedMembers; readonly remove: PlannedMembers }
  | { readonly kind: 'merge'; readonly patch: ValueSource }
  /** The sys_id of the one readable record that satisfies `where`. */
  | { readonly kind: 'find'; readonly target: Table; readonly where: Predicate }
  /** Follows a change of the state column. */
  | {
      readonly kind: 'state-stamp'
      readonly stamp: StateStamp
      readonly column: Column
      readonly state: StateChange
      readonly models: readonly PlannedStateModel[]
    }
  | { readonly kind: 'number'; readonly numbering: Numbering }
  /** `run_as` of a webhook: the caller if `url` changes, otherwise the given value, otherwise the stored one. */
  | { readonly kind: 'run-as'; readonly url: Assignment; readonly given: Assignment | null; readonly by: ValueSource }

/** A value in the form in which another API displays it. If it equals the displayed value of the row, nothing changes. */
export interface DisplayedChange {
  readonly kind: 'displayed'
  /** A column that has `displayed`. */
  readonly column: Column
  readonly value: ValueSource
  /** Classes that the row may have. */
  readonly classes: DisplayedChoice['classes']
  /** The column that `split` of a class names, with its value in the body; null: the body does not have it. */
  readonly by: { readonly column: Column; readonly value: ValueSource } | null
}

export type StateChange = DisplayedChange | { readonly kind: 'value'; readonly value: ValueSource }

/** Members of a list. The statement may look some of them up. */
export interface PlannedMembers {
  /** sys_ids of the members that are given by sys_id, in their order. */
  readonly given: ValueSource
  /** All members, in their order; null: all are given by sys_id. */
  readonly order: readonly ('given' | { readonly target: Table; readonly where: Predicate })[] | null
}

export type StateStamp = 'changed-at' | 'closed-at' | 'closed-by' | 'active' | 'hold-reason'

export interface PlannedStateModel {
  /** The stored rows to which the model applies. If several models match a row, the first one applies. */
  readonly when: Predicate
  readonly transitions: StateModel['transitions']
  readonly finals: StateModel['finals']
}

/** Checked on the row before and after: a change of the state must follow the model that applies to the row, if one does. */
export interface StateGuard {
  readonly column: Column
  readonly models: readonly PlannedStateModel[]
  /** The caller may read the stored state, so the error may contain it. */
  readonly listsAllowed: boolean
}

/** A rule of Docket about rows of one of its own tables, checked on the row before and after the write. */
export type BuiltInRule =
  /** A webhook runs with the rights of the user who set its address (docs/spec/records.md, section 9; docs/changes.md). */
  | {
      readonly kind: 'webhook'
      /** Columns of the body that decide what is delivered, and with whose rights. */
      readonly named: readonly string[]
    }
  /** A decision is made by its approver, with a comment if it rejects, and is final (docs/spec/records.md, section 8). */
  | { readonly kind: 'approval'; readonly isAdmin: boolean; readonly named: readonly string[] }
  /** `approved` and `rejected` of a task follow the decisions of its approvers. */
  | { readonly kind: 'approval-state'; readonly column: Column }
  /** A record is not its own ancestor; `column` refers to its parent. Applies to migrations as well. */
  | { readonly kind: 'hierarchy'; readonly column: Column }

/** Checked on the written row: `column` has one of the choices for the value of `on`, the column on which they depend. */
export interface DependentChoice {
  readonly column: Column
  readonly on: Column
  readonly choices: readonly Choice[]
}

/** Checked before anything is written. If a check fails, the whole request is rejected. */
export type WriteCheck =
  /** The record exists and the caller may read it. */
  | {
      readonly kind: 'record-exists'
      readonly column: string
      readonly target: Table
      readonly readable: Predicate
      readonly ids: ValueSource
      readonly many: boolean
      readonly unless: StoredValue | null
    }
  /** Table and record exist and the caller may read the record. */
  | {
      readonly kind: 'document-exists'
      readonly column: string
      readonly targets: readonly { readonly table: Table; readonly readable: Predicate }[]
      readonly catalog: Catalog
      readonly id: ValueSource
      readonly unless: StoredValue | null
    }
  /** Exactly one record is found. */
  | { readonly kind: 'found-one'; readonly column: string; readonly target: Table; readonly where: Predicate }
  /** The body has the stored value of a read-only column (update only). */
  | {
      readonly kind: 'unchanged'
      readonly column: Column
      readonly comparisonType: ComparisonType
      readonly value: ValueSource
      readonly stored: StoredValue
    }
  /** The column rejects the value, unless it is the stored one (update only). */
  | { readonly kind: 'stored'; readonly stored: StoredValue }
  /** The rules allow the action on the column of the stored row (update only). */
  | {
      readonly kind: 'column-allowed'
      readonly action: 'read' | 'write'
      readonly column: string
      readonly when: Predicate
    }
  /** An appended text stays within the column's length. */
  | { readonly kind: 'length'; readonly column: Column; readonly maxLength: number }
  /** A number stays within its column's range after an increment; `min` and `max` are allowed. */
  | { readonly kind: 'range'; readonly column: Column; readonly min: number; readonly max: number }

/** Compares the body's value of a column with the stored value, in the form of a read. */
export interface StoredValue {
  readonly column: Column
  /** JSON text. */
  readonly sent: ValueSource
  /** The rows on which the caller may read the stored value. On others, a guess must not be confirmed. */
  readonly visible: Predicate
}

export interface JournalWrite {
  readonly column: Column
  readonly text: ValueSource
  /** `text` has entries of a migration, as JSON. */
  readonly migrating: boolean
}
