import { type Sql, sql } from '../kernel/sql.ts'

/** For `set` of an update: one more update of the row (docs/decisions/0038-counts-of-updates.md). @param row its alias, or its table */
export const countUpdate = (row: string): Sql<unknown> =>
  sql`update$count = coalesce(${sql.id(row)}.update$count, 0) + 1`
