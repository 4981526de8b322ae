import type { Column } from '../catalog/catalog.ts'
import { columnTypeOf, refersToFile, refersToMany, refersToOne } from '../column-types/column-types.ts'
import { readServedId } from '../column-types/served-id.ts'

/**
 * A value of a body as the native API takes it: a text, a number or a boolean, or the object that a read gives. An object never is an
 * instruction here.
 */
export function readValue(value: unknown, column: Column, idPrefix: string): unknown {
  const given = valueIn(value)
  // Nothing and an empty text are read alike, so both are written as nothing.
  if (given === '') return null
  if (typeof given !== 'string') return given
  const { fromText } = columnTypeOf(column).write
  if (fromText !== undefined) return fromText(given)
  if (refersToMany(column) && column.reference !== null)
    return given
      .split(',')
      .map((id) => idOf(id, column, idPrefix))
      .join(',')
  return refersToOne(column) || refersToFile(column) ? idOf(given, column, idPrefix) : given
}

/** What is no id stays, as a name that people call the record by. */
const idOf = (text: string, { key }: Column, idPrefix: string): string =>
  readServedId(text, { kind: key?.kind ?? 'whole' }, idPrefix) ?? text

function valueIn(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  if ('value' in value) return value.value
  return 'display_value' in value ? value.display_value : NOTHING_READ
}

/** An object that is no instruction of the native API either, which says so. */
const NOTHING_READ = {}
