import { sql } from 'kysely'
import type { Expression } from './expression.ts'

/**
 * A view of the log of changes has a key that is computed from the position of the change: at least that position, and above it
 * by less than a position's width. PostgreSQL does not know; told so, it reads the log in order and stops where the page ends.
 */
const POSITIONS: Readonly<Record<string, string>> = { sys_history: 'change_position' }

/** Positions lie this far apart (migration 000009). */
const WIDTH = '100000000'

/** A row of a statement (from-clause.ts). */
interface KeyedRow {
  readonly table: { readonly name: string }
  storage(name: string): Expression
}

/** What a row's key follows in order; null: the key is a column of its own. */
export function positionOf(row: KeyedRow): Expression | null {
  const column = POSITIONS[row.table.name]
  return column === undefined ? null : row.storage(column)
}

/** Follows from the key's lying between two values; either may be open. */
export function positionBetween(position: Expression, min: Expression | null, max: Expression | null): Expression {
  const from = min === null ? sql`true` : sql`${position} > ${min} - ${sql.raw(WIDTH)}`
  return max === null ? from : sql`${from} and ${position} <= ${max}`
}
