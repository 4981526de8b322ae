import type { ColumnDefinition, IndexDefinition, StoragePlace, TableDefinition } from './definition.ts'

/** Changes in PostgreSQL for a change of the dictionary's rows, in the order of execution. */
export type StorageStep =
  | { readonly kind: 'make-table'; readonly table: TableDefinition }
  | { readonly kind: 'drop-table'; readonly table: TableDefinition }
  /** Rows of a child are in the PostgreSQL table of its root, together with those of its siblings. */
  | { readonly kind: 'delete-rows-of-class'; readonly table: TableDefinition }
  | { readonly kind: 'add-column'; readonly column: ColumnDefinition }
  | { readonly kind: 'drop-column'; readonly column: ColumnDefinition }
  | { readonly kind: 'convert-column'; readonly before: ColumnDefinition; readonly after: ColumnDefinition }
  | { readonly kind: 'cut-texts'; readonly column: ColumnDefinition; readonly maxLength: number }
  | { readonly kind: 'make-unique'; readonly column: ColumnDefinition }
  | { readonly kind: 'drop-unique'; readonly column: ColumnDefinition }
  /** Only one column is the display column: clears the mark of another one. */
  | { readonly kind: 'show-records-by'; readonly column: ColumnDefinition }
  | { readonly kind: 'want-index'; readonly column: ColumnDefinition }
  /** People search for records by a part of their display value. */
  | { readonly kind: 'want-contains-index'; readonly column: ColumnDefinition }
  | { readonly kind: 'want-class-index'; readonly table: TableDefinition }
  /** The set of searched columns of a table and its children has changed. */
  | { readonly kind: 'renew-search-indexes'; readonly column: ColumnDefinition }
  | { readonly kind: 'forget-indexes-of'; readonly column: ColumnDefinition }
  | { readonly kind: 'build-index'; readonly index: IndexDefinition }
  | { readonly kind: 'drop-index'; readonly index: IndexDefinition }

/** Data that a step destroys; it is done only when the caller names it (sysparm_confirm). */
export type Loss =
  | { readonly kind: 'rows'; readonly name: string; readonly table: TableDefinition }
  | { readonly kind: 'values'; readonly name: string; readonly column: ColumnDefinition }
  | {
      readonly kind: 'misfits'
      readonly name: string
      readonly before: ColumnDefinition
      readonly after: ColumnDefinition
    }
  | {
      readonly kind: 'long-texts'
      readonly name: string
      readonly column: ColumnDefinition
      readonly maxLength: number
    }

/**
 * `rows-stand`: nobody writes and everybody reads while the data are checked. `alone`: exclusive for the moment in which the table is
 * altered.
 */
export interface TableLock {
  readonly place: StoragePlace
  readonly mode: 'rows-stand' | 'alone'
  /** For an index: not needed for a table whose indexes a job builds. */
  readonly isForIndex?: true
}

export interface StorageChange {
  readonly steps: readonly StorageStep[]
  readonly losses: readonly Loss[]
  readonly locks: readonly TableLock[]
}

export const NO_CHANGE: StorageChange = { steps: [], losses: [], locks: [] }
