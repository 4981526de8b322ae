import type { Column } from '../../catalog/catalog.ts'
import { refersToMany } from '../../column-types/column-types.ts'

/** A logged value as a read gives it: the log keeps the members of a list of references, a read joins them. */
export function loggedValue(value: unknown, column: Column | undefined): unknown {
  const isJoined = column !== undefined && refersToMany(column) && column.reference !== null
  if (!isJoined || !Array.isArray(value)) return value
  return value.length === 0 ? null : value.join(',')
}
