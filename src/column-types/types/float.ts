import { sql } from 'kysely'
import { refuse, succeed } from '../../kernel/result.ts'
import type { ColumnType, ReadGiven } from '../column-type.ts'
import { parseDisplayedNumber } from '../displayed-number.ts'
import { scalarText, show } from '../given-value.ts'
import { scalar } from '../json-piece.ts'

const readFloat: ReadGiven = (value) => {
  const text = scalarText(value)?.trim()
  if (text === '') return succeed(null)
  return text !== undefined &&
    /^[+-]?\d{1,40}(\.\d{1,40})?(e[+-]?\d{1,3})?$/i.test(text) &&
    Number.isFinite(Number(text))
    ? succeed(text)
    : refuse(`a number is expected, found ${show(value)}`)
}

export const float: ColumnType = {
  title: 'Floating point number',
  storage: { type: 'double precision', index: 'btree', adopts: { same: ['float8'], cast: ['float4'] } },
  compare: 'float',
  read: scalar,
  write: { value: readFloat },
  display: {
    write: (value, { language }) => scalar(sql`docket_system.show_float(${value}, ${language})`),
    parse: parseDisplayedNumber,
  },
  convert: { group: 'number', pattern: '^[+-]?[0-9]{1,40}([.][0-9]{1,40})?(e[+-]?[0-9]{1,3})?$', isBinary: true },
  // In decimal digits the order of the rows makes no difference.
  aggregate: {
    sum: { write: (value) => sql`sum(${value}::numeric)::double precision` },
    avg: { write: (value) => sql`avg(${value}::numeric)::double precision` },
    hasExtremes: true,
  },
  schema: { stored: () => ({ type: 'number' }) },
}
