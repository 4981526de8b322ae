import { DateTime } from 'luxon'
import { readDateTime } from '../../condition/dates/read-date-text.ts'
import { sql } from '../../kernel/sql.ts'
import type { ColumnType, Reader } from '../column-type.ts'
import { readDated } from '../given-value.ts'
import { plain, plainText } from '../json-piece.ts'

/** The connection's DateStyle is ISO. */
export const datetime: ColumnType = {
  title: 'Date/Time',
  storage: {
    type: 'timestamp(0)',
    index: 'btree',
    adopts: { same: ['timestamp'], cast: ['timestamptz'] },
    wholeSeconds: {
      of: (value) => sql`date_trunc('second', ${value})::timestamp(0)`,
      // An index can serve the range.
      equals: (value, given) => sql`(${value} >= ${given} and ${value} < ${given} + interval '1 second')`,
    },
  },
  compare: 'datetime',
  read: plainText,
  asText: plainText,
  write: { value: readDated((text) => readDateTime(text, 'UTC')) },
  display: {
    write: (value, { timeZone }) => plain(sql`(${value} at time zone 'UTC' at time zone ${timeZone})::text`),
    parse: (text, _column, { timeZone }) => readDateTime(text, timeZone),
    isNotMigrated: true,
    logged: (value, reader) => (typeof value === 'string' ? displayMoment(value, reader) : null),
  },
  convert: {
    group: 'other',
    pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:[0-9]{2}(:[0-9]{2})?)?$',
    from: { date: { value: (old) => sql`${old}::timestamp(0)`, keeps: null } },
  },
  aggregate: { hasExtremes: true },
  schema: {
    stored: () => ({ type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d$' }),
    note: 'UTC, `YYYY-MM-DD HH:MM:SS`.',
  },
}

function displayMoment(text: string, { timeZone }: Reader): string {
  const moment = DateTime.fromSQL(text, { zone: 'utc' }).setZone(timeZone)
  return moment.isValid ? moment.toFormat('yyyy-MM-dd HH:mm:ss') : text
}
