import type { ColumnDefinition, IndexDefinition, StoragePlace, TableDefinition } from './definition.ts'

/** What a change of the dictionary's rows changes in PostgreSQL, in the order of execution. */
export type StorageStep =
  | { readonly kind: 'make-table'; readonly table: TableDefinition }
  | { readonly kind: 'drop-table'; readonly table: TableDefinition }
  /** A child's rows lie in its root's table, among those of its kin. */
  | { readonly kind: 'delete-rows-of-class'; readonly table: TableDefinition }
  | { readonly kind: 'add-column'; readonly column: ColumnDefinition }
  | { readonly kind: 'drop-column'; readonly column: ColumnDefinition }
  | { readonly kind: 'convert-column'; readonly before: ColumnDefinition; readonly after: ColumnDefinition }
  | { readonly kind: 'cut-texts'; readonly column: ColumnDefinition; readonly maxLength: number }
  | { readonly kind: 'make-unique'; readonly column: ColumnDefinition }
  | { readonly kind: 'drop-unique'; readonly column: ColumnDefinition }
  /** One column is the display column: another of the table no longer is. */
  | { readonly kind: 'show-records-by'; readonly column: ColumnDefinition }
  | { readonly kind: 'want-index'; readonly column: ColumnDefinition }
  /** People look for records by a part of what is displayed for them. */
  | { readonly kind: 'want-contains-index'; readonly column: ColumnDefinition }
  | { readonly kind: 'want-class-index'; readonly table: TableDefinition }
  /** What is searched in a table and its children is another set of columns now. */
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
 * `rows-stand`: nobody writes, everybody reads, as long as the data are looked through. `alone`: for the moment in which a
 * table changes its shape.
 */
export interface TableLock {
  readonly place: StoragePlace
  readonly mode: 'rows-stand' | 'alone'
  /** For an index: of a table whose indexes are left to the job it is not needed. */
  readonly isForIndex?: true
}

export interface StorageChange {
  readonly steps: readonly StorageStep[]
  readonly losses: readonly Loss[]
  readonly locks: readonly TableLock[]
}

export const NO_CHANGE: StorageChange = { steps: [], losses: [], locks: [] }
