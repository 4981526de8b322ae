import { type Result, succeed } from '../kernel/result.ts'
import type { Moment } from './date-values.ts'
import { readDate, readDateTime, readTime, unexpected } from './read-date-text.ts'
import { computeInstant, isHelper, readHelper } from './read-helper.ts'

/**
 * What `=`, `<`, `BETWEEN` and the like compare a date, datetime or time column with: the column's stored text form.
 *
 * A literal is read as such columns are written in an answer with database values (record spec, section 4), so what was
 * read can be asked for: datetimes in UTC. Only a helper looks at the caller's clock and zone.
 */
export function readDateOperand(
  column: 'date' | 'datetime' | 'time',
  value: string,
  moment: Moment,
): Result<string, string> {
  if (!isHelper(value)) return readLiteral(column, value)
  const helper = readHelper(value)
  if (!helper.ok) return helper
  if (helper.value.kind !== 'instant') return unexpected('a helper that gives a date', value)
  const { utc, localDate, localTime } = computeInstant(helper.value, moment)
  return succeed({ date: localDate, datetime: utc, time: localTime }[column])
}

function readLiteral(column: 'date' | 'datetime' | 'time', value: string): Result<string, string> {
  switch (column) {
    case 'date':
      return readDate(value)
    case 'datetime':
      return readDateTime(value, 'UTC')
    case 'time':
      return readTime(value)
  }
}
