import type { GivenIdColumn } from '../column-types/record-key.ts'
import type { GivenIds } from '../column-types/served-id.ts'
import type { ConditionTest, ConditionTree } from '../condition/condition-tree.ts'
import type { Catalog, Column, Table, WalkedColumn } from './catalog.ts'

/** Another API over the same records: it has words of its own for the dictionary, and shows values in a form of its own. */
export interface Face {
  readonly name: string
  readonly namesIn: (catalog: Catalog) => Names
}

/** The words of an API for one snapshot of the dictionary. */
export interface Names {
  /** Of the API. Part of the keys of plans. */
  readonly face: string
  /** Stands before the digits of a sys_id (column-types/served-id.ts). */
  readonly idPrefix: string
  /** Columns with ids that records had in another system, of all tables. */
  readonly givenIdColumns: readonly GivenIdColumn[]
  /** Undefined: the API has no table of this name. */
  readonly tableNamed: (name: string) => Table | undefined
  /** The name of a table of the dictionary. */
  readonly nameOf: (table: string) => string
  /** Undefined: the API has no column of this name there. */
  readonly columnNamed: (table: Table, name: string) => NamedColumn | undefined
  /** A column of the table as records show it: its choices may be others than those that are stored. */
  readonly columnAsDisplayed: (table: Table, column: Column) => Column
  /** The name of a column of the dictionary, for messages. */
  readonly nameOfColumn: (table: string, column: string) => string
  /** In the order in which records show them. */
  readonly columnsOf: (table: Table) => readonly string[]
  /** What stands before the sys_id in the address of a record, without the base. */
  readonly addressOf: (table: string) => string
  /** A comparison as a condition on stored values. @param column what its path leads to, as records show it */
  readonly readTest: (test: ConditionTest, column: Column, given: GivenIds) => ConditionTree
  /** A value of a body as the dictionary's type takes it. */
  readonly readValue: (value: unknown, column: Column, given: GivenIds) => unknown
  /** Columns of a table, beside those that name records everywhere, by which a record can be named in a body. */
  readonly alsoNamedBy: (table: string) => readonly string[]
  /** The sys_id of a path; '' is that of no record. */
  readonly readSysId: (text: string, table: Table, given: GivenIds) => string
  readonly writeSysId: (sysId: string, table: string) => string
}

/** What a name of an API stands for. */
export interface NamedColumn {
  /** References that lead to the column. */
  readonly via: readonly WalkedColumn[]
  /** As records show it. */
  readonly displayed: WalkedColumn
  /** As conditions compare it. */
  readonly stored: WalkedColumn
  /** Only what is stored in the column of the table itself can be written. */
  readonly isWritable: boolean
}
