import type { Catalog, Column, Table } from '../../catalog/catalog.ts'
import type { Names } from '../../catalog/vocabulary.ts'
import type { ComparisonType } from '../../column-types/comparison-types.ts'
import type { Aggregate, Display, HavingTest, PeriodUnit } from '../parse/record-request.ts'
import type {
  Assignment,
  BuiltInRule,
  DependentChoice,
  JournalWrite,
  PlannedStateModel,
  StateGuard,
  WriteCheck,
} from './planned-change.ts'
import type { PlannedPath, Predicate } from './planned-predicate.ts'
import type { ValueSource } from './value-source.ts'

/**
 * Everything a statement is made from, and nothing that differs between two requests of the same shape: values come in
 * later, through slots. One plan serves all callers with the same roles.
 */
export interface RecordPlan {
  readonly catalog: Catalog
  readonly table: Table
  readonly form: PlanForm
  readonly fields: readonly PlannedField[]
  readonly display: Display
  readonly links: boolean
  /** The API in whose form records are shown; null: as the dictionary has them. */
  readonly names: Names | null
  /** The rows of the table's PostgreSQL table that the caller may read. */
  readonly readable: Predicate
  /**
   * What the entity tag is made from: every column that the caller may see, as stored. null: the answer shows just that, so
   * that its text serves for both.
   */
  readonly tagged: readonly PlannedField[] | null
  /** The log says that the change was a migration, and that the caller wrote it. */
  readonly migrating: boolean
}

export type PlanForm =
  | {
      readonly kind: 'list'
      readonly where: Predicate
      readonly orders: readonly PlannedOrder[]
      readonly paging: PlannedPaging
      readonly count: boolean
      /** The total is the number of rows that satisfy any of them. */
      readonly counted: readonly Predicate[]
      /** More rows than this are not counted; null: all are. */
      readonly countUpTo: number | null
      /** A number stands in the statement itself: PostgreSQL then knows how few rows are wanted, and plans once for all. */
      readonly limit: number | ValueSource
      readonly offset: 0 | ValueSource
      /** Length of texts, in characters; null: they are whole. */
      readonly maxText: ValueSource | null
    }
  | {
      readonly kind: 'read'
      readonly where: Predicate
      readonly sysId: ValueSource
      /** null: not wanted. */
      readonly rights: PlannedRecordRights | null
    }
  | {
      readonly kind: 'stats'
      readonly where: Predicate
      readonly stats: PlannedStats
      readonly limit: number | ValueSource
      readonly offset: 0 | ValueSource
    }
  | {
      readonly kind: 'create'
      readonly assignments: readonly Assignment[]
      readonly checks: readonly WriteCheck[]
      readonly journals: readonly JournalWrite[]
      /** Asked of the new row. */
      readonly allowed: Predicate
      readonly columnsAllowed: readonly ColumnAllowed[]
      readonly dependentChoices: readonly DependentChoice[]
      readonly builtInRules: readonly BuiltInRule[]
    }
  | {
      readonly kind: 'update'
      readonly sysId: ValueSource
      readonly tags: ValueSource | null
      readonly assignments: readonly Assignment[]
      readonly checks: readonly WriteCheck[]
      readonly journals: readonly JournalWrite[]
      /** Asked of the row before and after. */
      readonly allowed: Predicate
      readonly columnsAllowed: readonly ColumnAllowed[]
      readonly dependentChoices: readonly DependentChoice[]
      readonly stateGuard: StateGuard | null
      readonly builtInRules: readonly BuiltInRule[]
    }
  | {
      readonly kind: 'delete'
      readonly sysId: ValueSource
      readonly tags: ValueSource | null
      readonly allowed: Predicate
      readonly builtInRules: readonly BuiltInRule[]
    }

/** What a caller may do with a record that they read, all of it asked of its row (`sysparm_rights`). */
export interface PlannedRecordRights {
  /** Columns that are written on the rows where the record may be written at all. */
  readonly columns: readonly { readonly name: string; readonly when: Predicate }[]
  readonly write: Predicate
  readonly delete: Predicate
  /** null: no model decides where the record may go. */
  readonly states: PlannedStates | null
}

export interface PlannedStates {
  readonly column: Column
  /** The caller may see the state and write it. */
  readonly when: Predicate
  readonly models: readonly PlannedStateModel[]
}

/** On which rows the caller may write a column that the body names. */
export interface ColumnAllowed {
  readonly column: string
  readonly when: Predicate
}

export interface PlannedOrder {
  readonly fieldPath: PlannedPath
  readonly comparisonType: ComparisonType
  readonly direction: 'ascending' | 'descending'
  /** No row has null here: the cursor needs no branch for nulls. */
  readonly neverNull: boolean
  /** The value stands behind one reference whose foreign key leads to a row, and the caller may see all such rows and values. */
  readonly isByReference: boolean
}

export type PlannedPaging =
  | { readonly kind: 'page' }
  /** `nulls[i]`: the i-th key of the row that the cursor stands on is null. Empty: from the beginning. */
  | { readonly kind: 'cursor'; readonly nulls: readonly boolean[] }

export interface PlannedField {
  /** The key of the answer. */
  readonly key: string
  readonly fieldPath: PlannedPath
  /** Always null: something on the way is closed. */
  readonly closed: boolean
  /** Tables that a reference, list or document id may point at, with what stands there for a record; only what may be seen. */
  readonly targets: readonly DisplayTarget[]
}

/** Groups of rows, as a table that has a column for each group field, for each aggregate, and for the count (`#count`). */
export interface PlannedStats {
  readonly groups: readonly PlannedGroup[]
  readonly aggregates: readonly (PlannedCell & { readonly kind: Aggregate; readonly isDisplayed: boolean })[]
  readonly having: readonly {
    readonly name: string
    readonly comparisonType: ComparisonType
    readonly operator: HavingTest['operator']
    readonly value: ValueSource
  }[]
  readonly orders: readonly {
    readonly name: string
    readonly comparisonType: ComparisonType
    readonly direction: 'ascending' | 'descending'
  }[]
}

export interface PlannedGroup extends PlannedCell {
  /** Groups by the start of this period, not by the value; null: by the value. */
  readonly unit: PeriodUnit | null
}

export interface PlannedCell {
  /** A name that no column of a table has. */
  readonly name: string
  readonly comparisonType: ComparisonType
  /** From a row to the value that is grouped by or computed from. */
  readonly fieldPath: PlannedPath
  /** From a group to the value that was computed. */
  readonly displayed: PlannedField
}

export interface DisplayTarget {
  readonly catalog: Catalog
  readonly table: Table
  readonly readable: Predicate
  readonly column: Column
  readonly visible: Predicate
}
