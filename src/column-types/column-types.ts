import * as all from './all-types.ts'
import type { ColumnType } from './column-type.ts'
import type { ComparisonType } from './comparison-types.ts'
import type { KeyKind, RecordKey } from './record-key.ts'

/** As in sys_db_column_type. */
export type ColumnTypeName = keyof typeof all

/** By name, in alphabetical order. A copy, because a look-up by name in a module namespace takes ten times as long. */
export const COLUMN_TYPES: Readonly<Record<ColumnTypeName, ColumnType>> = { ...all }
export const COLUMN_TYPE_NAMES = Object.keys(COLUMN_TYPES) as readonly ColumnTypeName[]

interface OfType {
  readonly type: ColumnTypeName
}

export const columnTypeOf = ({ type }: OfType): ColumnType => COLUMN_TYPES[type]

const OF_KEYS = { whole: 'id', uuid: 'uuid', text: 'key', parts: 'key' } as const satisfies Record<
  KeyKind,
  ComparisonType
>

/** sys_ids of adopted tables compare by the kind of the table's key. */
export function comparisonOf({ type, key }: OfType & { readonly key: RecordKey | null }): ComparisonType {
  const { compare } = COLUMN_TYPES[type]
  return compare === 'id' && key !== null ? OF_KEYS[key.kind] : compare
}

// ── references ──

export const isOwnKey = (column: OfType): boolean => columnTypeOf(column).refersTo === 'self'
export const refersToOne = (column: OfType): boolean => columnTypeOf(column).refersTo === 'one'
export const refersToMany = (column: OfType): boolean => columnTypeOf(column).refersTo === 'members'
export const refersToAny = (column: OfType): boolean => columnTypeOf(column).refersTo === 'any'
export const refersToFile = (column: OfType): boolean => columnTypeOf(column).refersTo === 'file'

// ── storage ──

/** Values are entries of sys_journal_entry. */
export const isJournal = (column: OfType): boolean => columnTypeOf(column).compare === 'journal'
export const isJson = (column: OfType): boolean => columnTypeOf(column).compare === 'json'
export const isSecret = (column: OfType): boolean => columnTypeOf(column).secret !== undefined
/** Values are texts of limited length, which can be searched. */
export const isText = (column: OfType): boolean => {
  const { compare } = columnTypeOf(column)
  return compare === 'text' || compare === 'choice'
}
/** Values are texts, and conditions can search inside them. */
export function hasParts(column: OfType): boolean {
  const { compare, storage } = columnTypeOf(column)
  return compare === 'text' && storage.isShort !== true
}
/** PostgreSQL stores values of any length. */
export const isUnlimitedText = (column: OfType): boolean => columnTypeOf(column).storage.type === 'text'
/** The value for the caller's language is in sys_translated_text. */
export const isTranslated = (column: OfType): boolean => columnTypeOf(column).isTranslated === true
