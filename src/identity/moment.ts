import { type RawBuilder, sql } from 'kysely'

/** A moment of the process's clock as PostgreSQL's zoneless UTC. */
export function momentOf(ms: number): RawBuilder<string> {
  return sql`(timestamp 'epoch' + ${ms}::bigint * interval '1 millisecond')`
}
