import type { Sql } from '../kernel/sql.ts'

/** An SQL expression. */
export type Expression = Sql<unknown>
