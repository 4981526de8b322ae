import { type ColumnTypeName, refersToOne } from '../column-types/column-types.ts'
import type { RecordKey } from '../column-types/record-key.ts'

/**
 * The dictionary as one immutable snapshot: tables, columns, choices, views, rules and properties, all read in one
 * transaction at one epoch. A change raises the epoch; the next request then reads a new snapshot.
 */
export interface Catalog {
  /** `docket_system.epoch.catalog` of the transaction that this was read in. */
  readonly epoch: string
  readonly tables: ReadonlyMap<string, Table>
  readonly tablesById: ReadonlyMap<string, Table>
  /** Form views by table name, then by title; personal ones beside shared ones. */
  readonly views: ReadonlyMap<string, readonly View[]>
  readonly rules: readonly AccessRule[]
  /** By the name of the table, in the order in which they were made. */
  readonly stateModels: ReadonlyMap<string, readonly StateModel[]>
  readonly properties: ReadonlyMap<string, string>
  readonly dynamicOptions: ReadonlyMap<string, string>
  /** Names of roles by sys_id. */
  readonly roleNames: ReadonlyMap<string, string>
}

export type Language = 'en' | 'ru'
export type Titles = { readonly [language in Language]: string }

export interface Column {
  readonly id: string
  /** The dictionary's name, as callers write it. */
  readonly name: string
  /** Name of the table whose dictionary row this is (an ancestor, for an inherited column). */
  readonly ownerTable: string
  readonly type: ColumnTypeName
  readonly titles: Titles
  /** PostgreSQL's column; null for journals, which live in rows of their own. */
  readonly storage: string | null
  /** Name of the table that a reference, or each member of a list, points at. */
  readonly reference: string | null
  /** A reference to sys_db_table that is read as its id alone (column type record_class). */
  readonly recordClass: boolean
  /** What its values are, where they are sys_ids of one table: its own, or the one that it leads to. */
  readonly key: RecordKey | null
  /** A part of a key of several columns: given on create, and kept. */
  readonly isKeyPart: boolean
  readonly mandatory: boolean
  readonly readOnly: boolean
  readonly unique: boolean
  readonly fullTextSearch: boolean
  readonly displayByRef: boolean
  /** PostgreSQL's type, quoted, where values are converted on their way to and from the dictionary's type; null: they are not. */
  readonly storageCast: string | null
  /** A reference that is stored otherwise than as the sys_id of its record; null: it is not. */
  readonly foreignKey: ForeignKey | null
  /** Of a reference or a list: what becomes of it when its record is deleted; null: nothing. */
  readonly onDelete: OnDelete | null
  /** In characters. */
  readonly maxLength: number | null
  /** Text of the dictionary, maybe `javascript:gs.…`. */
  readonly defaultValue: string | null
  readonly choices: readonly Choice[]
  /** Name of the column of the same table whose value decides which choices there are; null: all are. */
  readonly dependsOn: string | null
  /** PostgreSQL rejects null here: a keyset cursor needs no branch for nulls. */
  readonly neverNull: boolean
  /** Whether an index of PostgreSQL has its values, or something computed from them (case-folded texts, trigrams, words), as a key. */
  readonly indexed: { readonly values: boolean; readonly computed: boolean }
  /** Records are numbered in this column: sys_id of a table of the hierarchy, whose counters pass every number that is given. */
  readonly countedIn: string | null
  /** wysiwyg only: read as the editor's JSON document (property wysiwyg.columns.rest_api_json_mode). */
  readonly readAsDocument: boolean
  /** How another API shows the value (vocabulary.ts). Absent: as it is stored. */
  readonly displayed?: DisplayedValue
}

/** A column in a table that has it. */
export interface WalkedColumn {
  readonly table: Table
  readonly column: Column
}

/** How an API shows the value of a column, where it is not the value that is stored. */
export type DisplayedValue =
  | { readonly kind: 'constant'; readonly text: string }
  /** The text that belongs to what is stored. */
  | {
      readonly kind: 'lookup'
      /** The column of PostgreSQL with the keys of `texts`. */
      readonly storage: string
      /** A key without a text is displayed as it is. */
      readonly orKey: boolean
      readonly texts: ReadonlyMap<string, string>
      /** What people read; null: the same text. */
      readonly titles: { readonly en: ReadonlyMap<string, string>; readonly ru: ReadonlyMap<string, string> } | null
    }
  /** True where a boolean is false. */
  | { readonly kind: 'negated' }
  | DisplayedChoice
  /** The id of another system; where there is none, the sys_id behind the prefix of this database. Names of PostgreSQL's columns. */
  | { readonly kind: 'served-id'; readonly storage: string; readonly given: string; readonly prefix: string }
  /** Where the column is empty: the text that belongs to the value of another column of the row. */
  | { readonly kind: 'filled'; readonly by: Column; readonly texts: ReadonlyMap<string, string> }

/** A choice whose values are others than the stored ones. */
export interface DisplayedChoice {
  readonly kind: 'choice'
  /** The column of PostgreSQL. */
  readonly storage: string
  /** Each class of the table's rows is in one of them. */
  readonly classes: readonly ClassChoices[]
}

/** What the rows of some classes show. A stored value that is not here is shown as it is. */
export interface ClassChoices {
  /** sys_ids of the classes. */
  readonly ids: readonly string[]
  /** By the stored value: what is shown, and what people read. */
  readonly texts: ReadonlyMap<string, string>
  readonly titles: { readonly en: ReadonlyMap<string, string>; readonly ru: ReadonlyMap<string, string> }
  /** By the value that is shown: what is stored when it is written. */
  readonly stored: ReadonlyMap<string, string>
  /** A value that is stored as another one where the second column shows a certain value; null: none is. */
  readonly split: {
    readonly displayed: string
    readonly by: string
    readonly stored: ReadonlyMap<string, string>
  } | null
}

