import type { CallOptions } from './http.ts'
import type { EncodedQuery } from './query.ts'
import type { QueryBuilder, RawQuery } from './query-builder.ts'
import type { AnyTables, Display, Fields, Row } from './table-types.ts'

/** Stored value and display value of one field, as `display: 'all'` returns them. */
export interface Cell {
  readonly value: unknown
  readonly display_value: string | null
}
export type CellRow = Readonly<Record<string, Cell>>

export interface ReadOptions<F extends Fields = Fields, D extends Display = Display> extends CallOptions {
  readonly fields?: F | undefined
  readonly view?: string | undefined
  readonly display?: D | undefined
  /** Further parameters, such as sysparm_max_text. */
  readonly parameters?: Readonly<Record<string, string>> | undefined
}

export interface PageOptions<F extends Fields = Fields, D extends Display = Display> extends ReadOptions<F, D> {
  readonly limit?: number | undefined
  readonly offset?: number | undefined
  readonly cursor?: string | undefined
  /** Whether the server counts the matching records. Default: no, which is faster. */
  readonly total?: boolean | undefined
}

export interface Page<R> {
  readonly rows: readonly R[]
  /** null: not counted, or more than the server counts. */
  readonly total: number | null
  /** Set instead of `total` if there are more records than this. */
  readonly totalOver: number | null
  /** Cursor of the next page; null at the end. */
  readonly nextCursor: string | null
}

export interface ReadRecord<R, U = Row> {
  readonly row: R
  /** Version of the record, for `ifMatch`. */
  readonly etag: string
  /** The whole body of the response: members beside `data`. */
  readonly body: Readonly<Record<string, unknown>>
  /** Changes the record if it still has this version, and returns the changed record. */
  update(values: U, options?: WriteOptions): Promise<ReadRecord<R, U>>
}

export interface WriteOptions<F extends Fields = Fields, D extends Display = Display> extends ReadOptions<F, D> {
  /** The body contains display values. */
  readonly inputDisplayValue?: boolean | undefined
}

export interface UpdateOptions<F extends Fields = Fields, D extends Display = Display> extends WriteOptions<F, D> {
  /** ETag of an earlier read. `false`: change the record whatever its version is. */
  readonly ifMatch: string | false
}

/** A text, a tree, or a query of `q()`, which is checked for its table. */
export type Query<T = AnyTables, R = Row> = EncodedQuery | string | QueryBuilder<T, R> | RawQuery<R>
/** A query of any table. */
export type AnyQuery = EncodedQuery | string | { readonly tree: EncodedQuery } | { readonly text: string }

export interface ExportOptions<F extends Fields = Fields, D extends 'value' | 'display' = 'value' | 'display'>
  extends CallOptions {
  readonly fields?: F | undefined
  readonly display?: D | undefined
}

export interface StatsOptions extends CallOptions {
  /** Fields to group by; a date may have a unit, as `opened_at:week`. */
  readonly groupBy?: readonly string[] | undefined
  readonly sum?: readonly string[] | undefined
  readonly avg?: readonly string[] | undefined
  readonly min?: readonly string[] | undefined
  readonly max?: readonly string[] | undefined
  /** Groups to keep, such as `count>10`. */
  readonly having?: string | undefined
  readonly orderBy?: string | undefined
  readonly display?: ReadOptions['display']
  readonly limit?: number | undefined
}

/** One group, or all records; `sum`, `avg`, `min` and `max` are objects by field. */
export interface StatsRow extends Row {
  readonly count: number
  /** The group's values; only with `groupBy`. */
  readonly group?: Row
}

/** A change of a record (docs/changes.md). */
export interface HistoryEntry {
  readonly change: string
  readonly operation: 'create' | 'update' | 'delete'
  readonly changed_at: string
  readonly changed_by: { readonly value: string; readonly display_value: string | null } | null
  readonly changes: readonly {
    readonly column: string
    readonly title: string
    readonly old_value: unknown
    readonly new_value: unknown
    readonly old_display_value: string | null
    readonly new_display_value: string | null
  }[]
}

export interface ExplainOptions extends CallOptions {
  readonly operation?: 'create' | 'read' | 'write' | 'delete' | undefined
  readonly sysId?: string | undefined
  readonly column?: string | undefined
  /** User name; default: the caller. */
  readonly user?: string | undefined
}

type Verdict = 'allowed' | 'refused' | 'on_condition'

interface Decision {
  readonly verdict: Verdict
  readonly level: string | null
  readonly rules: readonly Row[]
}

/** Which rule decides, and why (docs/access-rules.md). */
export interface Explanation {
  readonly table: string
  readonly class: string
  readonly operation: string
  readonly column: string | null
  readonly verdict: Verdict
  readonly table_decision: Decision
  readonly column_decision: Decision | null
  readonly reason: string
}
