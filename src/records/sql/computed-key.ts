import { sql } from '../../kernel/sql.ts'
import type { Expression } from './expression.ts'

/**
 * A view of the change log has a key that is computed from the sequence number of the change: it is at least this number, and less
 * than the next one. PostgreSQL does not know that. With a condition on the sequence number, it reads the log in order and stops
 * where the page ends.
 */
const POSITIONS: Readonly<Record<string, string>> = { sys_history: 'change_position' }

/** Distance between two sequence numbers (migration 000009). */
const WIDTH = '100000000'

/** A row of a statement (from-clause.ts). */
interface KeyedRow {
  readonly table: { readonly name: string }
  storage(name: string): Expression
}

/** The sequence number from which the key of a row is computed; null: the key is a stored column. */
export function positionOf(row: KeyedRow): Expression | null {
  const column = POSITIONS[row.table.name]
  return column === undefined ? null : row.storage(column)
}

/** The condition on the sequence number if the key is between `min` and `max`. @param min null: no bound; so with `max` */
export function positionBetween(position: Expression, min: Expression | null, max: Expression | null): Expression {
  const from = min === null ? sql`true` : sql`${position} > ${min} - ${sql.raw(WIDTH)}`
  return max === null ? from : sql`${from} and ${position} <= ${max}`
}