export type OnDelete = 'restrict' | 'clear' | 'cascade'

/** PostgreSQL's foreign key behind a reference. */
export type ForeignKey =
  /** Of several columns, in the order of the key that they lead to. */
  | { readonly kind: 'parts'; readonly columns: readonly string[] }
  /** To a unique column of the target that is not its key. */
  | { readonly kind: 'unique'; readonly column: string; readonly target: Table['storage'] }

export interface Choice {
  readonly value: string
  /** The value of the column that it depends on; null: whatever stands there. */
  readonly dependentValue: string | null
  readonly titles: Titles
}

export interface Table {
  readonly id: string
  readonly name: string
  readonly titles: Titles
  /** Name of the parent; null for a root. */
  readonly parent: string | null
  /** This table, its parent, and so on up to the root. */
  readonly ancestors: readonly string[]
  /** This table and all below it, by name. */
  readonly descendants: readonly string[]
  /** Own and inherited columns by name, system columns first, in the dictionary's order. */
  readonly columns: ReadonlyMap<string, Column>
  /** Schema and name of the PostgreSQL table that holds the rows. */
  readonly storage: { readonly schema: string; readonly table: string }
  /** Columns of that table that are keys of an index, in their order, for each index of whole columns over all rows. */
  readonly indexKeys: readonly (readonly string[])[]
  /** `table_id` of its records in docket_system.updated_record, which has their order by sys_updated_at; null: they have no rows there. */
  readonly updateOrder: string | null
  /** The key column, by the name under which rows are read. */
  readonly keyColumn: string
  /** What its sys_ids are. */
  readonly key: RecordKey
  /** A table that stood in the database before Docket (docs/adoption.md); null: one of our own. */
  readonly adopted: Adopted | null
  /** The column whose value stands for the record. */
  readonly displayColumn: Column | null
  /** How records of exactly this class are numbered. */
  readonly numbering: Numbering | null
  /** A create is queued (sys_schedule, sys_indication). */
  readonly queuedCreate: boolean
  readonly isExtendable: boolean
  /** sys_history has the changes of its records. */
  readonly isAudit: boolean
  /** sys_record_deletion_log has its deleted records. */
  readonly logsDeletions: boolean
}

export interface Numbering {
  /** sys_id of the row of sys_number. */
  readonly id: string
  /** In the schema docket_system. */
  readonly sequence: string
  readonly prefix: string
  readonly digits: number
}

export interface Adopted {
  /** PostgreSQL makes no key: whoever creates a record gives it. */
  readonly isKeyGiven: boolean
  /** A view, or a table that Docket's role may not write. */
  readonly isReadOnly: boolean
  /** A statement found it gone, or without a column, or with another type than the dictionary has. */
  readonly isDrifted: boolean
}

export interface View {
  readonly title: string
  readonly table: string
  /** null: shared by all. */
  readonly userId: string | null
  /** Dot-walked column paths in the order of sections and elements. */
  readonly columns: readonly string[]
  readonly sections: readonly ViewSection[]
  readonly relatedLists: readonly RelatedList[]
}

export interface ViewSection {
  readonly titles: Titles
  readonly columns: readonly string[]
}

/** Records that refer to the one of a form. */
export interface RelatedList {
  /** Name of their table. */
  readonly table: string
  /** Name of the column that refers to the record. */
  readonly column: string
  /** '' for the title of the table. */
  readonly title: string
}

/** Which states a record may go to (docs/spec/records.md, section 8). */
export interface StateModel {
  readonly table: string
  /** An encoded query on the record; '' for none. */
  readonly condition: string
  /** `to` null: back to the state before. */
  readonly transitions: readonly { readonly from: string; readonly to: string | null }[]
  readonly finals: readonly string[]
}

/** A row of sys_security_acl; `acl/` compiles it. */
export interface AccessRule {
  readonly id: string
  readonly operation: 'create' | 'read' | 'write' | 'delete'
  /** A table's name or `*`. */
  readonly table: string
  /** null: a rule of the table; a column's name or `*`. */
  readonly column: string | null
  /** Names; any one suffices; empty: everyone. */
  readonly roles: readonly string[]
  /** An encoded query on the record; '' for none. */
  readonly condition: string
  readonly adminOverrides: boolean
  readonly description: string
}

/** The record's own class (docs/spec/records.md, section 4). */
export function isOwnClass(column: Pick<Column, 'name' | 'type'>): boolean {
  return column.name === 'sys_db_table_id' && refersToOne(column)
}

/** A class is read as the sys_id of its table alone, without a link. */
export function isRecordClass(column: Pick<Column, 'name' | 'type' | 'recordClass'>): boolean {
  return column.recordClass || isOwnClass(column)
}

/** The columns that PostgreSQL or the server itself fills; a caller may only repeat what stands there. */
export const SYSTEM_COLUMNS: ReadonlySet<string> = new Set([
  'sys_id',
  'sys_created_at',
  'sys_created_by',
  'sys_updated_at',
  'sys_updated_by',
  'sys_db_table_id',
])

/** A caller may only repeat what stands there. */
export function isReadOnly(column: Column): boolean {
  return column.readOnly || SYSTEM_COLUMNS.has(column.name)
}
