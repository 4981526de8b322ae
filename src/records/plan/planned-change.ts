import type { Catalog, Choice, Column, DisplayedChoice, Numbering, StateModel, Table } from '../../catalog/catalog.ts'
import type { ComparisonType } from '../../column-types/comparison-types.ts'
import type { Predicate } from './planned-predicate.ts'
import type { ValueSource } from './value-source.ts'

/** `set column = …`, told apart by how the new value is computed. */
export interface Assignment {
  readonly column: Column
  readonly comparisonType: ComparisonType
  readonly change: Change
  /** What the body holds for the column, where that may be the stored value in other words: then nothing changes. */
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
  /** `run_as` of a webhook: the caller where `url` changes, else what is given, else the stored value. */
  | { readonly kind: 'run-as'; readonly url: Assignment; readonly given: Assignment | null; readonly by: ValueSource }

/** A value as another API shows it. What the row shows already changes nothing. */
export interface DisplayedChange {
  readonly kind: 'displayed'
  /** With `displayed`. */
  readonly column: Column
  readonly value: ValueSource
  /** Classes that the row may be of. */
  readonly classes: DisplayedChoice['classes']
  /** The column that `split` of a class names, where the body has it. */
  readonly by: { readonly column: Column; readonly value: ValueSource } | null
}

export type StateChange = DisplayedChange | { readonly kind: 'value'; readonly value: ValueSource }

/** Members of a list, of which some are found by the statement. */
export interface PlannedMembers {
  /** sys_ids of those that are given, in their order. */
  readonly given: ValueSource
  /** null: all are given. */
  readonly order: readonly ('given' | { readonly target: Table; readonly where: Predicate })[] | null
}

export type StateStamp = 'changed-at' | 'closed-at' | 'closed-by' | 'active'

export interface PlannedStateModel {
  /** The rows, as they stand, that it is for; the first model that is for a row holds. */
  readonly when: Predicate
  readonly transitions: StateModel['transitions']
  readonly finals: StateModel['finals']
}

/** Asked of the row before and after: where a model says so, its state moves along the model. */
export interface StateGuard {
  readonly column: Column
  readonly models: readonly PlannedStateModel[]
  /** The caller may see the state that they move on from. */
  readonly tells: boolean
}

/** A rule of Docket about rows of one of its own tables, checked on the row before and after the write. */
export type BuiltInRule =
  /** docs/spec/records.md, section 9: a webhook runs with the rights of the user who set its address (docs/changes.md). */
  | {
      readonly kind: 'webhook'
      /** Columns of the body that decide what is delivered, and with whose rights. */
      readonly named: readonly string[]
    }
  /** docs/spec/records.md, section 8: a decision is made by its approver, with a comment if it rejects, and is final. */
  | { readonly kind: 'approval'; readonly isAdmin: boolean; readonly named: readonly string[] }
  /** `approved` and `rejected` of a task follow the decisions of its approvers. */
  | { readonly kind: 'approval-state'; readonly column: Column }
  /** A record is not its own ancestor; `column` refers to its parent. Holds in a migration too. */
  | { readonly kind: 'hierarchy'; readonly column: Column }

/** Asked of the written row: the choice of a column is one of those for the value of the column that it depends on. */
export interface DependentChoice {
  readonly column: Column
  readonly on: Column
  readonly choices: readonly Choice[]
}

/** Asked before anything is written; a check that fails refuses the whole request. */
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
  /** A read-only column is named with the value that stands there (update only). */
  | {
      readonly kind: 'unchanged'
      readonly column: Column
      readonly comparisonType: ComparisonType
      readonly value: ValueSource
      readonly stored: StoredValue
    }
  /** The column rejects the value, unless it is the stored one (update only). */
  | { readonly kind: 'stored'; readonly stored: StoredValue }
  /** On the row as it stands the rules allow the action on the column (update only). */
  | {
      readonly kind: 'column-allowed'
      readonly action: 'read' | 'write'
      readonly column: string
      readonly when: Predicate
    }
  /** An appended text stays within the column's length. */
  | { readonly kind: 'length'; readonly column: Column; readonly maxLength: number }
  /** A number stays within its column's range after an increment; both ends belong to it. */
  | { readonly kind: 'range'; readonly column: Column; readonly min: number; readonly max: number }

/** Compares what the body holds for a column with the stored value as a read displays it. */
export interface StoredValue {
  readonly column: Column
  /** JSON text. */
  readonly sent: ValueSource
  /** Where the caller may not read the stored value, a guess must not be confirmed. */
  readonly visible: Predicate
}

export interface JournalWrite {
  readonly column: Column
  readonly text: ValueSource
  /** `text` gives entries of a migration, as JSON. */
  readonly migrating: boolean
}
