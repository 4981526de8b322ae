import { sql } from 'kysely'
import type { Column, Table } from '../../catalog/catalog.ts'
import type { ValueFamily } from '../plan/record-plan.ts'
import type { Expression } from './expression.ts'

/** A column of somebody's table may hold fractions of seconds, which the API's formats do not have; our own hold none. */
export function holdsFractions({ table, column }: { readonly table: Table; readonly column: Column }): boolean {
  return table.adopted !== null && (column.type === 'datetime' || column.type === 'time')
}

/** What an answer shows of such a value. */
export function inWholeSeconds(family: ValueFamily, value: Expression): Expression {
  return family === 'time'
    ? sql`date_trunc('second', ${value})::time(0)`
    : sql`date_trunc('second', ${value})::timestamp(0)`
}
