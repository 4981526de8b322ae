import type { Catalog, Table } from '../catalog/catalog.ts'
import type { Problem } from '../kernel/problem.ts'
import type { Result } from '../kernel/result.ts'
import type { RecordService } from '../records/record-service.ts'
import type { ResolveNames } from './resolve-names.ts'
import type { SeenInFile } from './seen-in-file.ts'
import type { WrittenRows } from './written-rows.ts'

/** A row of whatever file: values by column, or why it is none. */
export interface ImportRow {
  /** Of the file, from 1; of a JSON array the number of the element. */
  readonly line: number
  readonly values: Result<Readonly<Record<string, unknown>>, Problem>
}

export interface ImportOptions {
  readonly table: string
  /** Columns that tell whether a record is there already; none: every row is a new record. */
  readonly keys: readonly string[]
  readonly onHit: 'update' | 'skip'
  /** Values are texts of cells: JSON of a json column is read, empty means empty. */
  readonly isText: boolean
  /** An administrator moves records in: what the server would fill is taken from the file. */
  readonly migrating: boolean
  /** Values are as people read them (sysparm_input_display_value). */
  readonly inputDisplay: boolean
}

export interface RowError {
  readonly line: number
  readonly problem: Problem
}

export interface ImportOutcome {
  readonly inserted: number
  readonly updated: number
  /** Hits that were left as they are (on_hit=skip). */
  readonly skipped: number
  readonly failed: number
  /** The first of them. */
  readonly errors: readonly RowError[]
  /** Columns of the file that the server fills itself. */
  readonly ignoredColumns: readonly string[]
}

export interface ImportMeans {
  readonly catalog: Catalog
  readonly records: RecordService
  /** Of the caller. */
  readonly language: 'en' | 'ru'
  /** Rows without a key that are in already, where the import may be sent again; null: each row is new. */
  readonly written: WrittenRows | null
  /**
   * Runs work that looks whether records are there and makes those that are not, while no other import with a key does so in
   * the same table: in the time between, another could make the same record.
   */
  readonly alone: <T>(table: Table, work: () => Promise<T>) => Promise<T>
  /** Of a dry run; null: rows stay. */
  readonly seen: SeenInFile | null
}

/** An import into one table. */
export interface ImportJob {
  readonly options: ImportOptions
  readonly table: Table
  readonly means: ImportMeans
  readonly resolve: ResolveNames
  /** Columns of the file that the server fills itself, as they are met. */
  readonly ignored: Set<string>
}

export type Values = Readonly<Record<string, unknown>>
export type Written = 'inserted' | 'updated' | 'skipped'
export interface RowOutcome {
  readonly line: number
  readonly outcome: Result<Written, Problem>
}
