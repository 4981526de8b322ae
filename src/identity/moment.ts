import { type Sql, sql } from '../kernel/sql.ts'

/** A time of the process's clock as PostgreSQL's timestamp without time zone, in UTC. */
export function momentOf(ms: number): Sql<string> {
  return sql`(timestamp 'epoch' + ${ms}::bigint * interval '1 millisecond')`
}
