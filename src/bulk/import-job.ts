import type { Catalog, Table } from '../catalog/catalog.ts'
import type { Reader } from '../column-types/column-type.ts'
import type { Problem } from '../kernel/problem.ts'
import type { Result } from '../kernel/result.ts'
import type { RecordService } from '../records/record-service.ts'
import type { ResolveNames } from './resolve-names.ts'
import type { SeenInFile } from './seen-in-file.ts'
import type { KeyedRows, WrittenBefore, WrittenRows } from './written-rows.ts'

/** A row of any file format: values by column, or why the row is invalid. */
export interface ImportRow {
  /** Line of the file, from 1; for a JSON array the number of the element. */
  readonly line: number
  readonly values: Result<Readonly<Record<string, unknown>>, Problem>
}

export interface ImportOptions {
  readonly table: string
  /** Columns that identify an existing record; none: every row is a new record. */
  readonly keys: readonly string[]
  /** `patch`: the values may be instructions, such as `{"add":[…]}`. */
  readonly onHit: 'update' | 'patch' | 'skip'
  /** What becomes of a row with a key whose record does not exist. */
  readonly onMiss: 'create' | 'reject'
  /** Values are texts of cells: json columns are parsed, and an empty text means an empty value. */
  readonly isText: boolean
  /** An administrator migrates records: the file supplies the values that the server would fill. */
  readonly migrating: boolean
  /** Values are display values (sysparm_input_display_value). */
  readonly inputDisplay: boolean
}

export interface RowError {
  readonly line: number
  readonly problem: Problem
}

export interface ImportOutcome {
  readonly inserted: number
  readonly updated: number
  /** Existing records that were left unchanged (on_hit=skip). */
  readonly skipped: number
  readonly failed: number
  /** The first errors. */
  readonly errors: readonly RowError[]
  /** Columns of the file that the server fills itself. */
  readonly ignoredColumns: readonly string[]
}

export interface ImportJobDeps {
  readonly catalog: Catalog
  readonly records: RecordService
  /** The caller: display values are parsed in their language and time zone. */
  readonly reader: Reader
  /**
   * Columns that the caller may read on some records only. Exported rows of the others have empty cells in place of the values.
   * Empty if the rows do not have cells.
   */
  readonly partlyReadable: ReadonlySet<string>
  /** What became of those of these lines that are already written, with a key or without. @returns null: the Idempotency-Key belongs to another import */
  readonly writtenBefore: ((lines: readonly number[]) => Promise<WrittenBefore | null>) | null
  /** Rows without a key that are already written, if the import may be repeated; null: each row is new. */
  readonly written: WrittenRows | null
  /** The same for rows with a key, which may also change records. A repeated change would add journal entries again, or undo what somebody has written since. */
  readonly keyed: KeyedRows | null
  /**
   * Runs work that looks up records and creates the missing ones. No other import with a key runs at the same time in the same
   * table: between look-up and create, another import could create the same record.
   */
  readonly runExclusive: <T>(table: Table, work: () => Promise<T>) => Promise<T>
  /** Set for a dry run; null: rows are kept. */
  readonly seen: SeenInFile | null
}

/** An import into one table. */
export interface ImportJob {
  readonly options: ImportOptions
  readonly table: Table
  readonly deps: ImportJobDeps
  readonly resolve: ResolveNames
  /** Columns that the server fills itself. */
  readonly filled: ReadonlySet<string>
  /** Those of the file, collected as they occur. */
  readonly ignored: Set<string>
}

export type Values = Readonly<Record<string, unknown>>
export type Written = 'inserted' | 'updated' | 'skipped'
export interface RowOutcome {
  readonly line: number
  readonly outcome: Result<Written, Problem>
}
