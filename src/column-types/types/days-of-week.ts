import { fail, type Result, succeed } from '../../kernel/result.ts'
import { sql } from '../../kernel/sql.ts'
import type { ColumnType, Reader } from '../column-type.ts'
import { quoted } from '../given-value.ts'
import { scalar } from '../json-piece.ts'
import { wholeNumberType } from '../whole-number-type.ts'

const type = wholeNumberType({ title: 'Days of week', storage: 'smallint', range: [0n, 127n] })

export const days_of_week: ColumnType = {
  ...type,
  display: {
    write: (value, { language }) => scalar(sql`docket_system.show_days(${value}, ${language})`),
    parse: parseDays,
    logged: (value, { language }) => (typeof value === 'number' ? displayDays(value, language) : null),
  },
  aggregate: {},
  schema: { ...type.schema, note: 'Bits: Monday 1, Tuesday 2, … Sunday 64.' },
}

const WEEKDAYS = [
  ['monday', 'понедельник'],
  ['tuesday', 'вторник'],
  ['wednesday', 'среда'],
  ['thursday', 'четверг'],
  ['friday', 'пятница'],
  ['saturday', 'суббота'],
  ['sunday', 'воскресенье'],
]

/** Like docket_system.show_days. */
function displayDays(bits: number, language: Reader['language']): string {
  const days = WEEKDAYS.filter((_names, day) => (bits & (1 << day)) !== 0)
  const names = days.map(([english = '', russian = '']) => (language === 'ru' ? russian : english))
  return names.map((name) => name.charAt(0).toUpperCase() + name.slice(1)).join(', ')
}

/** Converts `Monday, Friday` to the sum of bits, in English or Russian. */
function parseDays(text: string): Result<string, string> {
  const trimmed = text.trim()
  if (/^[+-]?\d+$/.test(trimmed)) return succeed(trimmed)
  const days = trimmed
    .split(',')
    .map((name) => WEEKDAYS.findIndex((names) => names.includes(name.trim().toLowerCase())))
  if (days.includes(-1))
    return fail(
      `names of weekdays such as Monday, Friday, or a number from 0 to 127 are expected, found ${quoted(text)}`,
    )
  return succeed(String(days.reduce((bits, day) => bits | (1 << day), 0)))
}
