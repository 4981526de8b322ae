import { type RawBuilder, sql } from 'kysely'

/** A time of the process's clock as PostgreSQL's timestamp without time zone, in UTC. */
export function momentOf(ms: number): RawBuilder<string> {
  return sql`(timestamp 'epoch' + ${ms}::bigint * interval '1 millisecond')`
}
