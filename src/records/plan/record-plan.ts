import type { Catalog, Choice, Column, Numbering, StateModel, Table } from '../../catalog/catalog.ts'
import type { ComparisonType } from '../../column-types/comparison-types.ts'
import type { ConditionTest, Operand } from '../../condition/condition-tree.ts'
import type { DatePart, PartComparison } from '../../condition/dates/read-date-part.ts'
import type { Operator } from '../../condition/operators.ts'
import type { Principal } from '../../identity/principal.ts'
import type { Problem } from '../../kernel/problem.ts'
import type { Result } from '../../kernel/result.ts'
import type { Aggregate, Display, HavingTest } from '../parse/record-request.ts'

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
    }
  | { readonly kind: 'read'; readonly where: Predicate; readonly sysId: ValueSource }
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

/** On which rows the caller may write a column that the body names. */
export interface ColumnAllowed {
  readonly column: string
  readonly when: Predicate
}

// ── slots: where values enter ──

/** Who sends a request, and when: all that rules depend on. */
export interface Caller {
  readonly principal: Principal
  readonly nowMs: number
  readonly catalog: Catalog
}

/** What else differs between two requests that share a plan. */
export interface RequestValues {
  /** The tests of the caller's query, in reading order. */
  readonly tests: readonly ConditionTest[]
  readonly writes: ReadonlyMap<string, unknown>
  readonly sysId: string | null
  readonly limit: number
  readonly offset: number
  /** Keys of the row that a cursor stands on, as texts; empty without a cursor. */
  readonly after: readonly (string | null)[]
  readonly tags: readonly string[]
  /** The values of sysparm_having, in its order. */
  readonly having: readonly Operand[]
  readonly identityEpoch: string
  readonly baseUrl: string
}

type Values = Result<readonly unknown[], Problem>

/** Computes the values of one or more slots that belong together, or says what is wrong with what the caller wrote. */
export type ValueSource =
  /** The only kind in conditions of rules, which become part of statements that no request is bound to. */
  | { readonly of: 'caller'; readonly read: (caller: Caller) => Values }
  /** Sources of one key read the same. */
  | { readonly of: 'request'; readonly read: (request: RequestValues, caller: Caller) => Values; readonly key?: string }

export const ofCaller = (read: (caller: Caller) => Values): ValueSource => ({ of: 'caller', read })
export const ofRequest = (read: (request: RequestValues, caller: Caller) => Values, key?: string): ValueSource => ({
  of: 'request',
  read,
  ...(key === undefined ? {} : { key }),
})

export function isSameSource(one: ValueSource, other: ValueSource): boolean {
  if (one === other) return true
  return one.of === 'request' && other.of === 'request' && one.key !== undefined && one.key === other.key
}

export function readSource(source: ValueSource, caller: Caller, request: RequestValues): Values {
  return source.of === 'caller' ? source.read(caller) : source.read(request, caller)
}

/** A class, so that `instanceof` can tell a slot from a value, whatever its shape. */
export class Slot {
  readonly source: ValueSource
  readonly index: number
  constructor(source: ValueSource, index: number) {
    this.source = source
    this.index = index
  }
}

// ── rows and columns ──

/** A condition on a row of one table. Two-valued where it decides: null counts as "no". */
export type Predicate =
  | { readonly kind: 'constant'; readonly value: boolean }
  | { readonly kind: 'all'; readonly of: readonly Predicate[] }
  | { readonly kind: 'any'; readonly of: readonly Predicate[] }
  /** The row is of one of these classes (sys_ids of sys_db_table). */
  | { readonly kind: 'class'; readonly ids: readonly string[] }
  /** The row belongs to a record (an entry of its journal, its history, a file of it) that may be seen. */
  | { readonly kind: 'belongs'; readonly to: readonly Owner[] }
  | { readonly kind: 'test'; readonly test: PlannedTest }
  | RelatedTest

/** Asked of several records that belong to the row, as far as they may be seen. */
export interface RelatedTest {
  readonly kind: 'related'
  /** `every` holds where there is none. */
  readonly quantifier: 'some' | 'every'
  /** Members of a list of references, or entries of a journal column. */
  readonly source: 'members' | 'entries'
  /** The list or the journal column. */
  readonly walk: PlannedWalk
  readonly target: Table
  /** On a row of `target`: it may be seen. */
  readonly readable: Predicate
  /** On a row of `target`. */
  readonly where: Predicate
}

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
export interface PlannedWalk {
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
  readonly family: ComparisonType
  /** null: full text over `searched`. */
  readonly walk: PlannedWalk | null
  readonly other: PlannedWalk | null
  /** Columns of a full-text search over the record. */
  readonly searched: readonly PlannedWalk[]
  /** How many values `read` gives is fixed by operator, family and `value`. */
  readonly read: ValueSource
  readonly value: ComparedValue
}

/** What of a value the SQL depends on. */
export type ComparedValue =
  /** `caseless`: no letter stands in the value, so it is compared without case folding. */
  | { readonly kind: 'plain' | 'caseless' | 'user-id' | 'group-ids' }
  | { readonly kind: 'date-part'; readonly part: DatePart; readonly comparison: PartComparison }

export interface PlannedOrder {
  readonly walk: PlannedWalk
  readonly family: ComparisonType
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
  readonly walk: PlannedWalk
  /** Always null: something on the way is closed. */
  readonly closed: boolean
  /** Tables that a reference, list or document id may point at, with what stands there for a record; only what may be seen. */
  readonly targets: readonly DisplayTarget[]
}

/** Groups of rows, as a table that has a column for each group field, for each aggregate, and for the count (`#count`). */
export interface PlannedStats {
  readonly groups: readonly PlannedCell[]
  readonly aggregates: readonly (PlannedCell & { readonly kind: Aggregate; readonly isShown: boolean })[]
  readonly having: readonly {
    readonly name: string
    readonly family: ComparisonType
    readonly operator: HavingTest['operator']
    readonly value: ValueSource
  }[]
  readonly orders: readonly {
    readonly name: string
    readonly family: ComparisonType
    readonly direction: 'ascending' | 'descending'
  }[]
}

export interface PlannedCell {
  /** A name that no column of a table has. */
  readonly name: string
  readonly family: ComparisonType
  /** From a row to the value that is grouped by or computed from. */
  readonly walk: PlannedWalk
  /** From a group to the value that was computed. */
  readonly shown: PlannedField
}

export interface DisplayTarget {
  readonly catalog: Catalog
  readonly table: Table
  readonly readable: Predicate
  readonly column: Column
  readonly visible: Predicate
}

// ── writing ──

/** `set column = …`, told apart by how the new value is computed. */
export interface Assignment {
  readonly column: Column
  readonly family: ComparisonType
  readonly change: Change
  /** What the body holds for the column, where that may be the stored value in other words: then nothing changes. */
  readonly keeps?: ValueSource
}

export type Change =
  | { readonly kind: 'value'; readonly value: ValueSource }
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
      readonly state: ValueSource
      readonly models: readonly PlannedStateModel[]
    }
  | { readonly kind: 'number'; readonly numbering: Numbering }
  /** `run_as` of a webhook: the caller where `url` changes, else what is given, else the stored value. */
  | { readonly kind: 'run-as'; readonly url: Assignment; readonly given: Assignment | null; readonly by: ValueSource }

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
      readonly family: ComparisonType
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
  | { readonly kind: 'range'; readonly column: Column; readonly least: number; readonly most: number }

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
