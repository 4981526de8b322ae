import { readTime } from '../../condition/dates/read-date-text.ts'
import { sql } from '../../kernel/sql.ts'
import type { ColumnType } from '../column-type.ts'
import type { Expression } from '../expression.ts'
import { readDated } from '../given-value.ts'
import { plainText } from '../json-piece.ts'

/** 24:00:00, which PostgreSQL stores beside 00:00:00, stays: as an interval it would become 00:00:00. */
const inWholeSeconds = (value: Expression): Expression =>
  sql`case when ${value} = '24:00:00' then '24:00:00' else date_trunc('second', ${value})::time(0) end`

export const time: ColumnType = {
  title: 'Time',
  storage: {
    type: 'time(0)',
    index: 'btree',
    adopts: { same: ['time'] },
    wholeSeconds: { of: inWholeSeconds, equals: (value, given) => sql`${inWholeSeconds(value)} = ${given}` },
  },
  compare: 'time',
  read: plainText,
  asText: plainText,
  write: { value: readDated(readTime) },
  display: { write: plainText },
  convert: { group: 'other', pattern: '^[0-9]{2}:[0-9]{2}(:[0-9]{2})?$' },
  aggregate: { hasExtremes: true },
  schema: { stored: () => ({ type: 'string', pattern: '^\\d\\d:\\d\\d:\\d\\d$' }), note: '`HH:MM:SS`.' },
}
