import { type Sql, sql } from '../../kernel/sql.ts'

/** @param sequence a row of pg_sequence */
export function sequenceOptions(sequence: Sql<unknown>): Sql<string> {
  return sql<string>`format('start with %s increment by %s minvalue %s maxvalue %s cache %s%s', ${sequence}.seqstart,
    ${sequence}.seqincrement, ${sequence}.seqmin, ${sequence}.seqmax, ${sequence}.seqcache, case when ${sequence}.seqcycle then ' cycle' else '' end)`
}
