import type { Column, Table } from '../../catalog/catalog.ts'
import type { Storage } from '../../column-types/column-type.ts'
import { columnTypeOf } from '../../column-types/column-types.ts'

/**
 * A column of somebody's table may hold fractions of seconds, which the API's formats do not have; our own hold none.
 *
 * @returns undefined: the column holds none
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
