import { succeed } from '../../kernel/result.ts'
import { sql } from '../../kernel/sql.ts'
import type { ColumnType } from '../column-type.ts'
import { scalar } from '../json-piece.ts'
import { wholeNumberType } from '../whole-number-type.ts'

export const percent_complete: ColumnType = {
  ...wholeNumberType({ title: 'Percent complete', storage: 'integer', range: [0n, 100n] }),
  display: {
    write: (value) => scalar(sql`${value}::text || '%'`),
    parse: (text) => succeed(text.replace(/\s*%$/, '')),
    logged: (value) => (typeof value === 'number' ? `${value}%` : null),
  },
}
