import type { Result } from '../kernel/result.ts'
import type { ComparisonType } from './comparison-types.ts'
import type { Expression } from './expression.ts'
import type { JsonPiece } from './json-piece.ts'
import type { RecordKey } from './record-key.ts'

/**
 * All that the server knows about a type of columns. A type is one file in `types/` and one line in `all-types.ts`; no other
 * code asks for a type by its name.
 */
export interface ColumnType {
  /** In English, in sys_db_column_type. */
  readonly title: string
  readonly storage: Storage
  readonly compare: ComparisonType
  /** The JSON of a stored value, as a read returns it with sysparm_display_value=0 (docs/spec/records.md, section 4). */
  readonly read: (value: Expression, column: TypedColumn) => JsonPiece
  /** The same as a text, for APIs whose values are all texts. SQL null: it is empty. */
  readonly asText: (value: Expression, column: TypedColumn, ids: ServedIds) => JsonPiece
  readonly write: Write
  readonly display: Display
  readonly convert: Conversions
  readonly aggregate: Aggregation
  readonly schema: Schema
  /** The records that its values are sys_ids of. */
  readonly refersTo?: ReferredRecords
  /** `one`, `members`: values are choices where the column has any. `suggested`: choices only offer values. */
  readonly choices?: 'one' | 'members' | 'suggested'
  readonly isTranslated?: true
  /** Never read by anybody. A hash is made when the value is written; a sealed text can be opened by the server. */
  readonly secret?: 'hashed' | 'sealed'
}

/**
 * `self`: the record of the row. `one`, `members`: the record or the records of the table that the column refers to. `any`: a record
 * of any table. `file`: an attachment.
 */
type ReferredRecords = 'self' | 'one' | 'members' | 'any' | 'file'

/** How an API writes the sys_ids of records. */
export interface ServedIds {
  readonly of: (value: Expression, key: RecordKey | null) => JsonPiece
  /** Of a text that is the sys_id of a record of any table. */
  readonly ofName: (value: Expression) => Expression
}

/** What of a column decides about its values. */
export interface TypedColumn {
  readonly maxLength: number | null
  readonly reference: string | null
  readonly choices: readonly ColumnChoice[]
  readonly key: RecordKey | null
  readonly storageCast: string | null
  readonly readAsDocument: boolean
}

export interface ColumnChoice {
  readonly value: string
  readonly titles: { readonly [language in Reader['language']]: string }
}

/** The caller, as far as display values depend on it. */
export interface Reader {
  readonly language: 'en' | 'ru'
  readonly timeZone: string
}

export interface LogReader extends Reader {
  /** Address before the sys_id of an attachment. */
  readonly attachments: string
}

export interface Storage {
  /** PostgreSQL's type; null: values are rows of their own (journals). */
  readonly type: string | null
  /** The kind of index that serves conditions; null: none, and values cannot be grouped. */
  readonly index: 'btree' | 'gin' | null
  /** Texts in which nobody looks for parts. */
  readonly isShort?: true
  /** PostgreSQL's types (pg_type.typname) of adopted columns that become this type: as they are, or by a cast. */
  readonly adopts?: { readonly same?: readonly string[]; readonly cast?: readonly string[] }
  /** For adopted columns, whose values may have fractions of seconds. No response shows them. */
  readonly wholeSeconds?: {
    readonly of: (value: Expression) => Expression
    /** Whether a value is within the given second. */
    readonly equals: (value: Expression, given: Expression) => Expression
  }
}

/** Reads a value of a JSON body. The error says what is right. */
export type ReadGiven = (value: unknown, column: TypedColumn) => Result<unknown, string>

export interface Write {
  /** A value of a JSON body, never null, as PostgreSQL takes it; null empties the column. */
  readonly value: ReadGiven
  /** What `increment` takes, where that is more than a value may be, and the range of the result. */
  readonly increment?: { readonly value: ReadGiven; readonly min: number; readonly max: number }
  /** A stored value may differ from what the same value becomes when it is written. */
  readonly isRewritten?: true
  /** A read returns digits as a text; a body may have them as a number. */
  readonly readsAsText?: true
  readonly isMarkup?: true
  /** What a column with the editor's JSON documents stores: HTML, or lines where the document is plain. */
  readonly editor?: 'html' | 'lines'
  /** What a value that was read `asText` is in a body, where it is not the text itself. */
  readonly fromText?: (text: string) => unknown
  /** A cell of an imported file that has JSON: always, or an array if it begins with `[`. */
  readonly cell?: 'json' | 'array'
}

