import { comparisonOf } from '../column-types/column-types.ts'
import type { GivenIdColumn } from '../column-types/record-key.ts'
import type { ColumnRow } from './dictionary-rows.ts'

/**
 * The column with the ids that records had in another system. An import adds it to the root of a hierarchy. Its values are unique
 * case-insensitively, and never change.
 */
export const GIVEN_ID = 'given_sys_id'

/** null: another column, or a column of this name with another purpose. */
export function givenIdColumnOf(
  { name, type, unique, read_only: readOnly, storage_column: column }: ColumnRow,
  place: Pick<GivenIdColumn, 'schema' | 'table'>,
): GivenIdColumn | null {
  if (name !== GIVEN_ID || !unique || !readOnly || column === null) return null
  return comparisonOf({ type, key: null }) === 'text' ? { ...place, column } : null
}
