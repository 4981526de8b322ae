import { sql } from '../../kernel/sql.ts'
import type { PlannedGroup } from '../plan/record-plan.ts'
import type { Expression } from './expression.ts'
import { wholeSecondsOf } from './whole-seconds.ts'
import { zoneParam } from './write-field.ts'

/**
 * The start of the period that contains a value, in the stored format of its column: a date, or a date and time in UTC. Periods of
 * dates with times are those of the caller's time zone. Weeks begin on Monday. Without a unit it is the value: times that look the
 * same are one group, so they have no fractions of seconds.
 */
export function writePeriod({ unit, comparisonType, fieldPath }: PlannedGroup, value: Expression): Expression {
  if (unit === null) return wholeSecondsOf(fieldPath)?.of(value) ?? value
  if (comparisonType === 'date') return sql`date_trunc(${sql.lit(unit)}, ${value}::timestamp)::date`
  return sql`(date_trunc(${sql.lit(unit)}, ${value} at time zone 'UTC', ${zoneParam}::text) at time zone 'UTC')`
}

/**
 * Where clocks go back from 01:00 to 00:00 (Havana, Azores), a day has two midnights. PostgreSQL takes the second one, but the period
 * begins at the first. Applied once for each group, because all values of a period have the same start.
 */
export function writeFirstStart({ unit, comparisonType }: PlannedGroup, start: Expression): Expression {
  if (unit === null || unit === 'hour' || comparisonType === 'date') return start
  const earlier = sql`(${start} - interval '1 hour')`
  const local = (moment: Expression) => sql`(${moment} at time zone 'UTC' at time zone ${zoneParam}::text)`
  return sql`case when ${local(earlier)} = ${local(start)} then ${earlier} else ${start} end`
}
