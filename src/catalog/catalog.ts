import { type ColumnTypeName, refersToOne } from '../column-types/column-types.ts'
import type { GivenIdColumn, RecordKey } from '../column-types/record-key.ts'
import type { OwnIds } from '../column-types/served-id.ts'

/**
 * The dictionary as one immutable snapshot: tables, columns, choices, views, rules and properties, all read in one
 * transaction at one epoch. A change raises the epoch; the next request then reads a new snapshot.
 */
export interface Catalog {
  /** `docket_system.epoch.catalog` of the transaction that read the snapshot. */
  readonly epoch: string
  readonly tables: ReadonlyMap<string, Table>
  readonly tablesById: ReadonlyMap<string, Table>
  /** Form views by table name, then by title; personal ones beside shared ones. */
  readonly views: ReadonlyMap<string, readonly View[]>
  readonly rules: readonly AccessRule[]
  /** By the name of the table, in the order of creation. */
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
  /** The name in the dictionary, as callers write it. */
  readonly name: string
  /** Name of the table whose dictionary row this is (an ancestor, for an inherited column). */
  readonly ownerTable: string
  readonly type: ColumnTypeName
  readonly titles: Titles
  /** PostgreSQL's column; null for journals, which live in rows of their own. */
  readonly storage: string | null
  /** Name of the table that a reference, or each member of a list, refers to. */
  readonly reference: string | null
  /** A reference to sys_db_table that is read as its id alone (column type record_class). */
  readonly recordClass: boolean
  /** Key type of the values if they are sys_ids of this or the referenced table. */
  readonly key: RecordKey | null
  /** A part of a key of several columns: required on create, then immutable. */
  readonly isKeyPart: boolean
  readonly mandatory: boolean
  readonly readOnly: boolean
  readonly unique: boolean
  readonly fullTextSearch: boolean
  readonly displayByRef: boolean
  /** PostgreSQL's type, quoted, if values are converted on their way to and from the dictionary's type; null: no conversion. */
  readonly storageCast: string | null
  /** A reference that is not stored as the sys_id of its record; null: it is. */
  readonly foreignKey: ForeignKey | null
  /** For a reference or a list: what happens to it when its record is deleted; null: nothing. */
  readonly onDelete: OnDelete | null
  /** In characters. */
  readonly maxLength: number | null
  /** Text of the dictionary, possibly `javascript:gs.…`. */
  readonly defaultValue: string | null
  readonly choices: readonly Choice[]
  /** Name of the column of the same table whose value determines the available choices; null: all are available. */
  readonly dependsOn: string | null
  /** PostgreSQL rejects null here, so a keyset cursor needs no branch for nulls. */
  readonly neverNull: boolean
  /**
   * Whether an index of PostgreSQL has its values, or something computed from them (case-folded texts, trigrams, words), as a key; `parts`:
   * trigrams; `folded`: case-folded texts, in their order.
   */
  readonly indexed: {
    readonly values: boolean
    readonly computed: boolean
    readonly parts: boolean
    readonly folded: boolean
  }
  /**
   * Records are numbered in this column: sys_id of a table of the hierarchy, whose counter goes beyond every number that a caller gives.
   */
  readonly countedIn: string | null
  /** wysiwyg only: read as the editor's JSON document (property wysiwyg.columns.rest_api_json_mode). */
  readonly readAsDocument: boolean
  /** How another API represents the value (vocabulary.ts). Absent: as it is stored. */
  readonly displayed?: DisplayedValue
}

/** An index of parts of texts (of each column), or of words (of all columns together), that also has references of the same row. */
export interface TextIndex {
  readonly of: 'parts' | 'words'
  readonly texts: readonly Column[]
  readonly references: readonly Column[]
}

/** A column together with a table that has it. */
export interface TableColumn {
  readonly table: Table
  readonly column: Column
}

/** How an API represents the value of a column, if not as the stored value. */
export type DisplayedValue =
  | { readonly kind: 'constant'; readonly text: string }
  /** The text for the stored value. */
  | {
      readonly kind: 'lookup'
      /** The column of PostgreSQL with the keys of `texts`. */
      readonly storage: string
      /** A key without a text is returned as it is. */
      readonly orKey: boolean
      readonly texts: ReadonlyMap<string, string>
      /** The text for people; null: the same text. */
      readonly titles: { readonly en: ReadonlyMap<string, string>; readonly ru: ReadonlyMap<string, string> } | null
    }
  /** True if a boolean is false. */
  | { readonly kind: 'negated' }
  | DisplayedChoice
  /** The id in another system; if there is none, the sys_id after the prefix of this database. PostgreSQL's columns; `given` null: no record has one. */
  | { readonly kind: 'served-id'; readonly storage: string; readonly given: string | null; readonly ids: OwnIds }
  /** A number; empty is 0. `storage` is a column of PostgreSQL that the dictionary does not have. */
  | { readonly kind: 'count'; readonly storage: string }
  /** The entries of several journals of the table. */
  | { readonly kind: 'journals'; readonly of: readonly Column[] }
  /** A secret: nobody reads it, and the display value tells only that there is one. */
  | { readonly kind: 'masked' }
  /** Of a row of a log of changes: the name of the changed column, or a value of it, as records have them. */
  | { readonly kind: 'logged'; readonly part: 'name' | 'value'; readonly words: LoggedWords }
  /** If the column is empty: the text for the value of another column of the row. */
  | { readonly kind: 'filled'; readonly by: Column; readonly texts: ReadonlyMap<string, string> }

