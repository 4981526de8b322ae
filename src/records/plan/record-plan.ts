import type { Catalog, Column, Table } from '../../catalog/catalog.ts'
import type { Names } from '../../catalog/vocabulary.ts'
import type { ComparisonType } from '../../column-types/comparison-types.ts'
import type { Aggregate, Display, HavingComparison, PeriodUnit } from '../parse/record-request.ts'
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
 * Everything from which a statement is written, and nothing that differs between two requests of the same shape: values become
 * parameters later. One plan serves all callers with the same roles.
 */
export interface RecordPlan {
  readonly catalog: Catalog
  readonly table: Table
  readonly form: PlanKind
  readonly fields: readonly PlannedField[]
  readonly display: Display
  readonly links: boolean
  /** The names of the API in whose form records are displayed; null: those of the dictionary. */
  readonly names: Names | null
  /** The rows of the table's PostgreSQL table that the caller may read. */
  readonly readable: Predicate
  /**
   * The source of the entity tag: every column that the caller may see, as stored. null: the response has exactly these fields, so the
   * tag is computed from its text.
   */
  readonly tagged: readonly PlannedField[] | null
  /** The change log marks the change as a migration, written by the caller. */
  readonly migrating: boolean
  /** The row may contain another writer than the caller. */
  readonly givesStamps: boolean
}

export type PlanKind =
  | {
      readonly kind: 'list'
      readonly where: Predicate
      readonly orders: readonly PlannedOrder[]
      readonly paging: PlannedPaging
      readonly count: boolean
      /** null: rows are read in the order of the list. */
      readonly foundFirst: FoundFirst | null
      /** The keys of the page are found before its other columns are read (keys-first.ts). */
      readonly keysFirst: boolean
      /** The total is the number of rows that satisfy any of them. */
      readonly counted: readonly Predicate[]
      /** Maximum number of rows that are counted; null: no limit. */
      readonly countUpTo: number | null
      /** A number is a constant in the statement: PostgreSQL then knows how few rows are needed, and one plan serves all values. */
      readonly limit: number | ValueSource
      readonly offset: 0 | ValueSource
      /** Maximum length of texts, in characters; null: no limit. */
      readonly maxText: ValueSource | null
      /** null: the table is not a view of the log. */
      readonly removedHistory: RemovedHistory | null
    }
  | {
      readonly kind: 'read'
      readonly where: Predicate
      readonly sysId: ValueSource
      /** null: not requested. */
      readonly rights: PlannedRecordRights | null
    }
  | {
      readonly kind: 'stats'
      readonly where: Predicate
      /** The rows that satisfy `where` and are readable. */
      readonly counted: Predicate
      readonly stats: PlannedStats
      readonly limit: number | ValueSource
      readonly offset: 0 | ValueSource
      /** null: the table is not a view of the log. */
      readonly removedHistory: RemovedHistory | null
    }
  | {
      readonly kind: 'create'
      readonly assignments: readonly Assignment[]
      readonly checks: readonly WriteCheck[]
      readonly journals: readonly JournalWrite[]
      /** Checked on the new row. */
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
      /** The rows before the write whose sys_updated_at, sys_updated_by and count of updates stay if no value changes. */
      readonly stampsCompared: Predicate
      /** Checked on the row before and after. */
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

/** Rows that are found before they are sorted (found-first.ts). */
export interface FoundFirst {
  readonly upTo: number
  /** The rows of the list. */
  readonly where: Predicate
  /** The rows that the caller may read, where more are found and the page is read in the order of the list. */
  readonly readableInOrder: Predicate
}

/** What a caller may do with a record that they read, as conditions on its row (`sysparm_rights`). */
export interface PlannedRecordRights {
  /** Columns that the caller may write, on the rows that they may write at all. */
  readonly columns: readonly { readonly name: string; readonly when: Predicate }[]
  readonly write: Predicate
  readonly delete: Predicate
  /** null: no state model restricts the state of the record. */
  readonly states: PlannedStates | null
}

export interface PlannedStates {
  readonly column: Column
  /** The caller may write the record, and may read and write its state. */
  readonly when: Predicate
  readonly models: readonly PlannedStateModel[]
}

/** On which rows the caller may write a column that the body names. */
export interface ColumnAllowed {
  readonly column: string
  readonly when: Predicate
}

/** The classes whose removed history a list or an aggregate of the log reports (docs/decisions/0035). */
export interface RemovedHistory {
  /** sys_ids of the classes that the caller may read. */
  readonly classIds: readonly string[]
  /** Whether the caller sees changes of tables that the dictionary no longer has. */
  readonly includesGoneTables: boolean
  /** On a row with the column `table_id`: the part of the caller's condition that names classes; null: it names none. */
  readonly named: Predicate | null
}

export interface PlannedOrder {
  readonly fieldPath: PlannedPath
  readonly comparisonType: ComparisonType
  readonly direction: 'ascending' | 'descending'
  /** No row has null here: the cursor needs no branch for nulls. */
  readonly neverNull: boolean
  /** The value is in the row behind one reference with a foreign key, and the caller may see all such rows and values. */
  readonly isByReference: boolean
}

export type PlannedPaging =
  | { readonly kind: 'page' }
  /** `nulls[i]`: the i-th sort key of the cursor's row is null. Empty: from the beginning. */
  | { readonly kind: 'cursor'; readonly nulls: readonly boolean[] }

export interface PlannedField {
  /** The name of the member in the response. */
  readonly key: string
  readonly fieldPath: PlannedPath
  /** Always null: a reference or a table on the path is denied. */
  readonly denied: boolean
  /** Tables to which a reference, list or document id may refer, with their display columns; only those that the caller may see. */
  readonly targets: readonly DisplayTarget[]
  /** Of a journal column whose display value are its entries; null: it has none. */
  readonly entries: DisplayedEntries | null
}

/** The entries of a journal, as far as the caller may see them. */
export interface DisplayedEntries {
  readonly table: Table
  /** The journals, with the rows of the record's table on which each is visible. */
  readonly columns: readonly { readonly column: Column; readonly visible: Predicate }[]
  /** On an entry: it is visible. */
  readonly visible: Predicate
  /** From an entry to the display value of its author; null: authors have none. */
  readonly author: PlannedPath | null
}

/** Groups of rows, as a table that has a column for each group field, for each aggregate, and for the count (`#count`). */
export interface PlannedStats {
  readonly groups: readonly PlannedGroup[]
  readonly aggregates: readonly (PlannedCell & { readonly kind: Aggregate; readonly isDisplayed: boolean })[]
  readonly having: readonly {
    readonly name: string
    readonly comparisonType: ComparisonType
    readonly operator: HavingComparison['operator']
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
  /** The name of the column in the derived table. No column of a real table has it. */
  readonly name: string
  readonly comparisonType: ComparisonType
  /** From a row to the value that is grouped or aggregated. */
  readonly fieldPath: PlannedPath
  /** From a group to the computed value. */
  readonly displayed: PlannedField
}

export interface DisplayTarget {
  readonly catalog: Catalog
  readonly table: Table
  readonly readable: Predicate
  readonly column: Column
  readonly visible: Predicate
}
