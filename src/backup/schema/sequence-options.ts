import { type RawBuilder, sql } from 'kysely'

/** @param sequence a row of pg_sequence */
export function sequenceOptions(sequence: RawBuilder<unknown>): RawBuilder<string> {
  return sql<string>`format('start with %s increment by %s minvalue %s maxvalue %s cache %s%s', ${sequence}.seqstart,
    ${sequence}.seqincrement, ${sequence}.seqmin, ${sequence}.seqmax, ${sequence}.seqcache, case when ${sequence}.seqcycle then ' cycle' else '' end)`
}
