import type { GivenIdColumn, WellKnownIds } from '../column-types/record-key.ts'
import type { GivenIds } from '../column-types/served-id.ts'
import type { ConditionComparison, ConditionTree } from '../condition/condition-tree.ts'
import type { Catalog, Column, Table, TableColumn } from './catalog.ts'

/** Another API over the same records: it has its own names for the dictionary, and its own representation of values. */
export interface Face {
  readonly name: string
  readonly namesIn: (catalog: Catalog) => Names
}

/** The names of an API for one snapshot of the dictionary. */
export interface Names {
  /** Name of the API. Part of the keys of plans. */
  readonly face: string
  /** Prefix before the digits of a sys_id (column-types/served-id.ts). */
  readonly idPrefix: string
  /** Columns with the ids that records had in another system, of all tables. */
  readonly givenIdColumns: readonly GivenIdColumn[]
  /** Ids of a few records of any table that scripts contain, by sys_id; undefined: none. */
  readonly wellKnownIds: WellKnownIds | undefined
  /** The same, as they are read. */
  readonly readWellKnown: GivenIds
  /** What becomes of a query with a name that is no column. */
  readonly unknownNames: 'ignored' | 'no-rows' | 'error'
  /** Undefined: the API has no table of this name. */
  readonly tableNamed: (name: string) => Table | undefined
  /** The table as responses display it; it may have rows that only the API has. */
  readonly asDisplayed: (table: Table) => Table
  /** The name of a table of the dictionary. */
  readonly nameOf: (table: string) => string
  /** Undefined: the API has no column of this name there. */
  readonly columnNamed: (table: Table, name: string) => NamedColumn | undefined
  /** A column of the table as responses have it: its choices may differ from the stored ones. */
  readonly columnAsDisplayed: (table: Table, column: Column) => Column
  /** The class whose columns the table displays as its own; undefined: none. */
  readonly classBelow: (table: Table) => Table | undefined
  /** The name of a column of the dictionary, for messages. */
  readonly nameOfColumn: (table: string, column: string) => string
  /** In the order of responses. */
  readonly columnsOf: (table: Table) => readonly string[]
  /** The text before the sys_id in the address of a record, without the base. */
  readonly addressOf: (table: string) => string
  /** A comparison as a condition on stored values. @param column what its path refers to, as in responses */
  readonly readComparison: (comparison: ConditionComparison, column: Column, given: GivenIds) => ConditionTree
  /** A value of a body, converted for the dictionary's type. */
  readonly readValue: (value: unknown, column: Column, given: GivenIds) => unknown
  /** Whether a value of a body is what a read gives for any secret: it says nothing about the secret that is stored. */
  readonly isMasked: (value: unknown) => boolean
  /** Columns of a table by which a body can name a record, beside those that name records everywhere. */
  readonly alsoNamedBy: (table: string) => readonly string[]
  /** The sys_id in a path; '' matches no record. */
  readonly readSysId: (text: string, table: Table, given: GivenIds) => string
  readonly writeSysId: (sysId: string, table: string) => string
}

/** What a name of an API refers to. */
export interface NamedColumn {
  /** References on the way to the column. */
  readonly via: readonly TableColumn[]
  /** As in responses. */
  readonly displayed: TableColumn
  /** As conditions compare it. */
  readonly stored: TableColumn
  /** Only a column that is stored in the table itself can be written. */
  readonly isWritable: boolean
}
