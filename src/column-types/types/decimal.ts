import { fail, succeed } from '../../kernel/result.ts'
import { sql } from '../../kernel/sql.ts'
import type { ColumnType, ReadGiven, TypedColumn } from '../column-type.ts'
import { displayDigits, parseDisplayedNumber } from '../displayed-number.ts'
import type { Expression } from '../expression.ts'
import { scalarText, show } from '../given-value.ts'
import { type JsonPiece, plain, plainText, scalar } from '../json-piece.ts'

export const decimal: ColumnType = {
  title: 'Decimal',
  storage: { type: 'numeric', index: 'btree' },
  compare: 'decimal',
  read: readDigits,
  asText: readDigits,
  write: { value: (value, column) => (isExact(column) ? readExact : readRounded)(value, column), isRewritten: true },
  display: {
    write: (value, { column, language }) =>
      scalar(
        isExact(column)
          ? sql`docket_system.show_exact(${value}, ${language})`
          : sql`docket_system.show_decimal(${value}, ${language})`,
      ),
    parse: parseDisplayedNumber,
    logged: (value, { language }) => (typeof value === 'string' ? displayDigits(value, language) : null),
  },
  convert: { group: 'number', pattern: '^[+-]?[0-9]{1,30}([.][0-9]{1,20})?$' },
  aggregate: {
    sum: { write: (value) => sql`sum(${value})` },
    avg: {
      write: (value, column) => (isExact(column) ? sql`trim_scale(avg(${value}))` : sql`round(avg(${value}), 2)`),
    },
    hasExtremes: true,
  },
  schema: {
    stored: (column) => ({
      type: 'string',
      pattern: isExact(column) ? '^(-?\\d+(\\.\\d+)?|NaN|-?Infinity)$' : '^-?\\d+\\.\\d{2}$',
    }),
  },
}

function readDigits(value: Expression, column: TypedColumn): JsonPiece {
  return isExact(column) ? plainText(value) : plain(sql`round(${value}, 2)::text`)
}

/** An adopted `numeric` of any scale: all digits count; decimals of our own tables have two after the point. */
const isExact = ({ storageCast }: TypedColumn): boolean => storageCast !== null

const readRounded: ReadGiven = (value) => {
  const text = scalarText(value)?.trim()
  if (text === '') return succeed(null)
  return text !== undefined && /^[+-]?\d{1,30}(\.\d{1,2})?$/.test(text)
    ? succeed(text)
    : fail(`a number with at most two digits after the point is expected, found ${show(value)}`)
}

/** Rejects numbers that would lose digits. */
const readExact: ReadGiven = (value, { storageCast }) => {
  const text = scalarText(value)?.trim()
  if (text === '') return succeed(null)
  const limits = /^numeric\((\d+),(-?\d+)\)$/.exec(storageCast ?? '')
  if (limits === null && text !== undefined && /^(NaN|[+-]?Infinity)$/i.test(text)) return succeed(text)
  const digits = /^[+-]?0*(\d{0,200})(?:\.(\d{0,200}?)0*)?$/.exec(text ?? '')
  if (text === undefined || digits === null || !/\d/.test(text))
    return fail(`a number is expected, found ${show(value)}`)
  if (typeof value === 'number' && !isExactlyWritten(value))
    return fail(`a number of more digits than JSON keeps is written as a text, found ${show(value)}`)
  const [, whole = '', fraction = ''] = digits
  const scale = Math.max(0, Number(limits?.[2] ?? 200))
  const max = Number(limits?.[1] ?? 400) - Number(limits?.[2] ?? 200)
  return whole.length <= max && fraction.length <= scale
    ? succeed(text)
    : fail(`a number with at most ${max} digits before and ${scale} behind the point is expected, found ${show(value)}`)
}

/** Beyond 15 digits, different numbers of a JSON text may parse to the same value. */
const isExactlyWritten = (value: number): boolean => String(value).replaceAll(/[^0-9]/g, '').length <= 15
