import type { Column } from '../catalog/catalog.ts'
import { columnTypeOf, refersToFile, refersToMany, refersToOne } from '../column-types/column-types.ts'
import { MASK } from '../column-types/secret-type.ts'
import { type GivenIds, readServedId } from '../column-types/served-id.ts'

interface Ids {
  readonly prefix: string
  readonly given: GivenIds
}

/**
 * Converts a value of a body to the form of the native API: a text, a number or a boolean, or the object that a read returns.
 * An object is never an instruction here.
 */
export function readValue(value: unknown, column: Column, ids: Ids): unknown {
  const given = valueIn(value)
  // Null and an empty text read alike, so both are written as null.
  if (given === '') return null
  if (typeof given !== 'string') return given
  const { fromText } = columnTypeOf(column).write
  if (fromText !== undefined) return fromText(given)
  if (refersToMany(column) && column.reference !== null) return listOf(given, column, ids)
  return refersToOne(column) || refersToFile(column) ? idOf(given, column, ids) : given
}

/** The value, or the display value, of a secret. */
export function isMasked(value: unknown): boolean {
  const given = valueIn(value)
  return given === '' || given === null || given === MASK
}

/** A member that is named twice is one member, whether its id is known or not. */
const listOf = (given: string, column: Column, ids: Ids): string =>
  [...new Set(given.split(',').map((id) => idOf(id.trim(), column, ids)))].join(',')

/** A text that is not an id stays unchanged, as the display name of the record. */
const idOf = (text: string, { key }: Column, ids: Ids): string => readServedId(text, key, ids) ?? text

function valueIn(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  if ('value' in value) return value.value
  return 'display_value' in value ? value.display_value : NOTHING_READ
}

/** An object that is not an instruction of the native API, either, which reports the error. */
const NOTHING_READ = {}