/** How an API names and represents what a log of changes has of records, where it differs. */
export interface LoggedWords {
  /** PostgreSQL's columns of the log: the class of the record, and the name of the column. */
  readonly classStorage: string
  readonly columnStorage: string
  /** Which of `sets` a class has, by its sys_id. */
  readonly setOf: ReadonlyMap<string, number>
  readonly sets: readonly {
    readonly names: Readonly<Record<string, string>>
    readonly texts: Readonly<Record<string, Readonly<Record<string, string>>>>
  }[]
  /** Names of tables by sys_id. */
  readonly tables: ReadonlyMap<string, string>
  readonly ids: OwnIds
  readonly given: readonly GivenIdColumn[]
}

/** A choice whose API values differ from the stored ones. */
export interface DisplayedChoice {
  readonly kind: 'choice'
  /** The column of PostgreSQL. */
  readonly storage: string
  /** Each class of the table's rows is in one of them. */
  readonly classes: readonly ClassChoices[]
}

/** What the rows of some classes return. A stored value that is not listed is returned as it is. */
export interface ClassChoices {
  /** sys_ids of the classes. */
  readonly ids: readonly string[]
  /** By stored value: the API value, and its text for people. */
  readonly texts: ReadonlyMap<string, string>
  readonly titles: { readonly en: ReadonlyMap<string, string>; readonly ru: ReadonlyMap<string, string> }
  /** By API value: the value to store. */
  readonly stored: ReadonlyMap<string, string>
  /** A value that is stored as another one if the second column has a certain value; null: none. */
  readonly split: {
    readonly displayed: string
    readonly by: string
    readonly stored: ReadonlyMap<string, string>
  } | null
}

export type OnDelete = 'restrict' | 'clear' | 'cascade'

/** PostgreSQL's foreign key behind a reference. */
export type ForeignKey =
  /** With several columns: in the order of the key that they refer to. */
  | { readonly kind: 'parts'; readonly columns: readonly string[] }
  /** Refers to a unique column of the target that is not its key. */
  | { readonly kind: 'unique'; readonly column: string; readonly target: Table['storage'] }

export interface Choice {
  readonly value: string
  /** The value of the column that it depends on; null: any value. */
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
  /** This table and its descendants, by name. */
  readonly descendants: readonly string[]
  /** Own and inherited columns by name, system columns first, in the dictionary's order. */
  readonly columns: ReadonlyMap<string, Column>
  /** Schema and name of the PostgreSQL table that holds the rows. */
  readonly storage: { readonly schema: string; readonly table: string }
  /** For each index of whole columns over all rows: its key columns, in their order. */
  readonly indexKeys: readonly (readonly string[])[]
  /** Indexes of texts that also have references. */
  readonly textIndexes: readonly TextIndex[]
  /** `table_id` of its records in docket_system.updated_record, which orders them by sys_updated_at; null: they have no rows there. */
  readonly updateOrder: string | null
  /** The key column, by the name under which rows are read. */
  readonly keyColumn: string
  /** Key type of its sys_ids. */
  readonly key: RecordKey
  /** A table that was in the database before Docket (docs/adoption.md); null: one of Docket's own. */
  readonly adopted: Adopted | null
  /** The column whose value is displayed for the record. */
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
  /** For a read by another API: rows that only it displays. Absent: none. */
  readonly addedRows?: AddedRows
}

export type AddedRows =
  /** Of the dictionary: each table, with its own sys_id and title. `values`: by PostgreSQL's column. */
  | { readonly kind: 'row-of-each-table'; readonly values: Readonly<Record<string, unknown>> }
  /** Of choices: `rows` in the place of the values of some columns. */
  | {
      readonly kind: 'choices'
      readonly hidden: readonly { readonly columnId: string; readonly values: readonly string[] }[]
      readonly rows: readonly Readonly<Record<string, unknown>>[]
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
  /** PostgreSQL generates no key: the caller that creates a record gives it. */
  readonly isKeyGiven: boolean
  /** A view, or a table that Docket's role may not write. */
  readonly isReadOnly: boolean
  /** A statement found the table missing, or a column missing or of another type than in the dictionary. */
  readonly isDrifted: boolean
}

export interface View {
  readonly title: string
  readonly table: string
  /** null: shared with everyone. */
  readonly userId: string | null
  /** Column paths, which may be dot-walked, in the order of sections and elements. */
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

/** The states that a record may go to (docs/spec/records.md, section 8). */
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

/** The columns that PostgreSQL or the server fills; a caller may only repeat the stored value. */
export const SYSTEM_COLUMNS: ReadonlySet<string> = new Set([
  'sys_id',
  'sys_created_at',
  'sys_created_by',
  'sys_updated_at',
  'sys_updated_by',
  'sys_db_table_id',
])

/**
 * The column of PostgreSQL that counts the updates of a record; empty: none. It is not in the dictionary, whose names have no `$`
 * (docs/decisions/0038-counts-of-updates.md).
 */
export const UPDATE_COUNT = 'update$count'

/** Who created and changed a record, and when. */
export const STAMP_COLUMNS: ReadonlySet<string> = new Set([
  'sys_created_at',
  'sys_created_by',
  'sys_updated_at',
  'sys_updated_by',
])

/** A caller may only repeat the stored value. */
export function isReadOnly(column: Column): boolean {
  return column.readOnly || SYSTEM_COLUMNS.has(column.name)
}
