import { type Sql, sql } from '../kernel/sql.ts'

/**
 * References of a record as one value of an index of texts, which then finds the records that have a text and refer to a user or group. An index
 * serves a condition only when both say this by the same expression.
 */
export function referencesOfRecord(columns: readonly Sql<unknown>[]): Sql<unknown> {
  return sql`array[${sql.join(columns)}]`
}
