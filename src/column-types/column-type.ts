import type { Result } from '../kernel/result.ts'
import type { ComparisonType } from './comparison-types.ts'
import type { Expression } from './expression.ts'
import type { JsonPiece } from './json-piece.ts'
import type { RecordKey } from './record-key.ts'

/**
 * Everything that the server knows about a column type. A type is one file in `types/` and one line in `all-types.ts`; no other
 * code checks for a type by its name.
 */
export interface ColumnType {
  /** English title, in sys_db_column_type. */
  readonly title: string
  readonly storage: Storage
  readonly compare: ComparisonType
  /** The JSON of a stored value, as a read returns it with sysparm_display_value=0 (docs/spec/records.md, section 4). */
  readonly read: (value: Expression, column: TypedColumn) => JsonPiece
  /** The same as a text, for APIs whose values are all texts. SQL null: the value is empty. */
  readonly asText: (value: Expression, column: TypedColumn, ids: ServedIds) => JsonPiece
  readonly write: Write
  readonly display: Display
  readonly convert: Conversions
  readonly aggregate: Aggregation
  readonly schema: Schema
  /** The records whose sys_ids its values are. */
  readonly refersTo?: ReferredRecords
  /** `one`, `members`: values must be choices if the column has any. `suggested`: choices are only suggestions. */
  readonly choices?: 'one' | 'members' | 'suggested'
  readonly isTranslated?: true
  /** Nobody can read the value. A hash is made when the value is written; the server can open a sealed text. */
  readonly secret?: 'hashed' | 'sealed'
}

/**
 * `self`: the record of the row. `one`, `members`: the record or the records of the referenced table. `any`: a record of any
 * table. `file`: an attachment.
 */
type ReferredRecords = 'self' | 'one' | 'members' | 'any' | 'file'

/** How an API writes the sys_ids of records. */
export interface ServedIds {
  readonly of: (value: Expression, key: RecordKey | null) => JsonPiece
  /** For a text that is the sys_id of a record of any table. */
  readonly ofName: (value: Expression) => Expression
}

/** The properties of a column that affect its values. */
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

/** The properties of the caller that affect display values. */
export interface Reader {
  readonly language: 'en' | 'ru'
  readonly timeZone: string
}

export interface LogReader extends Reader {
  /** Address in front of the sys_id of an attachment. */
  readonly attachments: string
}

export interface Storage {
  /** PostgreSQL type; null: values are rows of their own (journals). */
  readonly type: string | null
  /** The kind of index that serves conditions; null: none, and values cannot be grouped. */
  readonly index: 'btree' | 'gin' | null
  /** Texts in which nobody searches for parts. */
  readonly isShort?: true
  /** PostgreSQL types (pg_type.typname) of adopted columns that are mapped to this type: unchanged, or by a cast. */
  readonly adopts?: { readonly same?: readonly string[]; readonly cast?: readonly string[] }
  /** For adopted columns, whose values may have fractions of seconds. Responses do not contain them. */
  readonly wholeSeconds?: {
    readonly of: (value: Expression) => Expression
    /** Whether a value is within the given second. */
    readonly equals: (value: Expression, given: Expression) => Expression
  }
}

/** Parses a value of a JSON body. The error says what would be right. */
export type ReadGiven = (value: unknown, column: TypedColumn) => Result<unknown, string>

export interface Write {
  /** Converts a value of a JSON body, never null, to the parameter for PostgreSQL; null empties the column. */
  readonly value: ReadGiven
  /** The operand of `increment`, if it has a wider range than values, and the range of the result. */
  readonly increment?: { readonly value: ReadGiven; readonly min: number; readonly max: number }
  /** A stored value may differ from the value that was written. */
  readonly isRewritten?: true
  /** A read returns digits as a text; a body may contain them as a number. */
  readonly readsAsText?: true
  readonly isMarkup?: true
  /** What a column with JSON documents of the editor stores: HTML, or lines if the document is plain. */
  readonly editor?: 'html' | 'lines'
  /** Converts a value that was read `asText` to its form in a body, if it is not the text itself. */
  readonly fromText?: (text: string) => unknown
  /** A cell of an imported file with JSON: always, or an array if it begins with `[`. */
  readonly cell?: 'json' | 'array'
}

export interface Display {
  /** The display value. docs/spec/records.md, section 4, column "display_value 1": SQL null if nothing is displayed. */
  readonly write: (value: Expression, context: DisplayContext) => JsonPiece
  /** The display value in APIs whose values are all texts, if it differs. */
  readonly asText?: (value: Expression, context: TextContext) => JsonPiece
  /** With sysparm_display_value=1 the stored value is returned: existing clients expect a boolean. */
  readonly isStored?: true
  /**
   * Converts a display value (sysparm_input_display_value=1) to a stored value. Other values are returned unchanged, and the
   * column validates them.
   */
  readonly parse?: (text: string, column: TypedColumn, reader: Reader) => Result<unknown, string>
  readonly parseMembers?: (members: readonly unknown[], column: TypedColumn, reader: Reader) => Result<unknown, string>
  /** A migration inserts the stored values of this type. */
  readonly isNotMigrated?: true
  /**
   * The display value of a logged value, equal to what `write` makes of a stored one. null: the value is from a time when the
   * column had another type. In that case, and without this function, the text of the value is displayed.
   */
  readonly logged?: (value: unknown, reader: LogReader) => string | null
}

export interface TextContext extends Pick<DisplayContext, 'column' | 'language'> {
  readonly ids: ServedIds
}

/** What a display value depends on, besides the stored value. */
export interface DisplayContext {
  readonly column: TypedColumn
  readonly language: Expression
  readonly timeZone: Expression
  /** The address of attachments, with a trailing slash. */
  readonly attachments: Expression
  /** A JSON object of the titles of all choices. */
  readonly choiceTitles: () => Expression
  readonly translation: () => Expression
  /** The display value of the referenced record. */
  readonly record: () => Expression
  /** The display values of the members; null: they have none. */
  readonly members: () => Expression | null
  /** The display value of the record that a document id names. */
  readonly document: () => Expression
}

/** How values of a column are converted to another type. */
export interface Conversion {
  /** Converts an old value that `keeps` accepts. */
  readonly value: (old: Expression) => Expression
  /** Whether an old value, never null, can be converted; null: each can. Others become empty, which is a loss. */
  readonly keeps: ((old: Expression) => Expression) | null
}

export interface Conversions {
  /** `fixed`: values cannot be converted to any other type. */
  readonly group: 'text' | 'whole' | 'number' | 'boolean' | 'id' | 'list' | 'other' | 'fixed'
  /** Pattern of a text with such a value; PostgreSQL would accept more, such as `today` for a date. */
  readonly pattern?: string
  /** Both ends inclusive. */
  readonly range?: readonly [min: string, max: string]
  readonly holdsMarkup?: true
  /** Plain text is escaped to markup that looks the same. */
  readonly escapesText?: true
  /** Accepts sys_ids as values. */
  readonly takesIds?: true
  /** A number that cannot be stored exactly is lost. */
  readonly isBinary?: true
  /** Conversions from single other types, by name. */
  readonly from?: Readonly<Record<string, Conversion>>
}

export interface Aggregation {
  /** Absent: `sum` and `avg` are not possible. A result of another type is displayed as one of that type. */
  readonly sum?: Aggregate
  readonly avg?: Aggregate
  /** `min` and `max` are supported. */
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
  /** Additional documentation that the type does not contain. */
  readonly note?: string
}

export type JsonSchema = {
  readonly type?: string
  readonly pattern?: string
  readonly format?: string
  readonly items?: { readonly type: string }
}
