import { readDate } from '../../condition/dates/read-date-text.ts'
import { sql } from '../../kernel/sql.ts'
import type { ColumnType } from '../column-type.ts'
import { readDated } from '../given-value.ts'
import { plainText } from '../json-piece.ts'

export const date: ColumnType = {
  title: 'Date',
  storage: { type: 'date', index: 'btree', adopts: { same: ['date'] } },
  compare: 'date',
  read: plainText,
  asText: plainText,
  write: { value: readDated(readDate) },
  display: { write: plainText },
  convert: {
    group: 'other',
    pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$',
    from: {
      datetime: { value: (old) => sql`${old}::date`, keeps: (old) => sql`${old} = date_trunc('day', ${old})` },
    },
  },
  aggregate: { hasExtremes: true },
  schema: { stored: () => ({ type: 'string', format: 'date' }) },
}