export interface Display {
  /** What people read. docs/spec/records.md, section 4, column "display_value 1": SQL null where there is nothing to show. */
  readonly write: (value: Expression, context: DisplayContext) => JsonPiece
  /** What people read in APIs whose values are all texts, where that is something else. */
  readonly asText?: (value: Expression, context: TextContext) => JsonPiece
  /** With sysparm_display_value=1 the stored value is returned: deployed clients take a boolean for a boolean. */
  readonly isStored?: true
  /** A display value (sysparm_input_display_value=1) as a stored value. What is not one stays, and the column judges it. */
  readonly parse?: (text: string, column: TypedColumn, reader: Reader) => Result<unknown, string>
  readonly parseMembers?: (members: readonly unknown[], column: TypedColumn, reader: Reader) => Result<unknown, string>
  /** A migration brings stored values of this type. */
  readonly isNotMigrated?: true
  /**
   * The display value of a logged value, as `write` makes it of a stored one. null: the value is from a time when the
   * column had another type. Then, and without this function, the text of the value is displayed.
   */
  readonly logged?: (value: unknown, reader: LogReader) => string | null
}

export interface TextContext extends Pick<DisplayContext, 'column' | 'language'> {
  readonly ids: ServedIds
}

/** What a display value depends on besides the stored value. */
export interface DisplayContext {
  readonly column: TypedColumn
  readonly language: Expression
  readonly timeZone: Expression
  /** The address of attachments, with a slash at its end. */
  readonly attachments: Expression
  /** A JSON object of the titles of all choices. */
  readonly choiceTitles: () => Expression
  readonly translation: () => Expression
  /** The display value of the record that the column refers to. */
  readonly record: () => Expression
  /** The display values of the members; null: nothing stands for them. */
  readonly members: () => Expression | null
  /** The display value of the record that a document id names. */
  readonly document: () => Expression
}

/** How the values of a column become values of another type. */
export interface Conversion {
  /** The new value of an old one that `keeps` accepts. */
  readonly value: (old: Expression) => Expression
  /** Whether an old value, never null, has a new one; null: each has. Others become empty, which is a loss. */
  readonly keeps: ((old: Expression) => Expression) | null
}

export interface Conversions {
  /** `fixed`: values become none of another type. */
  readonly group: 'text' | 'whole' | 'number' | 'boolean' | 'id' | 'list' | 'other' | 'fixed'
  /** A text of such a value; PostgreSQL would take more, such as `today` for a date. */
  readonly pattern?: string
  /** Both ends belong to it. */
  readonly range?: readonly [min: string, max: string]
  readonly holdsMarkup?: true
  /** Plain text becomes markup that shows the same. */
  readonly escapesText?: true
  /** sys_ids are values. */
  readonly takesIds?: true
  /** A number that cannot be stored exactly is lost. */
  readonly isBinary?: true
  /** From single other types, by name. */
  readonly from?: Readonly<Record<string, Conversion>>
}

export interface Aggregation {
  /** Absent: `sum` and `avg` are not possible. A result of another type is displayed as one of that type. */
  readonly sum?: Aggregate
  readonly avg?: Aggregate
  /** `min` and `max` are possible. */
  readonly hasExtremes?: true
  /** Group values are displayed as values of this type. */
  readonly groupedAs?: 'string'
}

export interface Aggregate {
  readonly write: (value: Expression, column: TypedColumn) => Expression
  readonly as?: 'integer' | 'float'
}

export interface Schema {
  /** JSON Schema of a stored value, without null; no `type`: any JSON value. */
  readonly stored: (column: TypedColumn) => JsonSchema
  /** What the type does not say. */
  readonly note?: string
}

export type JsonSchema = {
  readonly type?: string
  readonly pattern?: string
  readonly format?: string
  readonly items?: { readonly type: string }
}
