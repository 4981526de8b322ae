import { fail, succeed } from '../../kernel/result.ts'
import { sql } from '../../kernel/sql.ts'
import type { ColumnType, Reader, ReadGiven } from '../column-type.ts'
import { parseDisplayedNumber } from '../displayed-number.ts'
import { scalarText, show } from '../given-value.ts'
import { plainText, scalar } from '../json-piece.ts'

const readFloat: ReadGiven = (value) => {
  const text = scalarText(value)?.trim()
  if (text === '') return succeed(null)
  return text !== undefined &&
    /^[+-]?\d{1,40}(\.\d{1,40})?(e[+-]?\d{1,3})?$/i.test(text) &&
    Number.isFinite(Number(text))
    ? succeed(text)
    : fail(`a number is expected, found ${show(value)}`)
}

export const float: ColumnType = {
  title: 'Floating point number',
  storage: { type: 'double precision', index: 'btree', adopts: { same: ['float8'], cast: ['float4'] } },
  compare: 'float',
  read: scalar,
  asText: plainText,
  write: { value: readFloat },
  display: {
    write: (value, { language }) => scalar(sql`docket_system.show_float(${value}, ${language})`),
    parse: parseDisplayedNumber,
    logged: (value, { language }) => (typeof value === 'number' ? displayFloat(value, language) : null),
  },
  convert: { group: 'number', pattern: '^[+-]?[0-9]{1,40}([.][0-9]{1,40})?(e[+-]?[0-9]{1,3})?$', isBinary: true },
  // With decimal digits the order of the rows has no effect.
  aggregate: {
    sum: { write: (value) => sql`sum(${value}::numeric)::double precision` },
    avg: { write: (value) => sql`avg(${value}::numeric)::double precision` },
    hasExtremes: true,
  },
  schema: { stored: () => ({ type: 'number' }) },
}

/** Like docket_system.show_float: PostgreSQL writes numbers from 1e15 on, and those below 0.0001, with an exponent. */
function displayFloat(value: number, language: Reader['language']): string {
  const [digits = '', exponent = ''] = value.toExponential().split('e')
  const size = Math.abs(Number(exponent))
  const isPlain = value === 0 || (Number(exponent) >= -4 && Number(exponent) < 15)
  const text = isPlain ? String(value) : `${digits}e${exponent.slice(0, 1)}${String(size).padStart(2, '0')}`
  return language === 'ru' ? text.replace('.', ',') : text
}
