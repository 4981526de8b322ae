import type { Column, Table } from '../../catalog/catalog.ts'
import type { Storage } from '../../column-types/column-type.ts'
import { columnTypeOf } from '../../column-types/column-types.ts'

/**
 * Columns of adopted tables may contain fractions of seconds, which the API's formats do not have. Own tables contain none.
 *
 * @returns undefined: the column contains none
 */
export function wholeSecondsOf({
  table,
  column,
}: {
  readonly table: Table
  readonly column: Column
}): Storage['wholeSeconds'] {
  return table.adopted === null ? undefined : columnTypeOf(column).storage.wholeSeconds
}
